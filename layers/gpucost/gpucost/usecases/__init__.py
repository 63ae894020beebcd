"""What the product does, step by step, in terms of the domain and the ports."""
