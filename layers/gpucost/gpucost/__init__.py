"""gpucost: GPU cost allocation for Amazon EKS."""
