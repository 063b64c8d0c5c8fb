"""Cartino in its editions of 1974 and 1969, as the rules file has it; pure.

`tables` is the board in numbers, `state` one moment of a game, `laying` and `turning` the rules, `view` what may
be seen, `game` the plug. Stones and spots are numbers in here and names everywhere else.
"""

from cartino_server.engine.games.cartino.game import Cartino

__all__ = ["Cartino"]
