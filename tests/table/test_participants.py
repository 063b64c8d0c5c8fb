"""What people do at a table: they come and go, sit, stand, talk, start, and lead a review."""

import subprocess
import sys
from typing import get_args

import pytest

from cartino_protocol.commands import Act, Cut, Lead, Pause, Rematch, Say, Sit, Stand, Start, TableCommand
from cartino_protocol.notices import News
from cartino_protocol.refusals import Refusal, RefusalReason
from cartino_protocol.views import LedReview
from cartino_protocol.wire import encode_raw
from tests.support.race import Add
from tests.support.race_table import RaceTable, filled, finished

MOVE = Act(1, encode_raw(Add(1)))
OPEN: list[tuple[TableCommand, RefusalReason | None]] = [
    (Say("hello"), None),
    (Say("\n"), "bad-text"),
    (Cut("here"), None),
    (Sit(2), "seated"),
    (Stand(), None),
    (Start(), "too-few"),
    (MOVE, "not-playing"),
    (Pause(True), "not-playing"),
    (Rematch(), "not-finished"),
    (Lead(1), "not-finished"),
]


def test_it_is_loaded_without_a_loop() -> None:
    code = "import sys, cartino_server.table.participants; print('asyncio' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize(("command", "reason"), OPEN)
def test_a_command_at_an_open_table(command: TableCommand, reason: RefusalReason | None) -> None:
    refusal = RaceTable(3).play("ann joins").answer("ann", command)
    assert (None if refusal is None else refusal.reason) == reason


def test_each_command_does_its_own_thing() -> None:
    assert {type(command) for command, _ in OPEN} == set(get_args(TableCommand))
    table, over = RaceTable(3, goal="9").play("ann joins, bob joins"), finished("ann", "bob")
    said: list[TableCommand] = [Stand(), Sit(2), Cut("here"), Say("hello")]
    assert [table.answer("bob", command) for command in said] == [None] * 4
    assert (table.names(), table.seating.chairs[2].cut) == (["ann", "", "bob"], "here")
    assert table.heard()[-1] == "hello"
    said = [Start(), MOVE, Pause(True)]
    assert [table.answer("ann", command) for command in said] == [None] * 3
    assert (table.number, table.seen().votes) == (2, (0,))
    assert over.answer("bob", Lead(1)) is None
    assert over.answer("bob", Rematch()) is None
    assert (over.led, over.seen().again) == (("bob", 1), (1,))


class TestSeats:
    def test_the_game_starts_by_itself_when_the_last_seat_is_taken(self) -> None:
        table = RaceTable(3, "steady").play("ann joins")
        assert table.state == "open"
        table.play("bob joins, eve joins -> full")
        assert (table.state, table.names()) == ("playing", ["ann", "bob", "steady"])
        assert "eve" not in table.attendance.present
        table.play("eve watches, eve sits 0 -> not-open, ann stands -> not-open")
        assert table.spectators == ("eve",)

    def test_sit_takes_the_free_seat_that_was_asked_for_and_stand_gives_it_back(self) -> None:
        table = RaceTable(4).play("ann joins, eve watches")
        table.play(", ".join(f"eve sits {seat} -> seat-taken" for seat in (0, 4, 15)))
        assert table.play("eve sits 2").names() == ["ann", "", "eve", ""]
        assert table.play("eve stands").names() == ["ann", "", "", ""]
        assert table.play("eve stands -> not-seated, ann leaves").names() == [""] * 4
        assert table.attendance.present == {"eve": "eve"}

    @pytest.mark.parametrize("comes", ["joins", "watches"])
    def test_a_seat_in_a_running_game_stays_its_owner_s(self, comes: str) -> None:
        table = filled("ann", "bob").play("ann leaves")
        version = table.version
        assert table.play("ann leaves").version == version, "leaving twice is leaving once"
        assert [seat.here for seat in table.seen(1).seats] == [False, True]
        table.play(f"ann {comes}, ann {comes}")
        assert (table.seen(0).seats[0].here, table.spectators) == (True, ())
        assert table.heard()[-2:] == ["ann left", "ann is back"]

    def test_a_new_name_shows_on_the_seat(self) -> None:
        table = RaceTable().play("ann joins")
        table.rename("ann", "anna")
        assert (table.names(), table.attendance.present) == (["anna", ""], {"ann": "anna"})
        assert table.heard()[-1] == "ann is now anna"


class TestStart:
    def test_the_owner_starts_with_who_is_there_and_empty_seats_vanish(self) -> None:
        table = RaceTable(4).play("ann joins, ann starts -> too-few, bob watches, bob sits 3")
        table.play("bob starts -> not-owner, ann starts, ann starts -> not-open")
        assert table.names() == ["ann", "bob"]
        assert RaceTable(3, "steady").play("ann joins, ann starts").names() == ["ann", "steady"]

    @pytest.mark.parametrize("goes", ["leaves", "stands"])
    def test_the_next_seated_human_owns_the_table_when_its_owner_goes(self, goes: str) -> None:
        table = RaceTable(4, "steady").play("ann joins, bob joins")
        events = ("ann says hi", f"ann {goes}", f"bob {goes}", "eve joins")
        assert [table.play(event).seating.owner for event in events] == [0, 1, None, 0]


class TestChat:
    def test_players_do_not_hear_spectators_before_the_game_is_over(self) -> None:
        table = RaceTable().play("eve watches, eve says anyone?")
        assert table.heard()[-1] == "anyone?"
        before = table.play("ann joins, bob joins").chat_view(False)
        assert table.play("eve says secret").chat_view(False) == before
        assert table.heard(spectator=True)[-1] == "secret"
        assert (table.chat_view(True).channel, table.chat_view(False).channel) == ("watchers", "table")
        assert table.play("ann says hello").heard(spectator=True)[-1] == "hello"
        assert "secret" in table.play("ann adds 3").heard()
        assert table.play("eve says aloud").heard()[-1] == "aloud"
        assert table.play("ann agrees, bob agrees").state == "playing"
        assert "secret" in table.heard()

    def test_what_can_not_be_shown_or_is_too_long_is_refused(self) -> None:
        table = filled("ann", "bob")
        version = table.chat_version
        for text in ("", " ", "a\x07b", "two\nlines", "\u202e", "x" * 301 + "\x07"):
            assert table.say("ann", text) == Refusal("bad-text")
        assert table.say("ann", "x" * 301) == Refusal("long-text", "300")
        assert table.say("ann", "\ufb2c" * 6, 5) == Refusal("long-text", "5")
        assert table.chat_version == version
        assert table.say("ann", "x" * 300) is None


class TestLead:
    def test_everybody_sees_the_step_of_the_last_who_led(self) -> None:
        table = finished("ann", "bob").play("eve watches, eve leads 2 -> not-seated, ann leads 3")
        assert [table.seen(who).led for who in (None, 1)] == [LedReview(0, 3)] * 2
        assert table.chat.notices[-1].news == News("leads", "ann")
        notices = len(table.chat.notices)
        assert table.play("ann leads 5").seen().led == LedReview(0, 5)
        assert len(table.chat.notices) == notices
        assert table.play("bob leads 1, ann leads").seen().led == LedReview(1, 1), "she led no longer"
        assert table.play("bob leads").seen().led is None

    def test_who_leaves_leads_no_longer_and_a_rematch_ends_the_review(self) -> None:
        table = finished("ann", "bob").play("ann leads 3, ann leaves")
        assert table.seen().led is None
        table.play("ann joins, ann leads 3, ann agrees, bob agrees")
        assert (table.state, table.seen().led) == ("playing", None)
