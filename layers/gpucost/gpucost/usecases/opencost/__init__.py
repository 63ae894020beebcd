"""OpenCost's dialect of the same questions."""
