"""What people learn who weren't there: results of their games, and that others took their challenges.

Imports tables and `store`, never the lobby, which calls it.
"""
