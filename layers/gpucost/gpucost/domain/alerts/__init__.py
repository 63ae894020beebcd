"""What people are told: findings, the episodes that they make, and the messages about them."""
