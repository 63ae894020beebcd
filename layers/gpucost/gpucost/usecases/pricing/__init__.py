"""Prices looked up, kept, and put right by the bill."""
