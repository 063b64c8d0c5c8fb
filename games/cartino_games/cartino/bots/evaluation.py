"""What a position after one's own turn is worth: the points still to come for its player, less those of the others.

A linear function of some thirty features, with weights of their own for each edition, number of players and phase of
the bag (weights.json). It knows only what the player's seat knows: the board, the own hand, how many stones the
others hold.
"""

from collections.abc import Iterable, Mapping
from importlib.resources import files
from math import fsum
from operator import mul
from typing import Final, NamedTuple

import msgspec

from cartino_games.cartino.board import JOKER_PENALTY, JOKERS, Edition
from cartino_games.cartino.bots.planning import TurnEnd, TurnOutcome, TurnTree
from cartino_games.cartino.bots.reading import Ground, TurnPosition, Unseen, read_position, read_unseen
from cartino_games.cartino.views import CartinoView

PHASES: Final = 6
FEATURES: Final = 33
_KING: Final = 4
"""Points of a king."""
MOST_ENDS: Final = 150
"""Ends of a turn that are evaluated."""
Weights = tuple[tuple[float, ...], ...]
"""For each phase a weight for each feature."""
WEIGHTS: Final[Mapping[Edition, Mapping[int, Weights]]] = msgspec.json.decode(
    files(__package__).joinpath("weights.json").read_bytes(), type=dict[Edition, dict[int, Weights]]
)
"""By edition and number of players, as tools/fit_cartino.py found them."""
_PHASE_ENDS = (0.0, 0.08, 0.2, 0.4, 0.65)
"""The bag's share of all stones up to which each phase but the last lasts."""


def phase_of(bag: int, stones: int) -> int:
    """Return the phase, from 0 for an empty bag, with `bag` of all `stones` left."""
    share = bag / stones
    return next((at for at, end in enumerate(_PHASE_ENDS) if share <= end), PHASES - 1)


def features(
    ground: Ground,
    taken: int,
    jokers: int,
    kept: tuple[int, ...],
    kept_jokers: int,
    unseen: Unseen,
    bag: int,
    others: tuple[int, ...],
) -> list[float]:
    """Return the features of a position after a turn, before its player draws.

    `others` are the numbers of stones of the other players, the next one first.
    """
    offered, fresh, half, open_jokers, unseen_value = _offered(ground, taken, jokers, unseen)
    chance = (others[0] / unseen.count) if unseen.count else 0.0
    first_open, second_open, *rest_open = sorted(offered, reverse=True)
    own, held, facts = _in_hand(ground, taken, jokers, kept, {card for card, _ in unseen.cards})
    best_own, second_own, *rest_own = sorted(own, reverse=True)
    suits, most = len(held) - held.count(0), max(held)
    return [
        1.0,
        bag,
        len(kept) + kept_jokers,
        facts.cost,
        kept_jokers == 1,
        kept_jokers > 1,
        *(suits == count for count in (1, 2, 3, 4)),
        most == 2,
        most == 3,
        most > 3,
        best_own,
        second_own,
        sum(rest_own),
        chance * first_open,
        chance * second_open,
        chance * sum(rest_open),
        unseen.jokers,
        chance * unseen.jokers * first_open / max(1, unseen.count),
        others[0],
        sum(others),
        fresh,
        half,
        facts.seconds,
        facts.firsts,
        facts.exposed,
        facts.pairs,
        facts.high,
        facts.swaps,
        open_jokers,
        unseen_value / max(1, unseen.count),
    ]


