"""How an hour becomes money: who held which share of which node, who used it, and what that cost."""
