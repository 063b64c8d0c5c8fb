"""The bot that takes the turn with the most points."""

from random import Random
from typing import ClassVar

import msgspec
from typing_extensions import override

from cartino_games.cartino.bots.planning import best_lay
from cartino_games.cartino.bots.reading import read_position, read_view
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_server.engine.bots import Bot, CantChoose


class CartinoGreedy(Bot):
    """Plans its whole turn anew before each lay, which comes to the same turn; it uses no dice."""

    game: ClassVar[str] = "cartino"
    name: ClassVar[str] = "greedy"

    @override
    def choose(self, view: bytes, chance: Random) -> msgspec.Struct:
        seen = read_view(view)
        if not seen.lays and not seen.can_end:
            raise CantChoose("nothing to lay and no turn to end")
        position = read_position(seen)
        lay = best_lay(position)
        if lay is None:
            return EndTurn()
        board = position.ground.board
        return Lay(board.stone_names[lay.card], board.spots[lay.spot])
