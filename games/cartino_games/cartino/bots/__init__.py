"""Cartino's bots, from `random` to `expert`: they plan a turn from the view of their seat.

They import the bot port, this game's board, views and moves.
This game's `game` imports them; its screen and speech, for hints, only what plans and evaluates a turn.
"""
