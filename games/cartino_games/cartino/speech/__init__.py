"""Cartino in sentences: what plain mode and the shell print of a table, and how they read a typed line.

Only this game imports it.
"""
