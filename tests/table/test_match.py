"""A running game: who plays for whom, what it says about it, and its record."""

import pytest

from cartino_protocol.records import LineReader
from cartino_protocol.refusals import Refusal
from cartino_protocol.wire import encode
from cartino_server.table.match import FIRST_MOVE, Match, bot_for, deal, substitute_for
from cartino_server.table.seating import Chair, Order, Seating
from cartino_server.table.time_control import TimeControl
from tests.support.game_server import NOW, World
from tests.support.race import Add, Race
from tests.support.race_table import RaceTable, filled

HASTY = TimeControl("30s", "2m")
SUBSTITUTES = ("steady", "cheat")
OPTIONS = {"goal": "3", "turns": "one"}
SEATING = Seating((Chair("human", "ann", "ann", cut="cut"), Chair("bot", "steady", bot="steady")))


def a_match(number: int = 7) -> Match:
    return deal(
        Order(Race(), OPTIONS, 2, ("steady",), True), OPTIONS, SEATING, bytes(32), number, lambda: NOW, ()
    )


def act(match: Match, seat: int, number: int, points: int) -> Match | Refusal:
    return match.act(SEATING, World().ports(), seat, number, encode(Add(points)))


def over() -> Match:
    match = act(a_match(), 0, 7, 3)
    assert isinstance(match, Match)
    return match


def test_it_counts_from_the_number_it_is_given() -> None:
    match = a_match()
    assert act(match, 0, 6, 1) == Refusal("stale")
    moved = act(match, 0, 7, 1)
    assert isinstance(moved, Match)
    assert (match.number, moved.number, moved.first) == (7, 8, 7)
    assert act(moved, 0, 7, 1) == Refusal("stale")


def test_nothing_is_taken_after_the_end() -> None:
    assert act(over(), 1, 8, 3) == Refusal("not-playing")
    assert over().on_turn() == ()
    match = a_match().abandon(lambda: NOW)
    assert match.abandon(lambda: NOW) is match
    assert [line.__class__.__name__ for line in match.lines].count("EndLine") == 1
    assert match.result is not None
    assert match.result.reason == "abandoned"


def test_the_export_of_a_running_game_holds_no_secret_and_no_seed() -> None:
    text = a_match().export()
    assert b'"card":-1' in text
    assert bytes(32).hex().encode() not in text
    lines = [LineReader(Race.lines).read(line) for line in over().export().splitlines()]
    assert lines == list(over().lines)


@pytest.fixture
def table() -> RaceTable:
    """Ann and bob in a game with clocks; ann is on turn."""
    return filled("ann", "bob", goal="9", time_control=HASTY, substitutes=SUBSTITUTES)


def bots(table: RaceTable) -> list[str | None]:
    """Which bot plays for each seat; None for a person."""
    return [bot_for(table.running, table.seating, seat) for seat in (0, 1)]


def shown_bots(table: RaceTable) -> list[str]:
    return [substitute_for(table.running, table.seating, seat) for seat in (0, 1)]


def test_a_person_s_turn_that_was_lost_is_the_substitute_s_until_they_move(table: RaceTable) -> None:
    def substituted() -> list[bool]:
        return [seat.substituted for seat in table.seen().seats]

    before, record = table.table, table.running.export()
    table.play("30s, ann adds 1 -> timed-out")
    assert (bots(table), shown_bots(table), table.lefts()) == (["steady", None], ["steady", ""], [None, None])
    assert (substituted(), table.running.export() != record) == ([False, False], True)
    assert table.act_for(0, table.number, encode(Add(1))) is None
    assert (bots(table), substituted(), table.running.made) == ([None, None], [True, False], 0)
    assert "ann's time is up: a substitute bot plays this turn" in table.heard()
    table.play("bob adds 1")
    assert substituted() == [True, False]
    table.play("ann adds 1")
    assert (substituted(), table.running.made) == ([False, False], 2)
    table.table = before
    assert (table.running.export(), bots(table), table.next_look()) == (record, [None, None], 30.0)


def test_who_comes_back_plays_again_and_the_record_says_both() -> None:
    control = TimeControl("none", "2m")
    table = filled("ann", "bob", goal="9", time_control=control, substitutes=SUBSTITUTES)
    assert bots(table.play("bob vanishes, 119s")) == [None, None]
    assert bots(table.play("1s")) == [None, "steady"]
    assert bots(table.play("bob joins")) == [None, None]
    record = table.running.export()
    assert b'{"type":"note","text":"bob is away: a substitute bot plays","seat":1}' in record
    assert b'{"type":"note","text":"bob plays again","seat":1}' in record


def test_who_only_watches_misses_nobody() -> None:
    table = filled("ann", "bob", time_control=TimeControl("none", "30s"), substitutes=SUBSTITUTES)
    table.play("eve watches, ann leaves, bob leaves, 500s")
    assert (bots(table), table.next_look()) == ([None, None], None)


def test_a_bot_that_fails_is_replaced_by_the_next_and_at_last_by_the_first_move() -> None:
    table = RaceTable(2, "broken", goal="9", substitutes=("broken", "steady")).play("ann joins")
    assert (bots(table)[1], shown_bots(table)[1]) == ("broken", "")
    table.replace_bot(1, "broken")
    assert (bots(table)[1], shown_bots(table)[1]) == ("steady", "steady")
    for failed in ("broken", "steady", FIRST_MOVE):
        table.replace_bot(1, failed)
    assert (bots(table)[1], shown_bots(table)[1]) == (FIRST_MOVE, "the first legal move")
    assert [text for text in table.heard() if " failed: " in text] == [
        "bot broken failed: steady takes over",
        "bot steady failed: the first legal move is played",
    ]


def test_while_it_is_paused_nobody_stands_in_and_bots_are_still_themselves() -> None:
    table = RaceTable(2, "steady", goal="9", substitutes=SUBSTITUTES).play("ann joins, ann pauses")
    assert shown_bots(table) == ["", ""]
    assert table.act_for(0, table.number, encode(Add(1))) == Refusal("paused")
