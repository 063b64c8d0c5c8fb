"""The pure room: the promise before a deal, cuts, and the next game at the same table."""

import hashlib

import pytest

from cartino_protocol.records import GameLine
from cartino_protocol.refusals import Refusal
from cartino_server.table.views import room_view
from tests.support.game_server import NOW
from tests.support.race import Add
from tests.support.race_room import a_room, filled, finished, move, names, state


class TestShuffle:
    def test_the_promise_stands_before_the_deal_and_the_seed_follows_the_game(self) -> None:
        room = a_room(2)
        promised = room_view(room.table, None).commitment
        room.join("ann", "ann")
        room.join("bob", "bob")
        assert room_view(room.table, 0).seed == ""
        move(room, "ann", Add(3))
        shown = room_view(room.table, None)
        assert shown.commitment == promised == hashlib.sha256(bytes.fromhex(shown.seed)).hexdigest()

    def test_the_last_cut_before_the_deal_counts(self) -> None:
        room = a_room(3)
        room.join("ann", "ann")
        room.join("bob", "bob")
        assert room.cut("bob", "one") is None
        assert room.cut("bob", " two ") is None
        assert [seat.cut for seat in room_view(room.table, None).seats] == [False, True, False]
        room.start("ann")
        assert room.match is not None
        assert room.match.lines[0] == GameLine(
            1,
            "race",
            {"goal": "3", "turns": "one"},
            ("ann", "bob"),
            room.commitment,
            ("", "two"),
            NOW,
        )
        assert room.cut("ann", "late") == Refusal("not-open")

    def test_a_cut_changes_the_deal(self) -> None:
        cards = set()
        for text in ("", "mine"):
            room = a_room(2)
            room.join("ann", "ann")
            if text:
                room.cut("ann", text)
            room.join("bob", "bob")
            assert room.match is not None
            cards.add(room.match.state.cards)
        assert len(cards) == 2

    @pytest.mark.parametrize("text", ["", "   ", "a\nb", "\x1b[2J", "x" * 101, "\u200b\u202e"])
    def test_a_cut_that_can_not_be_printed_is_refused(self, text: str) -> None:
        room = a_room(2)
        room.join("ann", "ann")
        assert room.cut("ann", text) == Refusal("bad-text")

    def test_spectators_have_no_cut(self) -> None:
        room = a_room(2)
        room.watch("eve", "eve")
        assert room.cut("eve", "x") == Refusal("not-seated")


class TestRematch:
    def test_seats_turn_by_one_and_spectators_stay(self) -> None:
        room = finished("ann", "bob", "joe")
        room.watch("eve", "eve")
        number, promise = room.number, room.commitment
        for person in ("ann", "bob"):
            assert room.rematch(person) is None
        assert room_view(room.table, None).again == (0, 1)
        room.rematch("joe")
        assert names(room) == ["bob", "joe", "ann"]
        assert (state(room), room.spectators) == ("playing", ("eve",))
        assert room.number > number
        assert room.commitment != promise

    def test_bots_turn_along_and_are_not_asked(self) -> None:
        room = a_room(2, "steady")
        room.join("ann", "ann")
        move(room, "ann", Add(3))
        room.rematch("ann")
        assert names(room) == ["steady", "ann"]
        assert state(room) == "playing"

    def test_seats_of_the_absent_are_free_at_the_open_table(self) -> None:
        room = finished("ann", "bob", "joe")
        room.leave("bob")
        room.rematch("ann")
        assert state(room) == "finished"
        room.rematch("joe")
        assert (state(room), names(room)) == ("open", ["", "joe", "ann"])
        assert room.match is not None
        assert room.join("eve", "eve") is None
        assert state(room) == "playing"

    def test_the_last_who_does_not_want_may_go(self) -> None:
        room = finished("ann", "bob")
        room.rematch("ann")
        room.leave("bob")
        assert state(room) == "finished"
        room.agree()
        assert (state(room), names(room)) == ("open", ["", "ann"])
        assert room.seating.owner == 1

    def test_who_stands_up_after_the_game_stays_in_the_result(self) -> None:
        room = finished("ann", "bob")
        assert room.stand("bob") is None
        assert names(room) == ["ann", "bob"]
        assert room.spectators == ("bob",)
        assert room.rematch("bob") == Refusal("not-seated")

    def test_nobody_here_means_no_rematch(self) -> None:
        room = finished("ann", "bob")
        room.leave("ann")
        room.leave("bob")
        assert state(room) == "finished"

    def test_only_when_the_game_is_over(self) -> None:
        assert filled("ann", "bob").rematch("ann") == Refusal("not-finished")

    def test_cuts_are_of_one_game(self) -> None:
        room = a_room(2)
        room.join("ann", "ann")
        room.cut("ann", "x")
        room.join("bob", "bob")
        move(room, "ann", Add(3))
        room.rematch("ann")
        room.rematch("bob")
        assert room.match is not None
        opening = room.match.lines[0]
        assert isinstance(opening, GameLine)
        assert opening.cuts == ("", "")

    def test_the_rematch_is_promised_before_it_is_dealt_and_can_be_cut(self) -> None:
        room = finished("ann", "bob")
        shown = room_view(room.table, None)
        assert shown.next_commitment not in {"", shown.commitment}
        assert room.cut("bob", "again") is None
        room.rematch("ann")
        room.rematch("bob")
        assert room.match is not None
        opening = room.match.lines[0]
        assert isinstance(opening, GameLine)
        assert (opening.commitment, opening.cuts) == (shown.next_commitment, ("again", ""))
        assert room_view(room.table, None).next_commitment == ""
