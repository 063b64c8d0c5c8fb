"""No byte that is sent to anybody depends on a stone that they may not see.

Two games are played that are one to whoever looks on, and other stones lie where they can't see them. Whatever they
are sent, by every way there is, has to be the same, to the byte.
"""

import itertools
from collections.abc import Callable
from zlib import crc32

import msgspec
import pytest
import structlog

from cartino_games.cartino.board import Edition
from cartino_games.cartino.lines import DrawLine
from cartino_games.cartino.rules import game as rules
from cartino_games.cartino.rules.game import Cartino
from cartino_games.cartino.rules.state import CartinoState
from cartino_games.cartino.rules.view import view
from cartino_games.cartino.views import CartinoView
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
from tests.support.onlooking import TO_LISTEN, TO_SIT, TO_WATCH, Way, by, differences, looked_on
from tests.support.twins import Twins, twins

FEW = 24
"""Moves in which a leak is found."""


def compare(game: Twins) -> None:
    for ways in by(game):
        here, there = (looked_on(game, order, ways) for order in game.orders)
        assert differences(here, there) == {}
        assert all(any(sent[way] for sent in here) for way in ways), "something was sent"


@pytest.mark.parametrize(
    ("edition", "seats", "sits"),
    [
        ("1974", 2, True),
        pytest.param("1969", 3, True, marks=pytest.mark.soak),
        pytest.param("1969", 4, False, marks=pytest.mark.soak),
    ],
)
def test_a_whole_game_is_the_same_to_whoever_may_see_no_difference(
    edition: Edition, seats: int, sits: bool
) -> None:
    game = twins(seats, edition, seats, seats - 1 if sits else None)
    assert game.differ > 0.3, "the hidden hands are others most of the time"
    compare(game)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(105, 109))
@pytest.mark.parametrize(("edition", "seats"), [*itertools.product(("1974", "1969"), (2, 3, 4))])
def test_many_games_are_the_same_to_everybody(
    edition: Edition, seats: int, seed: int, long_run: bool
) -> None:
    # Seat 0 opens the table by a link of its own and sees nothing that the others don't.
    for audience in (None, *range(1, seats)) if long_run else (None,):
        compare(twins(seed, edition, seats, audience, "later" if seed % 2 else "any"))


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
    first, *others = shown.scores
    return msgspec.structs.replace(
        shown, scores=(msgspec.structs.replace(first, total=hidden(state, audience)), *others)
    )


def logging_view(state: CartinoState, audience: Audience) -> CartinoView:
    structlog.get_logger().debug("shown", hands=state.hands)
    return view(state, audience)


def counting_view(state: CartinoState, audience: Audience) -> CartinoView:
    definitions.PEOPLE.set(hidden(state, audience))
    return view(state, audience)


def leaking_line(table: TableState) -> TableLine:
    line = table_line(table)
    return (
        line
        if table.match is None
        else msgspec.structs.replace(line, spectators=hidden(table.match.state, None))
    )


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
