"""The best turn from a view, and why it is better than the turn with the most points: for hints."""

import msgspec

from cartino_games.cartino.bots.evaluation import Known, prospects, read_known
from cartino_games.cartino.bots.planning import TurnEnd, TurnPlan, most_points, plan_of
from cartino_games.cartino.bots.search import best_and_worth
from cartino_games.cartino.views import CartinoView

WORTH_SAYING = 1.0
"""Points by which a turn must be better than the one with the most points."""


class Comparison(msgspec.Struct, frozen=True):
    """The turn with the most points, `instead` of a better one.

    It is `worse` by so many points in the long run, since it leaves more `open` to the others and keeps less
    `in_hand`. Both are None in an end that was played through.
    """

    instead: TurnPlan
    worse: float
    open: float | None = None
    in_hand: float | None = None


class Advice(msgspec.Struct, frozen=True):
    """The turn to make, and what it is better than; no comparison where it is the one with the most points."""

    plan: TurnPlan
    comparison: Comparison | None = None


def advise(view: CartinoView) -> Advice | None:
    """Return the best turn for the seat on turn, None if it can neither lay nor choose to end its turn."""
    known = read_known(view)
    position, tree = known.position, known.tree
    most = most_points(position, tree.ends())
    if most is None:
        return None
    best, worth, other = best_and_worth(known, most)
    instead = plan_of(position, tree, most)
    if worth - other < WORTH_SAYING:
        return Advice(instead)
    return Advice(plan_of(position, tree, best), _compare(known, best, most, instead, worth - other))


def _compare(known: Known, best: TurnEnd, most: TurnEnd, instead: TurnPlan, worse: float) -> Comparison:
    if known.ends_openly or best.out or most.out:
        return Comparison(instead, worse)
    ours, theirs = prospects(known, best), prospects(known, most)
    return Comparison(instead, worse, ours.open - theirs.open, ours.in_hand - theirs.in_hand)
