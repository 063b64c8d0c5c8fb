"""The bots that evaluate: from one that often errs to the one that searches."""

from collections.abc import Sequence
from math import exp
from random import Random
from typing import ClassVar

from typing_extensions import override

from cartino_games.cartino.bots.evaluation import Known, rank, read_known
from cartino_games.cartino.bots.greedy import moves_of
from cartino_games.cartino.bots.planning import TurnEnd, TurnTree, plan_of
from cartino_games.cartino.bots.reading import read_view
from cartino_games.cartino.bots.search import WORLDS, best_end
from cartino_games.cartino.moves import Move
from cartino_server.engine.bots import Bot, CantChoose


class EvaluatingBot(Bot):
    """Plans a whole turn by what it brings and what is expected to come of it."""

    game: ClassVar[str] = "cartino"

    @override
    def choose(self, view: bytes, chance: Random) -> Move:
        return self.plan(view, chance)[0]

    @override
    def plan(self, view: bytes, chance: Random) -> tuple[Move, ...]:
        seen = read_view(view)
        if not seen.reach and not seen.can_end:
            raise CantChoose("nothing to lay and no turn to end")
        known = read_known(seen)
        end = self.pick(known, chance)
        position = known.position
        return moves_of(position.ground.board, plan_of(position, TurnTree(position), end))

    def pick(self, known: Known, chance: Random) -> TurnEnd:
        """Return where the turn is to end: at the best of all ends."""
        return rank(known)[0][1]


class CartinoCareful(EvaluatingBot):
    """Takes the best turn by the evaluation alone."""

    name: ClassVar[str] = "careful"


class CartinoExpert(EvaluatingBot):
    """Looks at its best turns in many deals of what it hasn't seen, and plays the end exactly."""

    name: ClassVar[str] = "expert"

    def __init__(self, worlds: int = WORLDS) -> None:
        """Look at each turn in at most `worlds` deals."""
        self._worlds = worlds

    @override
    def pick(self, known: Known, chance: Random) -> TurnEnd:
        return best_end(known, chance, self._worlds)


class _ShakingHand(EvaluatingBot):
    """Prefers good turns, but takes one that is `heat` points worse about a third as often."""

    heat: ClassVar[float]

    @override
    def pick(self, known: Known, chance: Random) -> TurnEnd:
        return _softly(rank(known), self.heat, chance)


class CartinoCasual(_ShakingHand):
    """Errs by a few points."""

    name: ClassVar[str] = "casual"
    heat = 2.6


class CartinoLearner(_ShakingHand):
    """Errs often."""

    name: ClassVar[str] = "learner"
    heat = 4.6


class CartinoBeginner(_ShakingHand):
    """Hardly sees which turn is better."""

    name: ClassVar[str] = "beginner"
    heat = 8.0


def _softly(ranked: Sequence[tuple[float, TurnEnd]], heat: float, chance: Random) -> TurnEnd:
    """Return one of `ranked`, each as likely as the exponential of its value through `heat`."""
    most = ranked[0][0]
    (picked,) = chance.choices(ranked, [exp((value - most) / heat) for value, _ in ranked])
    return picked[1]
