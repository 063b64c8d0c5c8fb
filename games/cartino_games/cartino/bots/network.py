"""What a neural network adds to the linear evaluation: only for two players in the edition of 1974.

The first layer has the same weights for every suit. It reads which cards are laid, what the stones in hand and the
unseen ones may score there, and how much that may still grow. The second layer reads the sum and the maximum of the
four suits beside the features of the linear evaluation. The result is what the linear evaluation misses, in points.
The weights were learned by self-play (docs/decisions/036).
"""

import struct
from collections.abc import Sequence
from functools import reduce
from importlib.resources import files
from math import fsum
from operator import mul, or_
from typing import Final, NamedTuple

from cartino_games.cartino.bots.evaluation import FEATURES, Known, features, rank
from cartino_games.cartino.bots.planning import TurnEnd
from cartino_games.cartino.bots.reading import Ground

CANDIDATES: Final = 12
"""Turns, the best by the linear evaluation, that the network compares."""
_CARD, _SUIT = 16, 20
"""Inputs for each card of a suit, and for the suit."""
_INPUTS = 8 * _CARD + _SUIT
_FIRST, _SECOND = 64, 32
"""Units of both layers."""
_TABLE = FEATURES + 9
"""Inputs of the second layer beside those of the first."""

Rows = tuple[tuple[float, ...], ...]


class _Weights(NamedTuple):
    """The layers: the first has its rows by input, the second by unit.

    The result is made of the second layer's units, and of its inputs.
    """

    first: Rows
    first_bias: tuple[float, ...]
    second: Rows
    second_bias: tuple[float, ...]
    result: tuple[float, ...]
    bias: float


def _read() -> _Weights:
    """Read network.bin: half-precision floats, in the order of the fields, the second layer's by input."""
    packed = files(__package__).joinpath("network.bin").read_bytes()
    rest = list(struct.unpack(f"<{len(packed) // 2}e", packed))

    def take(count: int) -> tuple[float, ...]:
        taken = tuple(rest[:count])
        del rest[:count]
        return taken

    return _Weights(
        tuple(take(_FIRST) for _ in range(_INPUTS)),
        take(_FIRST),
        tuple(zip(*(take(_SECOND) for _ in range(2 * _FIRST + _TABLE)), strict=True)),
        take(_SECOND),
        take(_SECOND + 2 * _FIRST + _TABLE),
        *take(1),
    )


_WEIGHTS: Final = _read()


def is_for(known: Known) -> bool:
    """Whether the network was trained for such a table."""
    return known.position.ground.board.edition == "1974" and len(known.others) == 1


def best_by_network(known: Known) -> TurnEnd:
    """Return the end of the best turn by both evaluations. The network must know the table."""
    missed = _Missed(known)
    worths = [
        (worth if end.out else worth + missed.points_missed_after(end), end)
        for worth, end in rank(known)[:CANDIDATES]
    ]
    return max(worths, key=lambda each: each[0])[1]


