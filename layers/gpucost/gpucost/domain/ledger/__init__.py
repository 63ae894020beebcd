"""What holds between hours: revisions, the chain over them, sums over days and months, gaps."""
