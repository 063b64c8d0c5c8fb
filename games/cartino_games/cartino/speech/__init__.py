"""Cartino in sentences: what plain mode and the shell say of a table, and what a typed line means at it."""
