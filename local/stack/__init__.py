"""Stand-ins for what the stack talks to in the cloud, on loopback only. The tests use them as fixtures."""
