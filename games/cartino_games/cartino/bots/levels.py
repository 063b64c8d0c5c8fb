"""The bots: those that plan a turn, from one that often errs to the one that searches, and a random one."""

from abc import abstractmethod
from collections.abc import Sequence
from random import Random
from typing import ClassVar

import msgspec
from typing_extensions import override

from cartino_engine.bots import Bot, CantChoose, Verdict
from cartino_games.cartino.board import Board
from cartino_games.cartino.bots.evaluation import Known, rank, read_known
from cartino_games.cartino.bots.luck import draw_luck
from cartino_games.cartino.bots.planning import (
    PlannedLay,
    TurnEnd,
    TurnOutcome,
    TurnPlan,
    most_points,
    outcome_of,
    plan_of,
)
from cartino_games.cartino.bots.reading import TurnPosition, read_view
from cartino_games.cartino.bots.search import WORLDS, best_and_worth, best_end, evaluated_end
from cartino_games.cartino.moves import EndTurn, Lay, Move
from cartino_games.kit.levels import BEGINNER, CAREFUL, CASUAL, EXPERT, GREEDY, LEARNER, pick_softly

_moves: msgspec.msgpack.Decoder[Move] = msgspec.msgpack.Decoder(Move)


class TurnBot(Bot):
    """Plans a whole turn, by where it is to end."""

    game: ClassVar[str] = "cartino"

    @abstractmethod
    def pick(self, known: Known, chance: Random) -> TurnEnd:
        """Return where the turn is to end."""

    @override
    def choose(self, view: bytes, chance: Random) -> Move:
        return self.plan(view, chance)[0]

    @override
    def plan(self, view: bytes, chance: Random) -> tuple[Move, ...]:
        seen = read_view(view)
        if not seen.reach and not seen.can_end:
            raise CantChoose("nothing to lay and no turn to end")
        known = read_known(seen)
        plan = plan_of(known.position, known.tree, self.pick(known, chance))
        return moves_of(known.position.ground.board, plan)


def moves_of(board: Board, plan: TurnPlan) -> tuple[Move, ...]:
    """Return the moves of a turn, with its end if that doesn't come by itself."""
    lays = (Lay(board.stone_names[lay.card], board.spots[lay.spot]) for lay, _ in plan.lays)
    return (*lays, *([] if plan.closes else [EndTurn()]))


class CartinoGreedy(TurnBot):
    """Lays what scores the most points now, and keeps nothing that could be laid as well; it uses no dice."""

    name: ClassVar[str] = GREEDY

    @override
    def pick(self, known: Known, chance: Random) -> TurnEnd:
        best = most_points(known.position, known.tree.ends())
        if best is None:
            raise CantChoose("nothing to lay and no turn to end")
        return best


class CartinoCareful(TurnBot):
    """Takes the best turn by the evaluation alone, and plays the end exactly."""

    name: ClassVar[str] = CAREFUL
    evaluation: ClassVar[int] = 1

    @override
    def judge(self, view: bytes, made: Sequence[bytes]) -> Verdict:
        known = read_known(read_view(view))
        position, board = known.position, known.position.ground.board
        best, most, worth = best_and_worth(known, _outcome(position, made))
        return Verdict(max(0.0, most - worth), moves_of(board, plan_of(position, known.tree, best)))

    @override
    def luck(self, view: bytes, made: Sequence[bytes], after: bytes) -> float:
        known = read_known(read_view(view))
        return draw_luck(known, _outcome(known.position, made), read_view(after))

    @override
    def pick(self, known: Known, chance: Random) -> TurnEnd:
        return evaluated_end(known)


class CartinoExpert(TurnBot):
    """Compares its best turns by the network or in many deals of what it hasn't seen, and plays the end exactly."""

    name: ClassVar[str] = EXPERT

    def __init__(self, worlds: int = WORLDS) -> None:
        """Look at each turn in at most `worlds` deals, where the network doesn't know the table."""
        self._worlds = worlds

    @override
    def pick(self, known: Known, chance: Random) -> TurnEnd:
        return best_end(known, chance, self._worlds)


class _ShakingHand(TurnBot):
    """Prefers good turns, but takes one that is `heat` points worse about a third as often."""

    heat: ClassVar[float]

    @override
    def pick(self, known: Known, chance: Random) -> TurnEnd:
        return pick_softly(rank(known), self.heat, chance)


class CartinoCasual(_ShakingHand):
    """Errs by a few points."""

    name: ClassVar[str] = CASUAL
    heat = 2.6


class CartinoLearner(_ShakingHand):
    """Errs often."""

    name: ClassVar[str] = LEARNER
    heat = 4.6


class CartinoBeginner(_ShakingHand):
    """Hardly sees which turn is better."""

    name: ClassVar[str] = BEGINNER
    heat = 8.0


def _outcome(position: TurnPosition, made: Sequence[bytes]) -> TurnOutcome:
    """Return what the encoded moves of a whole turn lead to."""
    board = position.ground.board
    moves = [move for move in map(_moves.decode, made) if isinstance(move, Lay)]
    lays = [PlannedLay(board.stone_number[move.stone], board.spot_number[move.spot]) for move in moves]
    return outcome_of(position, lays)


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
