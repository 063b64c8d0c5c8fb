"""States of a Cartino table that a drawing has to hold: the most of everything that can be said at once."""

import hashlib
from collections.abc import Iterator

import msgspec

from cartino_games.cartino.board import Edition
from cartino_games.cartino.rules.bag import bag_of
from cartino_games.cartino.rules.state import CartinoState
from cartino_protocol.base import Seat
from cartino_protocol.views import ResultView, TableView
from cartino_tui.game_port.screen import ClockReading, TableChrome
from tests.support.cartino import GAME, Table, position, random_game
from tests.support.cartino_table import AROUND, in_play, table_of

HANDS = ("10H KH QH JH 9H", "10D KD 9D 8D 7D", "10S KS QS JS AS", "10C KC QC JC AC")
"""Five stones each, of one suit."""
AROUND_TENS = ("10Sl", "10Hl", "9Hu", "JHu", "KHl", "QHu", "AHu")
DAY = ClockReading("23 h 59 min", short="23 h")
LATE = ClockReading("0:09", soon=True)
LONG = "Bartholomew XVI. and Maximiliane Roß. and Johann Sebastian want to pause. Press p to agree."
"""As long a sentence as the frame has."""


class Shown(msgspec.Struct, frozen=True):
    """A state as `you` see it after some keys, with what the frame says around it."""

    name: str
    table: TableView
    you: Seat | None
    keys: tuple[str, ...] = ()
    around: TableChrome = AROUND


def shown_states(edition: Edition, seats: int) -> Iterator[Shown]:
    """Every kind of state, of a table with so many players."""
    game = [state for state, _ in random_game(3, edition, seats)]
    running = [state for state in game if state.settlement is None]
    yield _of("deal", running[0], running[0].seat)
    turn = next(state for state in running[len(running) // 2 :] if state.laid and _picks(state))
    yield _of("mid-turn, a stone picked", turn, turn.seat, ("1",))
    yield _of("watched", turn, None)
    yield _of("another's turn", turn, (turn.seat + 1) % seats)
    yield _of("a joker jumps", *_with_joker(running))
    yield from _crowded(edition, seats)
    yield _of("end", game[-1], 0)
    yield _of("end, watched", game[-1], None)


def finished_states(edition: Edition, seats: int) -> Iterator[Shown]:
    """The pages of the end: with a kept promise, and where all share the win and want another game."""
    *_, (end, _) = random_game(3, edition, seats)
    over = table_of(end, 0)
    promise = hashlib.sha256(bytes.fromhex(over.seed)).hexdigest()
    for page, keys in (("result", ()), ("course", ("tab",)), ("board", ("tab", "tab"))):
        kept = msgspec.structs.replace(over, commitment=promise, again=(1,))
        yield Shown(f"the promise is kept, {page}", kept, 0, keys)
    everybody = tuple(range(seats))
    tied = ResultView((101,) * seats, everybody, "out")
    for page, keys in (("result", ()), ("board", ("tab", "tab"))):
        all_again = msgspec.structs.replace(over, again=everybody, result=tied)
        yield Shown(f"all share the win and play again, {page}", all_again, 0, keys)


def _crowded(edition: Edition, seats: int) -> Iterator[Shown]:
    """Totals of three digits and below zero, clocks, substitutes, a joker to take out, five stones at once."""
    totals = (241, -13, 220, 99)[:seats]
    joker = position(
        *HANDS[:seats], edition=edition, stones=AROUND_TENS, jokers=("10Hu",), bag="9C", totals=totals
    )
    ten = str(GAME.view(joker, 0).hand.index("10H") + 1)
    yield _of("a joker comes out", joker, 0, (ten,))
    clocks = msgspec.structs.replace(AROUND, clocks=(DAY,) * seats)
    yield Shown("clocks of days", in_play(table_of(joker, 0), ()), 0, (ten,), clocks)
    late = msgspec.structs.replace(AROUND, clocks=(LATE,) * seats, facts="Bartholomew XVI. is watching")
    yield Shown("nearly out of time", in_play(table_of(joker, 1), ()), 1, (), late)
    yield Shown("substitutes", in_play(table_of(joker, 0), range(seats)), 0, (), clocks)
    paused = msgspec.structs.replace(AROUND, status=LONG, alone=True, hints=(("y", "yes"), ("n", "no")))
    yield Shown("a pause", table_of(joker, 0), 0, (), paused)
    table = Table(msgspec.structs.replace(joker, bag=bag_of(joker.bag.remaining_stones() * 9)))
    table.lay("KHu", "QHl", "JHl", "10Hu")
    yield _of("four in one turn", table.state, 0, ("1",))
    yield _of("four in another's turn", table.state, 1)
    table.lay("9Hl")
    yield _of("five stones", table.state, 1)


def _of(
    name: str, state: CartinoState, you: Seat | None, keys: tuple[str, ...] = (), around: TableChrome = AROUND
) -> Shown:
    return Shown(name, table_of(state, you), you, keys, around)


def _picks(state: CartinoState) -> bool:
    view = GAME.view(state, state.seat)
    return any(lay.stone == view.hand[0] for lay in view.lays)


def _with_joker(running: list[CartinoState]) -> tuple[CartinoState, Seat, tuple[str, ...]]:
    for state in running:
        hand = GAME.view(state, state.seat).hand
        if "*" in hand and not state.laid:
            return state, state.seat, (str(hand.index("*") + 1), "right", "down", "right")
    raise AssertionError("no joker in this game")
