"""Finished games: who may see them, step by step; what they count; their reviews, and what players are told of them.

Imports the lobby's people and table registry, its rate limits and background tasks.
"""