class _Missed:
    """Evaluates what the linear evaluation misses after turns of one position; reads equal suits once."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._ground = known.position.ground
        self._unseen = dict(known.unseen.cards)
        self._other = known.others[0]
        self._chance = self._other / max(1, known.unseen.count)
        bag = known.bag
        self._phase = [float(bag == 0), min(bag, 6) / 6, min(bag, 14) / 14, min(bag, 28) / 28, bag / 56]
        self._windows = [
            reduce(or_, (1 << spot | self._ground.reach[spot] for spot in spots))
            for spots in self._ground.suits
        ]
        self._suits: dict[tuple[object, ...], list[float]] = {}

    def points_missed_after(self, end: TurnEnd) -> float:
        """Return the points that the linear evaluation misses after a turn."""
        weights, unseen = _WEIGHTS, self._known.unseen
        suits = [self._suit(suit, end) for suit in range(len(self._windows))]
        units = list(zip(*suits, strict=True))
        read = [*(sum(each) for each in units), *(max(each) for each in units)]
        table = [
            *features(
                self._ground,
                end.taken,
                end.jokers,
                end.kept,
                end.kept_jokers,
                unseen,
                self._known.bag,
                self._known.others,
            ),
            *self._phase,
            min(2, end.kept_jokers),
            self._other == 5,
            self._chance,
            unseen.count,
        ]
        inputs = [*read, *table]
        second = [
            max(0.0, bias + sum(map(mul, row, inputs)))
            for bias, row in zip(weights.second_bias, weights.second, strict=True)
        ]
        return weights.bias + fsum(map(mul, weights.result, [*second, *inputs]))

    def _suit(self, suit: int, end: TurnEnd) -> list[float]:
        """Return what the first layer makes of a suit."""
        window, own = self._windows[suit], sum(0b11 << 2 * card for card in {*end.kept})
        ranks = len(self._ground.board.ranks)
        cards = tuple(card for card in end.kept if card // ranks == suit)
        key = (
            suit,
            end.taken & window,
            end.jokers & window,
            own & window,
            cards,
            end.kept_jokers,
            len(end.kept),
        )
        found = self._suits.get(key)
        if found is None:
            inputs = self._inputs(suit, end, cards, own)
            places = [at for at, value in enumerate(inputs) if value]
            values = [inputs[at] for at in places]
            columns = zip(*(_WEIGHTS.first[at] for at in places), strict=True)
            found = self._suits[key] = [
                max(0.0, bias + sum(map(mul, values, column)))
                for bias, column in zip(_WEIGHTS.first_bias, columns, strict=True)
            ]
        return found

    def _inputs(self, suit: int, end: TurnEnd, cards: tuple[int, ...], own: int) -> list[float]:
        """Return the inputs of a suit: those of each card, then its own."""
        reach, worth, chance = self._ground.reach, self._ground.worth, self._chance
        ranks, taken = len(self._ground.board.ranks), end.taken
        closed = taken & ~end.jokers
        inputs = list[float]()
        offered = free = hidden = 0
        for card in range(suit * ranks, (suit + 1) * ranks):
            spots = [spot for spot in (2 * card, 2 * card + 1) if not closed >> spot & 1]
            held, unseen = cards.count(card), self._unseen.get(card, 0)
            gains = [worth[spot][reach[spot] & taken] for spot in spots]
            growth = max((worth[spot][reach[spot] & ~taken] for spot in spots), default=0)
            by_hand = max((worth[spot][reach[spot] & ~taken & own] for spot in spots), default=0)
            better, worse = max(gains, default=0), min(gains) if len(gains) > 1 else 0
            likely = chance * unseen
            inputs += (
                held >= 1,
                held == 2,
                unseen >= 1,
                unseen == 2,
                len(spots) >= 1,
                len(spots) == 2,
                better if held else 0,
                worse if held == 2 else 0,
                likely * better,
                chance * worse if unseen == 2 else 0,
                better - worse if held and unseen and len(spots) == 2 else 0,
                end.jokers >> 2 * card & 0b11 != 0,
                growth if held else 0,
                likely * growth,
                by_hand if held else 0,
                likely * by_hand,
            )
            offered += unseen * better
            free += len(spots)
            hidden += unseen
        held, turn = len(cards), _turn(self._ground, taken, closed, cards)
        inputs += (held == 1, held == 2, held == 3, held > 3, turn, chance * offered, *self._phase)
        inputs += (min(2, end.kept_jokers), self._known.unseen.jokers, self._other, free, chance * hidden)
        inputs += (turn if held == 1 else 0, turn if held > 2 else 0, len(end.kept) - held, chance)
        return inputs


def _turn(ground: Ground, taken: int, closed: int, cards: Sequence[int]) -> int:
    """Return the points of a turn that lays, one after the other, the stone that scores most."""
    left, points = list(cards), 0
    while left:
        options = [
            (ground.worth[spot][taken & ground.reach[spot]], spot)
            for card in left
            for spot in (2 * card, 2 * card + 1)
            if not closed >> spot & 1
        ]
        if not options:
            break
        most, best = max(options, key=lambda each: each[0])
        points += most
        taken |= 1 << best
        closed |= 1 << best
        left.remove(best // 2)
    return points
