"""Caro, on the kit: squares of four colours. Only its entry point names it, as `game.PACKAGE`."""
