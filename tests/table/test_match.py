"""A running game: who plays for whom, what it says about it, and who may stop it."""

import pytest

from cartino_protocol.wire import encode
from cartino_server.table.match import FIRST_MOVE, Match, bot_for, substitute_for
from cartino_server.table.time_control import TimeControl
from cartino_server.table.views import table_view
from tests.support.game_server import World
from tests.support.live_table import LiveTable
from tests.support.race import Add
from tests.support.race_table import a_room, filled, heard, move

HASTY = TimeControl("30s", "2m")
SUBSTITUTES = ("steady", "cheat")


@pytest.fixture
def table(world: World) -> LiveTable:
    """Ann and bob in a game with clocks; ann is on turn."""
    return filled("ann", "bob", goal="9", time_limit=HASTY, substitutes=SUBSTITUTES, world=world)


def running(table: LiveTable) -> Match:
    """The match there."""
    match = table.table.running
    assert match is not None
    return match


def skip(world: World, table: LiveTable, seconds: float) -> None:
    """Time passes, and the table looks."""
    world.time += seconds
    table.look()


def test_a_person_s_turn_that_was_lost_is_the_substitute_s(table: LiveTable, world: World) -> None:
    skip(world, table, 30)
    match = running(table)
    assert (bot_for(match, table.seating, 0), bot_for(match, table.seating, 1)) == ("steady", None)
    assert (
        substitute_for(match, table.seating, 0),
        substitute_for(match, table.seating, 1),
        match.timing.seconds_left(0, world.time),
    ) == (
        "steady",
        "",
        None,
    )
    refusal = move(table, "ann", Add(1))
    assert refusal is not None
    assert refusal.reason == "timed-out"
    assert table.act_for(0, table.number, encode(Add(1))) is None
    assert running(table).substituted == {0}
    assert [seat.substituted for seat in table_view(table.table, 1).seats] == [True, False]
    assert bot_for(running(table), table.seating, 0) is None
    assert "ann's time is up: a substitute bot plays this turn" in heard(table)


def test_whose_last_move_a_substitute_made_is_seen_until_they_move_themselves(
    table: LiveTable, world: World
) -> None:
    def replaced() -> list[bool]:
        return [seat.substituted for seat in table_view(table.table, None).seats]

    assert replaced() == [False, False]
    skip(world, table, 30)
    assert table.act_for(0, table.number, encode(Add(1))) is None
    assert replaced() == [True, False]
    assert move(table, "bob", Add(1)) is None
    assert replaced() == [True, False]
    assert move(table, "ann", Add(1)) is None
    assert replaced() == [False, False]


def test_who_comes_back_plays_again_and_the_record_says_both(world: World) -> None:
    table = filled(
        "ann", "bob", goal="9", time_limit=TimeControl("none", "2m"), substitutes=SUBSTITUTES, world=world
    )
    table.cut_off("bob")
    skip(world, table, 119)
    assert bot_for(running(table), table.seating, 1) is None
    skip(world, table, 1)
    assert bot_for(running(table), table.seating, 1) == "steady"
    assert table.join("bob", "bob") is None
    assert bot_for(running(table), table.seating, 1) is None
    record = running(table).export()
    assert b'{"type":"note","text":"bob is away: a substitute bot plays","seat":1}' in record
    assert b'{"type":"note","text":"bob plays again","seat":1}' in record


def test_a_bot_that_fails_is_replaced_by_the_next_and_at_last_by_the_first_move() -> None:
    table = a_room(2, "broken", goal="9", substitutes=("broken", "steady"))
    assert table.join("ann", "ann") is None
    match = running(table)
    assert (bot_for(match, table.seating, 1), substitute_for(match, table.seating, 1)) == ("broken", "")
    table.replace_bot(1, "broken")
    assert (bot_for(match, table.seating, 1), substitute_for(match, table.seating, 1)) == ("steady", "steady")
    table.replace_bot(1, "broken")
    table.replace_bot(1, "steady")
    table.replace_bot(1, FIRST_MOVE)
    assert (bot_for(match, table.seating, 1), substitute_for(match, table.seating, 1)) == (
        FIRST_MOVE,
        "the first legal move",
    )
    said = [text for text in heard(table) if " failed: " in text]
    assert said == [
        "bot broken failed: steady takes over",
        "bot steady failed: the first legal move is played",
    ]


def test_while_it_is_paused_nobody_stands_in_and_bots_are_still_themselves() -> None:
    table = a_room(2, "steady", goal="9", substitutes=SUBSTITUTES)
    assert table.join("ann", "ann") is None
    assert table.vote("ann", True) is None
    match = running(table)
    assert match.timing.turn.paused
    assert [substitute_for(match, table.seating, seat) for seat in (0, 1)] == ["", ""]
    refusal = table.act_for(0, table.number, encode(Add(1)))
    assert refusal is not None
    assert refusal.reason == "paused"


def test_who_has_gone_has_no_vote(table: LiveTable) -> None:
    assert table.vote("bob", True) is None
    table.leave("bob")
    assert not running(table).timing.turn.paused
    table.join("bob", "bob")
    assert table.vote("ann", True) is None
    assert not running(table).timing.turn.paused


def test_nothing_is_noted_of_what_was_undone(table: LiveTable, world: World) -> None:
    value, before = table.table, running(table).export()
    skip(world, table, 30)
    assert running(table).export() != before
    table.table = value
    assert (running(table).export(), bot_for(running(table), table.seating, 0)) == (before, None)
    assert table.next_look() == 30.0
