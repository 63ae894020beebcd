"""What an hour of a GPU costs: offers, the price book, Spot, and the bill."""
