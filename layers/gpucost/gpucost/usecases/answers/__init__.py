"""Questions about costs, answered from published hours as far as the caller may see."""
