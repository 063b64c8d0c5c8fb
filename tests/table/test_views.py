"""What a table's views hold for whom."""

import msgspec
import pytest

from cartino_games.cartino.rules.state import RECENT, Settlement
from cartino_games.cartino.turn_log import logged
from cartino_games.cartino.views import CartinoEvent, CartinoView
from cartino_protocol.views import SeatLine, TableLine
from cartino_protocol.wire import encode
from cartino_server.lobby.people.names import clean_name
from cartino_server.table.seating import Order
from cartino_server.table.time_control import TimeControl
from cartino_server.table.views import MAX_NAMED_SPECTATORS, game_view, table_line, table_view
from tests.support.cartino import GAME, position
from tests.support.game_server import World, decoded_view
from tests.support.live_table import LiveTable
from tests.support.race import Add
from tests.support.race_table import a_room


@pytest.fixture
def table() -> LiveTable:
    table = a_room(2)
    table.join("a", "ann")
    return table


def test_an_open_table_has_no_game(table: LiveTable) -> None:
    view = table_view(table.table, 0)
    assert (view.state, view.number, bytes(view.game_view), view.result, view.turn) == (
        "open",
        0,
        b"",
        None,
        (),
    )


def test_each_audience_gets_its_own_table(table: LiveTable) -> None:
    table.join("b", "bob")
    assert table.match is not None
    cards = table.match.state.cards
    assert [decoded_view(table_view(table.table, who)).get("card") for who in (0, 1, None)] == [*cards, None]
    assert bytes(table_view(table.table, 1).game_view) == game_view(table.match, 1)
    assert "cards" not in decoded_view(table_view(table.table, None))


def test_everything_lies_open_when_it_is_over(table: LiveTable) -> None:
    table.join("b", "bob")
    assert table.act("a", table.number, encode(Add(3))) is None
    view = table_view(table.table, None)
    assert table.match is not None
    assert decoded_view(view)["cards"] == list(table.match.state.cards)
    assert view.result is not None
    assert (view.result.totals, view.result.winners, view.turn) == ((3, 0), (0,), ())


def test_few_spectators_are_named_and_all_counted(table: LiveTable) -> None:
    for number in range(MAX_NAMED_SPECTATORS + 3):
        table.watch(f"w{number}", f"watcher{number}")
    view = table_view(table.table, 0)
    assert (view.spectators, len(view.watchers)) == (MAX_NAMED_SPECTATORS + 3, MAX_NAMED_SPECTATORS)


def test_the_line_in_a_list(table: LiveTable) -> None:
    line = TableLine(
        "AAAA",
        "race",
        table.options,
        (SeatLine("ann", "human"), SeatLine("", "empty")),
        0,
        "open",
        commitment=table.commitment,
    )
    assert table_line(table.table) == line
    table.join("b", "bob")
    running = table_line(table.table)
    assert (running.state, running.turn, running.commitment) == ("playing", (0,), table.commitment)


def with_match(table: LiveTable, **changes: object) -> None:
    """The match there has these values."""
    match = msgspec.structs.replace(table.match, **changes)
    table.table = msgspec.structs.replace(table.table, match=match)


class TestSize:
    """Four names and a row of spectators as long as names get, around the longest table there is."""

    NAME = "𠀀" * 8
    STATE = msgspec.structs.replace(
        position(
            *["* * AS KS QS"] * 4,
            edition="1969",
            totals=(1234,) * 4,
            bag=" ".join(["10S"] * 86),
        ),
        recent=(CartinoEvent("lay", 3, "10S", "10Su", 106),) * RECENT,
        log=logged("1969", [CartinoEvent("lay", 0, "10S", "10Sl", 36)]) * 110 + logged("1969", []) * 20,
    )

    def a_room(self, world: World) -> LiveTable:
        order = Order(GAME, {"edition": "1969"}, 4, (), True, TimeControl("day", "never"))
        table = LiveTable("AAAA", order, bytes(32), world.ports())
        assert clean_name(self.NAME) == self.NAME
        for number in range(4):
            table.join(f"p{number}", self.NAME)
        for number in range(40):
            table.watch(f"w{number}", self.NAME)
        with_match(table, number=10_000)
        return table

    def test_the_worst_running_table_fits_in_2_kb(self, world: World) -> None:
        table = self.a_room(world)
        with_match(table, state=self.STATE)
        view = table_view(table.table, 0)
        shown = msgspec.msgpack.decode(view.game_view, type=CartinoView)
        assert len(shown.lays) == 104 + 6
        assert len(encode(view)) <= 2048

    def test_the_worst_end_which_is_sent_once_fits_in_a_little_more(self, world: World) -> None:
        table = self.a_room(world)
        settlement = Settlement((10,) * 4, (106,) * 4, out=True)
        state = msgspec.structs.replace(
            self.STATE, settlement=settlement, first=3, course=(130,) * 130, fives=tuple(range(25))
        )
        with_match(table, state=state)
        table.abandon()
        for person in ("p0", "p1", "p2"):
            table.rematch(person)
        view = table_view(table.table, 0)
        assert (len(view.seed), len(view.next_commitment), view.again) == (64, 64, (0, 1, 2))
        assert len(decoded_view(view)["hands"]) == 4
        assert len(encode(view)) <= 2220
