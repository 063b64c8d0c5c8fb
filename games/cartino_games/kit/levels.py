"""Levels of play out of one evaluation: a bot that errs takes a worse move the more likely, the hotter it is."""

from collections.abc import Sequence
from math import exp
from random import Random
from typing import Final, TypeVar

Choice = TypeVar("Choice")

BEGINNER: Final = "beginner"
LEARNER: Final = "learner"
CASUAL: Final = "casual"
GREEDY: Final = "greedy"
CAREFUL: Final = "careful"
EXPERT: Final = "expert"
LEVELS: Final = (BEGINNER, LEARNER, CASUAL, GREEDY, CAREFUL, EXPERT)
"""The bots of a game from the weakest to the strongest. The first three err; `greedy` takes the most points now."""


def pick_softly(ranked: Sequence[tuple[float, Choice]], heat: float, chance: Random) -> Choice:
    """Return one of `ranked`, at least one, each as likely as the exponential of its value through `heat`."""
    most = max(value for value, _ in ranked)
    (picked,) = chance.choices(ranked, [exp((value - most) / heat) for value, _ in ranked])
    return picked[1]
