"""From the schedule to the ledger: hours planned, worked out, published, summed up, checked."""
