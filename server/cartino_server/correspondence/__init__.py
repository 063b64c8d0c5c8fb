"""News for people who were away: results of their games, and what became of their challenges.

Imports tables and `store`, never the lobby, which calls it.
"""
