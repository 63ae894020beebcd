"""What people ask for: who may see what, pages, exports, and what would have been."""
