"""Cartino's bots, `greedy` and `random`: they choose a move from the view of their seat.

They import the bot port, this game's board, views and moves.
Only this game's `game` imports them.
"""
