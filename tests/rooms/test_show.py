"""What a room's views hold for whom."""

import pytest

from cartino_protocol.views import RoomLine, SeatLine
from cartino_protocol.wire import encode
from cartino_server.rooms.room import Room
from cartino_server.rooms.show import NAMED_WATCHERS, room_line, room_view, table_view
from tests.support.house import NOW, World, table
from tests.support.race import Add, Race


@pytest.fixture
def room(world: World) -> Room:
    room = Room("AAAA", Race(), {"goal": "3", "turns": "one"}, 2, (), True, world.entropy, lambda: NOW)
    room.join("a", "ann")
    return room


def test_an_open_table_has_no_game(room: Room) -> None:
    view = room_view(room, 0)
    assert (view.state, view.number, bytes(view.table), view.result, view.turn) == ("open", 0, b"", None, ())


def test_each_audience_gets_its_own_table(room: Room) -> None:
    room.join("b", "bob")
    assert room.play is not None
    cards = room.play.state.cards
    assert [table(room_view(room, who)).get("card") for who in (0, 1, None)] == [*cards, None]
    assert bytes(room_view(room, 1).table) == table_view(room.play, 1)
    assert "cards" not in table(room_view(room, None))


def test_everything_lies_open_when_it_is_over(room: Room) -> None:
    room.join("b", "bob")
    assert room.act("a", room.number, encode(Add(3))) is None
    view = room_view(room, None)
    assert room.play is not None
    assert table(view)["cards"] == list(room.play.state.cards)
    assert view.result is not None
    assert (view.result.totals, view.result.winners, view.turn) == ((3, 0), (0,), ())


def test_few_spectators_are_named_and_all_counted(room: Room) -> None:
    for number in range(NAMED_WATCHERS + 3):
        room.watch(f"w{number}", f"watcher{number}")
    view = room_view(room, 0)
    assert (view.spectators, len(view.watchers)) == (NAMED_WATCHERS + 3, NAMED_WATCHERS)


def test_the_line_in_a_list(room: Room) -> None:
    line = RoomLine(
        "AAAA", "race", room.options, (SeatLine("ann", "human"), SeatLine("", "empty")), 0, "open"
    )
    assert room_line(room) == line
    room.join("b", "bob")
    assert (room_line(room).state, room_line(room).turn) == ("playing", (0,))
