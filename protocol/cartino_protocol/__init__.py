"""What travels between a table and whoever sits at it: commands, views, records, refusals.

This package is the vocabulary that server and clients share. It imports msgspec and nothing else, holds no
rule of any game, and does no input or output of its own. The frame modules (everything outside `games`) know
no game by name: what belongs to one game travels inside them as `msgspec.Raw` and is read by that game's plug.
"""

__version__ = "0.1.0"
