"""The pure table: the promise before a deal, cuts, and the next game at the same table."""

import hashlib

import pytest

from cartino_protocol.records import GameLine
from cartino_protocol.refusals import Refusal
from cartino_server.table.views import table_view
from tests.support.game_server import NOW
from tests.support.race import Add
from tests.support.race_table import a_room, filled, finished, move, names, state


class TestShuffle:
    def test_the_promise_stands_before_the_deal_and_the_seed_follows_the_game(self) -> None:
        table = a_room(2)
        promised = table_view(table.table, None).commitment
        table.join("ann", "ann")
        table.join("bob", "bob")
        assert table_view(table.table, 0).seed == ""
        move(table, "ann", Add(3))
        shown = table_view(table.table, None)
        assert shown.commitment == promised == hashlib.sha256(bytes.fromhex(shown.seed)).hexdigest()

    def test_the_last_cut_before_the_deal_counts(self) -> None:
        table = a_room(3)
        table.join("ann", "ann")
        table.join("bob", "bob")
        assert table.cut("bob", "one") is None
        assert table.cut("bob", " two ") is None
        assert [seat.cut for seat in table_view(table.table, None).seats] == [False, True, False]
        table.start("ann")
        assert table.match is not None
        assert table.match.lines[0] == GameLine(
            1,
            "race",
            {"goal": "3", "turns": "one"},
            ("ann", "bob"),
            table.commitment,
            ("", "two"),
            NOW,
        )
        assert table.cut("ann", "late") == Refusal("not-open")

    def test_a_cut_changes_the_deal(self) -> None:
        cards = set()
        for text in ("", "mine"):
            table = a_room(2)
            table.join("ann", "ann")
            if text:
                table.cut("ann", text)
            table.join("bob", "bob")
            assert table.match is not None
            cards.add(table.match.state.cards)
        assert len(cards) == 2

    @pytest.mark.parametrize("text", ["", "   ", "a\nb", "\x1b[2J", "x" * 101, "\u200b\u202e"])
    def test_a_cut_that_can_not_be_printed_is_refused(self, text: str) -> None:
        table = a_room(2)
        table.join("ann", "ann")
        assert table.cut("ann", text) == Refusal("bad-text")

    def test_spectators_have_no_cut(self) -> None:
        table = a_room(2)
        table.watch("eve", "eve")
        assert table.cut("eve", "x") == Refusal("not-seated")


class TestRematch:
    def test_seats_turn_by_one_and_spectators_stay(self) -> None:
        table = finished("ann", "bob", "joe")
        table.watch("eve", "eve")
        number, promise = table.number, table.commitment
        for person in ("ann", "bob"):
            assert table.rematch(person) is None
        assert table_view(table.table, None).again == (0, 1)
        table.rematch("joe")
        assert names(table) == ["bob", "joe", "ann"]
        assert (state(table), table.spectators) == ("playing", ("eve",))
        assert table.number > number
        assert table.commitment != promise

    def test_bots_turn_along_and_are_not_asked(self) -> None:
        table = a_room(2, "steady")
        table.join("ann", "ann")
        move(table, "ann", Add(3))
        table.rematch("ann")
        assert names(table) == ["steady", "ann"]
        assert state(table) == "playing"

    def test_seats_of_the_absent_are_free_at_the_open_table(self) -> None:
        table = finished("ann", "bob", "joe")
        table.leave("bob")
        table.rematch("ann")
        assert state(table) == "finished"
        table.rematch("joe")
        assert (state(table), names(table)) == ("open", ["", "joe", "ann"])
        assert table.match is not None
        assert table.join("eve", "eve") is None
        assert state(table) == "playing"

    def test_the_last_who_does_not_want_may_go(self) -> None:
        table = finished("ann", "bob")
        table.rematch("ann")
        table.leave("bob")
        assert state(table) == "finished"
        table.agree()
        assert (state(table), names(table)) == ("open", ["", "ann"])
        assert table.seating.owner == 1

    def test_who_stands_up_after_the_game_stays_in_the_result(self) -> None:
        table = finished("ann", "bob")
        assert table.stand("bob") is None
        assert names(table) == ["ann", "bob"]
        assert table.spectators == ("bob",)
        assert table.rematch("bob") == Refusal("not-seated")

    def test_nobody_here_means_no_rematch(self) -> None:
        table = finished("ann", "bob")
        table.leave("ann")
        table.leave("bob")
        assert state(table) == "finished"

    def test_only_when_the_game_is_over(self) -> None:
        assert filled("ann", "bob").rematch("ann") == Refusal("not-finished")

    def test_cuts_are_of_one_game(self) -> None:
        table = a_room(2)
        table.join("ann", "ann")
        table.cut("ann", "x")
        table.join("bob", "bob")
        move(table, "ann", Add(3))
        table.rematch("ann")
        table.rematch("bob")
        assert table.match is not None
        opening = table.match.lines[0]
        assert isinstance(opening, GameLine)
        assert opening.cuts == ("", "")

    def test_the_rematch_is_promised_before_it_is_dealt_and_can_be_cut(self) -> None:
        table = finished("ann", "bob")
        shown = table_view(table.table, None)
        assert shown.next_commitment not in {"", shown.commitment}
        assert table.cut("bob", "again") is None
        table.rematch("ann")
        table.rematch("bob")
        assert table.match is not None
        opening = table.match.lines[0]
        assert isinstance(opening, GameLine)
        assert (opening.commitment, opening.cuts) == (shown.next_commitment, ("again", ""))
        assert table_view(table.table, None).next_commitment == ""
