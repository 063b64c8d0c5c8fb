"""Cartino's table on the screen: drawing, keys, clicks and motion."""
