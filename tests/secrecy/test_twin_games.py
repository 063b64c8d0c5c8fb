"""No byte that is sent to anybody depends on a stone or card that they may not see.

Two games are played that are one to whoever looks on, and other stones or cards lie where they can't see them.
Whatever they are sent, by every way there is, has to be the same, to the byte. What a card that lies in the open tells
is said here by the rules, never by the game's own `view`.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from zlib import crc32

import msgspec
import pytest
import structlog

from cartino_engine.chance import Chance, GivenOrder
from cartino_engine.port import Step
from cartino_games.cartino.board import Edition
from cartino_games.cartino.lines import DrawLine
from cartino_games.cartino.rules import game as rules
from cartino_games.cartino.rules.game import Cartino
from cartino_games.cartino.rules.state import CartinoState
from cartino_games.cartino.rules.view import view
from cartino_games.cartino.views import CartinoView
from cartino_games.casino.cards import CARDS
from cartino_games.casino.rules import Casino, CasinoState
from cartino_games.casino.typing_moves import write
from cartino_games.casino.views import CasinoView
from cartino_protocol.base import Audience
from cartino_protocol.records import RecordLine
from cartino_protocol.views import TableLine
from cartino_server.lobby.finished.history import GameHistory
from cartino_server.metrics import definitions
from cartino_server.store.port import StoredGame
from cartino_server.table import task
from cartino_server.table.restoring import record_lines
from cartino_server.table.state import TableState
from cartino_server.table.views import table_line
from tests.support.casino import DEFAULTS, NAMES
from tests.support.onlooking import TO_LISTEN, TO_SIT, TO_WATCH, Way, by, differences, looked_on
from tests.support.twins import Order, Twins, twins

FEW = 16
"""Moves in which a leak is found."""


def compare(game: Twins) -> None:
    for ways in by(game):
        here, there = (looked_on(game, order, ways) for order in game.orders)
        assert differences(here, there) == {}
        assert all(any(sent[way] for sent in here) for way in ways), "something was sent"


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("edition", "seats", "seed"),
    [
        ("1974", 2, 105),
        *(
            pytest.param(edition, seats, seed, marks=pytest.mark.soak)
            for edition in ("1974", "1969")
            for seats in (2, 3, 4)
            for seed in range(106, 110)
        ),
    ],
)
def test_a_whole_game_is_the_same_to_whoever_may_see_no_difference(
    edition: Edition, seats: int, seed: int, long_run: bool
) -> None:
    # Seat 0 opens the table by a link of its own and sees nothing that the others don't.
    for audience in (None, *range(1, seats)) if long_run else (1,):
        game = twins(seed, edition, seats, audience, "later" if seed % 2 else "any")
        assert game.differ > 0.3, "the hidden hands are others most of the time"
        compare(game)


def test_the_same_game_is_the_same_twice() -> None:
    """Nothing but the stones is left to chance; else the comparison would say nothing."""
    game = twins(1, "1974", 2, None)
    for ways in by(game):
        first, second = (looked_on(game, game.orders[0], ways, FEW) for _ in range(2))
        assert differences(first, second) == {}


# -- that it can fail: a server that leaks is found out by each way


def hidden(state: CartinoState, audience: Audience) -> int:
    """A number from 0 to 88 that depends on what is hidden from `audience`."""
    return crc32(repr([hand for seat, hand in enumerate(state.hands) if seat != audience]).encode()) % 89


def leaking_view(state: CartinoState, audience: Audience) -> CartinoView:
    """The first seat's total is a little more or less, by what others hold."""
    shown = view(state, audience)
    first = msgspec.structs.replace(shown.scores[0], total=hidden(state, audience))
    return msgspec.structs.replace(shown, scores=(first, *shown.scores[1:]))


def logging_view(state: CartinoState, audience: Audience) -> CartinoView:
    structlog.get_logger().debug("shown", hands=state.hands)
    return view(state, audience)


def counting_view(state: CartinoState, audience: Audience) -> CartinoView:
    definitions.PEOPLE.set(hidden(state, audience))
    return view(state, audience)


def leaking_line(table: TableState) -> TableLine:
    line = table_line(table)
    spectators = line.spectators if table.match is None else hidden(table.match.state, None)
    return msgspec.structs.replace(line, spectators=spectators)


def half_redacted(
    self: Cartino, line: RecordLine, state: CartinoState, audience: Audience = None
) -> RecordLine:
    """The first stone of a draw is left open."""
    if isinstance(line, DrawLine):
        return DrawLine(line.seat, (line.stones[0], *["?"] * (len(line.stones) - 1)) if line.stones else ())
    return line


