"""The rules: pure functions and values. Standard library only, no clock, no input or output."""
