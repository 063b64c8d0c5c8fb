"""What travels between server and clients: commands, views, records, refusals.

It imports msgspec and nothing of Cartino; every other package may import it. It holds no rule of any game, names none,
and does no input or output. What belongs to one game travels as `msgspec.Raw` and is decoded by that game.
"""

__version__ = "0.1.0"
