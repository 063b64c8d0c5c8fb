"""The bot that takes the turn with the most points."""

from random import Random
from typing import ClassVar

from typing_extensions import override

from cartino_games.cartino.board import Board
from cartino_games.cartino.bots.planning import TurnPlan, best_turn
from cartino_games.cartino.bots.reading import read_position, read_view
from cartino_games.cartino.moves import EndTurn, Lay, Move
from cartino_server.engine.bots import Bot, CantChoose


class CartinoGreedy(Bot):
    """Lays what brings the most points now, and keeps nothing that could be laid as well; it uses no dice."""

    game: ClassVar[str] = "cartino"
    name: ClassVar[str] = "greedy"

    @override
    def choose(self, view: bytes, chance: Random) -> Move:
        return self.plan(view, chance)[0]

    @override
    def plan(self, view: bytes, chance: Random) -> tuple[Move, ...]:
        seen = read_view(view)
        if not seen.reach and not seen.can_end:
            raise CantChoose("nothing to lay and no turn to end")
        position = read_position(seen)
        return moves_of(position.ground.board, best_turn(position))


def moves_of(board: Board, plan: TurnPlan) -> tuple[Move, ...]:
    """Return the moves of a turn, with its end if that doesn't come by itself."""
    lays = (Lay(board.stone_names[lay.card], board.spots[lay.spot]) for lay, _ in plan.lays)
    return (*lays, *([] if plan.closes else [EndTurn()]))
