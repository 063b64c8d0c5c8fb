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


class TestCommands:
    @pytest.mark.parametrize(("command", "reason"), OPEN)
    def test_at_an_open_table(self, command: TableCommand, reason: RefusalReason | None) -> None:
        table = RaceTable(3)
        assert table.join("ann", "ann") is None
        refusal = table.answer("ann", command)
        assert (None if refusal is None else refusal.reason) == reason

    def test_each_does_its_own_thing(self) -> None:
        table = RaceTable(3, goal="9")
        for name in ("ann", "bob"):
            assert table.join(name, name) is None
        said: list[TableCommand] = [Stand(), Sit(2), Cut("here"), Say("hello")]
        for command in said:
            assert table.answer("bob", command) is None
        assert table.names() == ["ann", "", "bob"]
        assert (table.seating.chairs[2].cut, table.heard()[-1]) == ("here", "hello")
        assert table.answer("ann", Start()) is None
        assert table.answer("ann", MOVE) is None
        assert table.number == 2
        for name in ("ann", "bob"):
            assert table.answer(name, Pause(True)) is None
        assert table.is_paused
        table = finished("ann", "bob")
        assert table.answer("bob", Lead(1)) is None
        assert table.led == ("bob", 1)
        for name in ("ann", "bob"):
            assert table.answer(name, Rematch()) is None
        assert table.round == 1

    def test_these_are_all_of_them(self) -> None:
        assert {type(command) for command, _ in OPEN} == set(get_args(TableCommand))


class TestSeats:
    def test_the_game_starts_by_itself_when_the_last_seat_is_taken(self) -> None:
        table = RaceTable(3, "steady")
        table.join("a", "ann")
        assert table.state == "open"
        table.join("b", "bob")
        assert (table.state, table.names()) == ("playing", ["ann", "bob", "steady"])

    def test_a_full_table_refuses_a_player_and_takes_a_spectator(self) -> None:
        table = filled("ann", "bob")
        assert table.join("eve", "eve") == Refusal("full")
        assert "eve" not in table.attendance.present
        assert table.watch("eve", "eve") is None
        assert table.spectators == ("eve",)
        assert table.sit("eve", 0) == table.stand("ann") == Refusal("not-open")

    def test_sit_takes_the_free_seat_that_was_asked_for_and_stand_gives_it_back(self) -> None:
        table = RaceTable(4)
        table.join("ann", "ann")
        table.watch("eve", "eve")
        for seat in (0, 4, 15):
            assert table.sit("eve", seat) == Refusal("seat-taken")
        assert table.sit("eve", 2) is None
        assert table.names() == ["ann", "", "eve", ""]
        assert table.stand("eve") is None
        assert (table.names(), table.spectators) == (["ann", "", "", ""], ("eve",))
        assert table.stand("eve") == Refusal("not-seated")

    def test_leaving_an_open_table_frees_the_seat(self) -> None:
        table = RaceTable(3)
        table.join("ann", "ann")
        table.leave("ann")
        assert (table.seating.count_taken_seats(), table.attendance.present) == (0, {})

    @pytest.mark.parametrize("come", ["join", "watch"])
    def test_a_seat_in_a_running_game_stays_its_owner_s(self, come: str) -> None:
        table = filled("ann", "bob")
        table.leave("ann")
        version = table.version
        table.leave("ann")
        assert table.version == version, "leaving twice is leaving once"
        assert [seat.here for seat in table.seen(1).seats] == [False, True]
        assert getattr(table, come)("ann", "ann") is None
        assert (table.seen(0).seats[0].here, table.spectators) == (True, ())
        assert table.heard()[-2:] == ["ann left", "ann is back"]

    def test_a_new_name_shows_on_the_seat(self) -> None:
        table = RaceTable(2)
        table.join("ann", "ann")
        table.rename("ann", "anna")
        assert (table.names(), table.attendance.present) == (["anna", ""], {"ann": "anna"})
        assert table.heard()[-1] == "ann is now anna"


class TestStart:
    def test_the_owner_starts_with_who_is_there_and_empty_seats_vanish(self) -> None:
        table = RaceTable(4)
        table.join("ann", "ann")
        assert table.start("ann") == Refusal("too-few", "2")
        table.watch("bob", "bob")
        table.sit("bob", 3)
        assert table.start("bob") == Refusal("not-owner")
        assert table.start("ann") is None
        assert table.names() == ["ann", "bob"]
        assert table.start("ann") == Refusal("not-open")

    def test_a_bot_counts(self) -> None:
        table = RaceTable(3, "steady")
        table.join("ann", "ann")
        assert table.start("ann") is None
        assert table.names() == ["ann", "steady"]

    @pytest.mark.parametrize("going", ["leave", "stand"])
    def test_the_next_seated_human_owns_the_table_when_its_owner_goes(self, going: str) -> None:
        table = RaceTable(4, "steady")
        for person in ("ann", "bob"):
            table.join(person, person)
        owners = [table.seating.owner]
        for person in ("ann", "bob"):
            getattr(table, going)(person)
            owners.append(table.seating.owner)
        table.join("eve", "eve")
        assert [*owners, table.seating.owner] == [0, 1, None, 0]


class TestChat:
    def test_players_do_not_hear_spectators_before_the_game_is_over(self) -> None:
        table = RaceTable(2)
        table.watch("eve", "eve")
        table.say("eve", "anyone?")
        assert table.heard()[-1] == "anyone?"
        for person in ("ann", "bob"):
            table.join(person, person)
        before = table.chat_view(False)
        assert table.say("eve", "ann holds the ace") is None
        assert table.chat_view(False) == before
        assert table.heard(spectator=True)[-1] == "ann holds the ace"
        assert (table.chat_view(True).channel, table.chat_view(False).channel) == ("watchers", "table")
        table.say("ann", "hello")
        assert table.heard(spectator=True)[-1] == "hello"
        table.move("ann", Add(3))
        assert "ann holds the ace" in table.heard()
        table.say("eve", "aloud")
        assert table.heard()[-1] == "aloud"
        for person in ("ann", "bob"):
            table.rematch(person)
        assert table.state == "playing"
        assert "ann holds the ace" in table.heard()

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
        table = finished("ann", "bob")
        table.watch("eve", "eve")
        assert table.lead("eve", 2) == Refusal("not-seated")
        assert table.lead("ann", 3) is None
        assert [table.seen(who).led for who in (None, 1)] == [LedReview(0, 3)] * 2
        assert table.chat.notices[-1].news == News("leads", "ann")
        notices = len(table.chat.notices)
        table.lead("ann", 5)
        assert (table.seen().led, len(table.chat.notices)) == (LedReview(0, 5), notices)
        table.lead("bob", 1)
        table.lead("ann", None)
        assert table.seen().led == LedReview(1, 1), "who no longer leads ends nothing"
        table.lead("bob", None)
        assert table.seen().led is None

    def test_who_leaves_leads_no_longer_and_a_rematch_ends_the_review(self) -> None:
        table = finished("ann", "bob")
        table.lead("ann", 3)
        table.leave("ann")
        assert table.seen().led is None
        table.join("ann", "ann")
        table.lead("ann", 3)
        for person in ("ann", "bob"):
            table.rematch(person)
        assert (table.state, table.seen().led) == ("playing", None)
