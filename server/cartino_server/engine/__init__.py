"""The rules, pure: no clock, no chance of its own, no input or output."""
