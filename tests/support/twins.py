"""Two games that are one to somebody: the same moves, all that they may see the same, other stones where they may not.

What they may see is said here by the rules alone (moves, the record's lines without others' draws), never by the
game's own `view`: that is what is tested with it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random

import msgspec

from cartino_engine.chance import Chance, GivenOrder
from cartino_engine.port import AnyGame, Step
from cartino_games.cartino.board import Edition
from cartino_games.cartino.lines import DrawLine
from cartino_games.cartino.moves import EndTurn, Lay, Move
from cartino_games.cartino.rules.game import Cartino
from cartino_games.cartino.rules.state import CartinoState
from cartino_games.cartino.rules.tables import TABLES
from cartino_protocol.base import Audience, Seat
from cartino_protocol.records import RecordLine
from cartino_protocol.refusals import Refusal
from tests.support.cartino import GAME, all_options, names

TRIES = 400
"""Swaps of two stones that are tried to make the other game."""

Order = tuple[int, ...]
Options = Mapping[str, str]
Play = tuple[Seat, Move]


class Rigged(Cartino):
    """The game, always dealt in one order, whatever was promised."""

    def __init__(self, order: Order) -> None:
        self._order = order

    def start(self, options: Mapping[str, str], seats: Sequence[str], chance: Chance) -> Step[CartinoState]:
        return super().start(options, seats, GivenOrder(self._order))


class Twins(msgspec.Struct, frozen=True):
    """Moves of a game as they are typed, and two orders of its deal in which they can be made.

    `rigged` returns the game dealt in an order. `differ` is the share of its states in which the hands that the
    audience may not see are not the same.
    """

    rigged: Callable[[Order], AnyGame]
    options: Mapping[str, str]
    seats: int
    audience: Audience
    words: tuple[tuple[Seat, str], ...]
    orders: tuple[Order, Order]
    differ: float


def twins(seed: int, edition: Edition, seats: int, audience: Audience, joker_swap: str = "later") -> Twins:
    """A game of Cartino to its last move but one, and its twin."""
    options = all_options(edition, joker_swap=joker_swap)
    chance = Random(seed)
    stones = TABLES[edition].stones
    order = tuple(chance.sample(range(len(stones)), len(stones)))
    plays = tuple(_whole_game(chance, order, options, seats))[:-1]
    truth = _seen(order, plays, options, seats, audience)
    assert truth is not None
    holders = _holders(order, plays, options, seats)
    hidden = [place for place, holder in enumerate(holders) if audience is None or holder != audience]
    other = list(order)
    for _ in range(TRIES):
        one, two = chance.sample(hidden, 2)
        if stones[other[one]] != stones[other[two]] and not holders[one] is holders[two] is None:
            other[one], other[two] = other[two], other[one]
            if _seen(tuple(other), plays, options, seats, audience) != truth:
                other[one], other[two] = other[two], other[one]
    here = [state for state, _ in _states(order, plays, options, seats)]
    there = [state for state, _ in _states(tuple(other), plays, options, seats)]
    unlike = sum(one.hands != two.hands for one, two in zip(here, there, strict=True))
    words = tuple((seat, word_of(move)) for seat, move in plays)
    orders = order, tuple(other)
    return Twins(Rigged, options, seats, audience, words, orders, unlike / len(here))


def word_of(move: Move) -> str:
    """The move as it is said behind `ssh host move`."""
    match move:
        case Lay(stone="*", spot=spot):
            return f"*{spot}"
        case Lay(spot=spot):
            return spot
        case EndTurn():
            return "end"


def _begin(order: Order, options: Options, seats: int) -> Step[CartinoState]:
    return GAME.start(options, names(seats), GivenOrder(order))


def _whole_game(chance: Random, order: Order, options: Options, seats: int) -> Iterator[Play]:
    state = _begin(order, options, seats).state
    while turn := GAME.on_turn(state):
        move = chance.choice(list(GAME.legal(state, turn[0])))
        yield turn[0], move
        step = GAME.apply(state, turn[0], move)
        assert isinstance(step, Step)
        state = step.state


def _states(
    order: Order, plays: Sequence[Play], options: Options, seats: int
) -> Iterator[tuple[CartinoState, tuple[RecordLine, ...]]]:
    """Every state with the lines that led to it, as far as the rules allow the plays."""
    step: Step[CartinoState] | Refusal = _begin(order, options, seats)
    assert isinstance(step, Step)
    yield step.state, step.lines
    for seat, move in plays:
        step = GAME.apply(step.state, seat, move)
        if isinstance(step, Refusal):
            return
        yield step.state, step.lines


def _seen(
    order: Order, plays: Sequence[Play], options: Options, seats: int, audience: Audience
) -> tuple[object, ...] | None:
    """What the rules tell `audience` of the game, None where it isn't one, or is over."""
    seen: list[object] = []
    for state, lines in _states(order, plays, options, seats):
        if state.settlement is not None:
            return None
        seen.append((state.seat, [_told(line, audience) for line in lines]))
    return tuple(seen) if len(seen) == len(plays) + 1 else None


def _told(line: RecordLine, audience: Audience) -> object:
    if isinstance(line, DrawLine) and line.seat != audience:
        return line.seat, len(line.stones)
    return line


def _holders(order: Order, plays: Sequence[Play], options: Options, seats: int) -> list[Seat | None]:
    """Who draws each place of the order; None for what stays in the bag."""
    holders: list[Seat | None] = []
    for _, lines in _states(order, plays, options, seats):
        for line in lines:
            if isinstance(line, DrawLine):
                holders += [line.seat] * len(line.stones)
    return holders + [None] * (len(order) - len(holders))