def _offered(ground: Ground, taken: int, jokers: int, unseen: Unseen) -> tuple[list[int], int, int, int, int]:
    """Return what the unseen stones of each suit reach, each on its better spot; then some counts.

    Those are of unseen cards with both halves free and with one, of jokers that unseen stones may swap, and the sum of
    the unseen cards' values.
    """
    reach, worth, ranks, values = ground.reach, ground.worth, len(ground.board.ranks), ground.board.values
    closed = taken & ~jokers
    offered = [0, 0, 0, 0]
    fresh = half = open_jokers = unseen_value = 0
    for card, count in unseen.cards:
        upper, lower = 2 * card, 2 * card + 1
        best = 0
        if not closed >> upper & 1:
            best = worth[upper][taken & reach[upper]]
        if not closed >> lower & 1:
            best = max(best, worth[lower][taken & reach[lower]])
        halves = 2 - (closed >> upper & 1) - (closed >> lower & 1)
        fresh += halves == 2
        half += halves == 1
        open_jokers += bool(jokers >> upper & 3)
        offered[card // ranks] += count * best
        unseen_value += count * values[card]
    return offered, fresh, half, open_jokers, unseen_value


class _HandFacts(NamedTuple):
    """What a hand costs, and what its stones reach.

    `seconds` are the points of stones whose twin is laid, `firsts` those of the others, `exposed` what a twin may take
    away of those; then pairs of twins, kings and aces, and stones that may swap a joker.
    """

    cost: int
    seconds: int
    firsts: int
    exposed: int
    pairs: int
    high: int
    swaps: int


def _in_hand(
    ground: Ground, taken: int, jokers: int, kept: tuple[int, ...], unseen: set[int]
) -> tuple[list[int], list[int], _HandFacts]:
    """Return what the stones of each suit in hand reach, how many they are, and more of the hand."""
    reach, worth, ranks, values = ground.reach, ground.worth, len(ground.board.ranks), ground.board.values
    closed = taken & ~jokers
    own, held = [0, 0, 0, 0], [0, 0, 0, 0]
    exposed = seconds = firsts = pairs = swaps = 0
    before = -1
    for card in kept:
        suit, upper, lower = card // ranks, 2 * card, 2 * card + 1
        held[suit] += 1
        gains = [-1 if closed >> spot & 1 else worth[spot][taken & reach[spot]] for spot in (upper, lower)]
        better, worse = max(gains), min(gains)
        swaps += bool(jokers >> upper & 3)
        if card == before:
            pairs += 1
            own[suit] += max(worse, 0)
            continue
        before = card
        own[suit] += max(better, 0)
        if worse < 0:
            seconds += better
        else:
            firsts += better
            exposed += (better - worse) * (card in unseen)
    cost, high = sum(values[card] for card in kept), sum(values[card] >= _KING for card in kept)
    return own, held, _HandFacts(cost, seconds, firsts, exposed, pairs, high, swaps)


class Known(msgspec.Struct, frozen=True):
    """All that a seat on turn knows, its turns, and the weights for its table; `others` as for `features`."""

    position: TurnPosition
    tree: TurnTree
    unseen: Unseen
    bag: int
    others: tuple[int, ...]
    weights: Weights

    @property
    def ends_openly(self) -> bool:
        """Whether the bag is empty between two, so that each knows what the other holds."""
        return self.bag == 0 and self.others == (self.unseen.count,)


def read_known(view: CartinoView) -> Known:
    """Return what the seat on turn knows by its view."""
    position, scores = read_position(view), view.scores
    seat, seats = view.on_turn or 0, len(scores)
    return Known(
        position,
        TurnTree(position),
        read_unseen(view),
        view.bag,
        tuple(scores[(seat + after) % seats].stones for after in range(1, seats)),
        WEIGHTS[view.edition][seats],
    )


def rank(known: Known) -> list[tuple[float, TurnEnd]]:
    """Return where the turn may end, best first, each with the points it scores and is expected to lead to.

    Of very many ends only those with the most points are looked at.
    """
    ends = list(known.tree.ends())
    if len(ends) > MOST_ENDS:
        ends = sorted(ends, key=lambda end: -end.points)[:MOST_ENDS]
    return sorted(((worth_of(known, end), end) for end in ends), key=lambda each: -each[0])


def worth_of(known: Known, end: TurnOutcome) -> float:
    """Return the points that a turn scores and is expected to lead to, less those of the others."""
    ground, unseen = known.position.ground, known.unseen
    if end.out:
        return end.points + hand_cost(ground, unseen.stones(), unseen.jokers) / len(known.others)
    table = end.taken, end.jokers, end.kept, end.kept_jokers
    return end.points + worth_after(known.weights, ground, table, unseen, known.bag, known.others)


def worth_after(
    weights: Weights,
    ground: Ground,
    table: tuple[int, int, tuple[int, ...], int],
    unseen: Unseen,
    bag: int,
    others: tuple[int, ...],
) -> float:
    """Return what is still to come after a turn; `table` has spots taken, jokers, and cards and jokers kept."""
    stones = 2 * len(ground.board.cards) + JOKERS
    row = weights[phase_of(bag, stones)]
    return fsum(map(mul, row, features(ground, *table, unseen, bag, others)))


class Prospects(NamedTuple):
    """What a turn leads to for its player, in points: what is left `open` to the others, and what is `in_hand`.

    Each is comparable with that of another turn from the same view only; the rest of the evaluation is the same.
    """

    open: float
    in_hand: float


_OPEN: Final = frozenset({16, 17, 18, 20, 23, 24, 31})
"""The features, by their places, that tell what others can reach; the rest is about the hand, or the same for all."""


def prospects(known: Known, end: TurnOutcome) -> Prospects:
    """Return the two parts of what a turn that doesn't end the game is expected to lead to."""
    ground = known.position.ground
    row = known.weights[phase_of(known.bag, 2 * len(ground.board.cards) + JOKERS)]
    found = features(
        ground, end.taken, end.jokers, end.kept, end.kept_jokers, known.unseen, known.bag, known.others
    )
    parts = [weight * value for weight, value in zip(row, found, strict=True)]
    return Prospects(
        fsum(part for at, part in enumerate(parts) if at in _OPEN),
        fsum(part for at, part in enumerate(parts) if at not in _OPEN),
    )


def hand_cost(ground: Ground, cards: Iterable[int], jokers: int) -> int:
    """Return what a hand costs at the end."""
    return sum(ground.board.values[card] for card in cards) + JOKER_PENALTY * jokers
