"""What is known of GPUs: models, MIG profiles and geometries, instance types, and the names that resources have."""