async def running_record(self: GameHistory, name: str) -> bytes:
    """It is not asked whether the game is over."""
    kept = await self._journal.load_game(1)
    assert isinstance(kept, StoredGame)
    return record_lines(kept.bodies)


def found_out(audience: Audience, ways: tuple[Way, ...]) -> set[str]:
    game = twins(1, "1974", 2, audience)
    here, there = (looked_on(game, order, ways, FEW) for order in game.orders)
    return set(differences(here, there))


def test_a_view_that_leaks_is_found_out_by_who_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "view", leaking_view)
    assert found_out(None, TO_WATCH) >= {"wire", "screen", "lines", "told", "json", "show", "show --json"}


@pytest.mark.parametrize("way", [*TO_SIT, *TO_LISTEN])
def test_a_view_that_leaks_is_found_out_by_who_sits_there(monkeypatch: pytest.MonkeyPatch, way: Way) -> None:
    monkeypatch.setattr(rules, "view", leaking_view)
    assert found_out(1, (way,)) >= {way, "show", "show --json"}


@pytest.mark.parametrize(
    ("owner", "name", "leak", "ways"),
    [
        (Cartino, "redact", half_redacted, {"export"}),
        (task, "table_line", leaking_line, {"games --json", "lobby"}),
        (GameHistory, "record", running_record, {"export-1"}),
        (rules, "view", logging_view, {"logs"}),
        (rules, "view", counting_view, {"metrics"}),
    ],
)
def test_what_leaks_elsewhere_is_found_out_there(
    monkeypatch: pytest.MonkeyPatch, owner: object, name: str, leak: Callable[..., object], ways: set[str]
) -> None:
    monkeypatch.setattr(owner, name, leak)
    assert found_out(None, TO_WATCH) >= ways


class Rigged(Casino):
    """The game, always dealt in one order, whatever was promised."""

    def __init__(self, order: Order) -> None:
        self._order = order

    def start(self, options: Mapping[str, str], seats: Sequence[str], chance: Chance) -> Step[CasinoState]:
        return super().start(options, seats, GivenOrder(self._order))


class Leaking(Rigged):
    """Shows the number of court cards in a hand as a total."""

    def view(self, state: CasinoState, audience: Audience) -> CasinoView:
        held = state.hands[((audience or 0) + 1) % len(state.hands)]
        shown = super().view(state, audience)
        courts = sum(card[0] in "JQK" for card in held)
        return msgspec.structs.replace(shown, totals=(courts, *shown.totals[1:]))


def casino_twins(
    seed: int, seats: int, audience: Audience, moves: int, rigged: type[Rigged] = Rigged
) -> Twins:
    """So many moves of a first deal; then all cards that `audience` has not seen have changed places."""
    dice = Random(seed)
    order = tuple(dice.sample(range(len(CARDS)), len(CARDS)))
    game = Rigged(order)
    state = game.start(DEFAULTS, NAMES[:seats], GivenOrder(order)).state
    words = []
    for _ in range(moves):
        (seat,) = game.on_turn(state)
        move = dice.choice(list(game.legal(state, seat)))
        words.append((seat, write(move)))
        step = game.apply(state, seat, move)
        assert isinstance(step, Step)
        state = step.state
    hands = [card for seat, hand in enumerate(state.hands) if seat != audience for card in hand]
    hidden = {CARDS.index(card) for card in (*hands, *state.pack)}
    places = [place for place, number in enumerate(order) if number in hidden]
    other = list(order)
    for place, onto in zip(places, places[1:] + places[:1], strict=True):
        other[place] = order[onto]
    return Twins(rigged, DEFAULTS, seats, audience, tuple(words), (order, tuple(other)), 1.0)


@pytest.mark.parametrize(
    ("seats", "audience", "moves"),
    [
        (2, 1, 5),
        (4, None, 17),
        *(pytest.param(*case, marks=pytest.mark.soak) for case in ((2, None, 0), (3, 2, 13), (4, 2, 31))),
    ],
)
def test_a_deal_is_the_same_to_whoever_may_see_no_difference(
    seats: int, audience: Audience, moves: int
) -> None:
    """Up to some moment of a deal of Casino; what is still in others' hands or in the pack is another card."""
    compare(casino_twins(moves, seats, audience, moves))


def test_a_view_of_casino_that_leaks_is_found_out() -> None:
    game = casino_twins(3, 2, None, 3, Leaking)
    here, there = (looked_on(game, order, TO_WATCH) for order in game.orders)
    assert set(differences(here, there)) >= {"wire", "screen", "lines", "json", "show --json"}
