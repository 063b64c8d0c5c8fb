"""Cartino's bots: `random` and `greedy`."""
