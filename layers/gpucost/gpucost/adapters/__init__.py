"""The outside world: AWS, Prometheus, Slack, and in-memory twins of them."""
