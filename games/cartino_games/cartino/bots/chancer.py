"""A bot that makes random legal lays."""

from random import Random
from typing import ClassVar

import msgspec
from typing_extensions import override

from cartino_games.cartino.bots.reading import read_view
from cartino_games.cartino.moves import EndTurn, Lay, Move
from cartino_server.engine.bots import Bot, CantChoose


class CartinoChancer(Bot):
    """Any move that the view calls legal, each as likely as the next."""

    game: ClassVar[str] = "cartino"
    name: ClassVar[str] = "random"

    @override
    def choose(self, view: bytes, chance: Random) -> msgspec.Struct:
        seen = read_view(view)
        moves: list[Move] = [Lay(option.stone, option.spot) for option in seen.lays]
        if seen.can_end:
            moves.append(EndTurn())
        if not moves:
            raise CantChoose("nothing to lay and no turn to end")
        return chance.choice(moves)
