"""From published hours to messages, and what people say to them."""
