"""The ledger and everything that writes to it, in a world of its own, whose every misfortune follows from one seed."""
