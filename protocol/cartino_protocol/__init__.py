"""What travels between server and clients: commands, views, records, refusals.

Imports msgspec only; every other package may import it. It holds no game rules and does no input or output. Data of one
game travels as `msgspec.Raw` and is decoded by that game.
"""

__version__ = "0.1.0"
