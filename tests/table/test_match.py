"""A running game: who plays for whom, what it says about it, and who may stop it."""

import pytest

from cartino_protocol.wire import encode
from cartino_server.table.match import FIRST_MOVE, Match, bot_for, substitute_for
from cartino_server.table.time_control import TimeControl
from cartino_server.table.views import room_view
from tests.support.game_server import World
from tests.support.live_table import LiveTable
from tests.support.race import Add
from tests.support.race_room import a_room, filled, heard, move

HASTY = TimeControl("30s", "2m")
STAND_INS = ("steady", "cheat")


@pytest.fixture
def room(world: World) -> LiveTable:
    """Ann and bob in a game with clocks; ann is on turn."""
    return filled("ann", "bob", goal="9", patience=HASTY, stand_ins=STAND_INS, world=world)


def running(room: LiveTable) -> Match:
    """The match there."""
    match = room.table.running
    assert match is not None
    return match


def skip(world: World, room: LiveTable, seconds: float) -> None:
    """Time passes, and the table looks."""
    world.time += seconds
    room.look()


def test_a_person_s_turn_that_was_lost_is_the_stand_in_s(room: LiveTable, world: World) -> None:
    skip(world, room, 30)
    match = running(room)
    assert (bot_for(match, room.seating, 0), bot_for(match, room.seating, 1)) == ("steady", None)
    assert (
        substitute_for(match, room.seating, 0),
        substitute_for(match, room.seating, 1),
        match.timing.left(0, world.time),
    ) == (
        "steady",
        "",
        None,
    )
    refusal = move(room, "ann", Add(1))
    assert refusal is not None
    assert refusal.reason == "timed-out"
    assert room.act_for(0, room.number, encode(Add(1))) is None
    assert running(room).substituted == {0}
    assert [seat.substituted for seat in room_view(room.table, 1).seats] == [True, False]
    assert bot_for(running(room), room.seating, 0) is None
    assert "ann's time is up: a substitute bot plays this turn" in heard(room)


def test_whose_last_move_a_substitute_made_is_seen_until_they_move_themselves(
    room: LiveTable, world: World
) -> None:
    def replaced() -> list[bool]:
        return [seat.substituted for seat in room_view(room.table, None).seats]

    assert replaced() == [False, False]
    skip(world, room, 30)
    assert room.act_for(0, room.number, encode(Add(1))) is None
    assert replaced() == [True, False]
    assert move(room, "bob", Add(1)) is None
    assert replaced() == [True, False]
    assert move(room, "ann", Add(1)) is None
    assert replaced() == [False, False]


def test_who_comes_back_plays_again_and_the_record_says_both(world: World) -> None:
    room = filled(
        "ann", "bob", goal="9", patience=TimeControl("none", "2m"), stand_ins=STAND_INS, world=world
    )
    room.cut_off("bob")
    skip(world, room, 119)
    assert bot_for(running(room), room.seating, 1) is None
    skip(world, room, 1)
    assert bot_for(running(room), room.seating, 1) == "steady"
    assert room.join("bob", "bob") is None
    assert bot_for(running(room), room.seating, 1) is None
    record = running(room).export()
    assert b'{"type":"note","text":"bob is away: a substitute bot plays","seat":1}' in record
    assert b'{"type":"note","text":"bob plays again","seat":1}' in record


def test_a_bot_that_fails_is_replaced_by_the_next_and_at_last_by_the_first_move() -> None:
    room = a_room(2, "broken", goal="9", stand_ins=("broken", "steady"))
    assert room.join("ann", "ann") is None
    match = running(room)
    assert (bot_for(match, room.seating, 1), substitute_for(match, room.seating, 1)) == ("broken", "")
    room.replace_bot(1, "broken")
    assert (bot_for(match, room.seating, 1), substitute_for(match, room.seating, 1)) == ("steady", "steady")
    room.replace_bot(1, "broken")
    room.replace_bot(1, "steady")
    room.replace_bot(1, FIRST_MOVE)
    assert (bot_for(match, room.seating, 1), substitute_for(match, room.seating, 1)) == (
        FIRST_MOVE,
        "the first legal move",
    )
    said = [text for text in heard(room) if " failed: " in text]
    assert said == [
        "bot broken failed: steady takes over",
        "bot steady failed: the first legal move is played",
    ]


def test_while_it_is_paused_nobody_stands_in_and_bots_are_still_themselves() -> None:
    room = a_room(2, "steady", goal="9", stand_ins=STAND_INS)
    assert room.join("ann", "ann") is None
    assert room.vote("ann", True) is None
    match = running(room)
    assert match.timing.turn.paused
    assert [substitute_for(match, room.seating, seat) for seat in (0, 1)] == ["", ""]
    refusal = room.act_for(0, room.number, encode(Add(1)))
    assert refusal is not None
    assert refusal.reason == "paused"


def test_who_has_gone_has_no_vote(room: LiveTable) -> None:
    assert room.vote("bob", True) is None
    room.leave("bob")
    assert not running(room).timing.turn.paused
    room.join("bob", "bob")
    assert room.vote("ann", True) is None
    assert not running(room).timing.turn.paused


def test_nothing_is_noted_of_what_was_undone(room: LiveTable, world: World) -> None:
    value, before = room.table, running(room).export()
    skip(world, room, 30)
    assert running(room).export() != before
    room.table = value
    assert (running(room).export(), bot_for(running(room), room.seating, 0)) == (before, None)
    assert room.next_look() == 30.0
