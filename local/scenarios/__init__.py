"""Histories that ship with the product: the guide's own cluster, and a real node."""
