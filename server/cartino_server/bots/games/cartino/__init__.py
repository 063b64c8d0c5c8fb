"""Cartino's bots."""
