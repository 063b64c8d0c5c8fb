"""The games at one table, one after the other: deal, moves, pauses, the end, and the rematch."""

import hashlib

import pytest

from cartino_protocol.commands import Create, Leave, Pause
from cartino_protocol.records import EndLine, GameLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left, TableView
from cartino_protocol.wire import encode
from cartino_server.server import Server
from tests.support.game_server import NOW, at_a_table
from tests.support.race import Add, Boom, Call
from tests.support.race_table import RaceTable, filled, finished


def hash_of(seed: str) -> str:
    """What promises that seed (hex)."""
    return hashlib.sha256(bytes.fromhex(seed)).hexdigest()


class TestDeal:
    def test_the_seed_is_promised_before_it_and_shown_after_the_end(self) -> None:
        table = RaceTable(2)
        promise = table.seen().commitment
        assert (table.seed, table.next_commitment) == ("", "")
        for person in ("ann", "bob"):
            assert table.join(person, person) is None
        assert (table.commitment, table.seen(0).seed) == (promise, "")
        before = table.table
        assert table.move("ann", Add(3)) is None
        assert hash_of(table.seen().seed) == table.seen().commitment == promise
        assert table.next_commitment not in {"", promise}
        table.table = before
        assert (table.state, table.seed, table.next_commitment, table.commitment) == (
            *("playing", "", ""),
            promise,
        )
        assert b'"seed"' not in table.match.export(), "an end that was undone shows no seed"

    def test_the_last_cut_before_it_counts(self) -> None:
        table = RaceTable(3)
        for person in ("ann", "bob"):
            table.join(person, person)
        assert table.cut("bob", "one") is None
        assert table.cut("bob", " two ") is None
        assert [seat.cut for seat in table.seen().seats] == [False, True, False]
        table.start("ann")
        options, cuts = {"goal": "3", "turns": "one"}, ("", "two")
        assert table.match.lines[0] == GameLine(
            1, "race", options, ("ann", "bob"), table.commitment, cuts, NOW
        )
        assert table.cut("ann", "late") == Refusal("not-open")

    def test_a_cut_changes_it(self) -> None:
        cards = set()
        for text in ("", "mine"):
            table = RaceTable(2)
            table.join("ann", "ann")
            if text:
                table.cut("ann", text)
            table.join("bob", "bob")
            cards.add(table.match.state.cards)
        assert len(cards) == 2

    @pytest.mark.parametrize("text", ["", "   ", "a\nb", "\x1b[2J", "x" * 101, "\u200b\u202e"])
    def test_a_cut_that_can_not_be_printed_is_refused(self, text: str) -> None:
        table = RaceTable(2)
        table.join("ann", "ann")
        assert table.cut("ann", text) == Refusal("bad-text")

    def test_a_game_may_be_over_at_it(self) -> None:
        assert filled("ann", "bob", goal="0").state == "finished"


class TestMoves:
    def test_a_move_raises_the_number(self) -> None:
        table = filled("ann", "bob")
        before = table.number
        assert table.move("ann", Add(1)) is None
        assert (table.number, table.seen().turn) == (before + 1, (1,))

    def test_every_refusal_changes_nothing(self) -> None:
        table = filled("ann", "bob")
        table.watch("eve", "eve")
        before = table.number, table.version, table.seen()
        assert [
            table.move("ann", Add(1), number=table.number - 1),
            table.move("eve", Add(1)),
            table.act("ann", table.number, b"\xc1"),
            table.act("ann", table.number, encode(Refusal("busy"))),
            table.move("bob", Add(1)),
            table.move("ann", Add(50)),
        ] == [
            Refusal("stale"),
            Refusal("not-seated"),
            Refusal("malformed"),
            Refusal("malformed"),
            Refusal("not-your-turn"),
            Refusal("illegal", "too-far"),
        ]
        assert (table.number, table.version, table.seen()) == before

    def test_none_before_the_deal_or_after_the_end(self) -> None:
        table = RaceTable(2)
        table.join("ann", "ann")
        assert table.move("ann", Add(1)) == Refusal("not-playing")
        assert finished("ann", "bob").move("ann", Add(1)) == Refusal("not-playing")

    def test_several_seats_may_be_on_turn_and_others_do_what_the_game_lets_them(self) -> None:
        table = filled("ann", "bob", "eve", turns="all")
        assert table.seen().turn == (0, 1, 2)
        for person in ("eve", "ann"):
            assert table.move(person, Add(1)) is None
        assert filled("ann", "bob").move("bob", Call()) is None

    def test_what_the_engine_raises_comes_through(self) -> None:
        with pytest.raises(RuntimeError, match="the engine broke"):
            filled("ann", "bob").move("ann", Boom())

    def test_the_record_ends_with_the_seed(self) -> None:
        table = finished("ann", "bob")
        assert table.match.lines[-1] == EndLine((3, 0), (0,), "points", table.seed, NOW)

    def test_a_closed_table_s_game_is_abandoned(self) -> None:
        table = filled("ann", "bob")
        table.move("ann", Add(2))
        table.abandon()
        end = table.match.lines[-1]
        assert (end.totals, end.winners, end.reason) == ((2, 0), (), "abandoned")
        assert table.state == "finished"


class TestPause:
    def test_it_takes_all_players_who_are_there(self) -> None:
        table = filled("ann", "bob")
        table.watch("eve", "eve")
        assert table.vote("eve", True) == Refusal("not-seated")
        assert table.vote("ann", True) is None
        assert (table.seen().votes, table.is_paused) == ((0,), False)
        assert table.move("ann", Add(1)) is None, "one wish does nothing"
        assert table.vote("ann", False) is None
        assert table.vote("bob", True) is None
        assert (table.seen().votes, table.is_paused) == ((1,), False)
        assert table.vote("ann", True) is None
        assert (table.seen().votes, table.is_paused) == ((), True)
        assert table.move("bob", Add(1)) == Refusal("paused")
        assert table.vote("ann", False) is None
        assert table.is_paused
        assert table.vote("bob", False) is None
        assert table.move("bob", Add(1)) is None

    def test_who_has_left_has_no_vote(self) -> None:
        table = filled("ann", "bob")
        assert table.vote("bob", True) is None
        table.leave("bob")
        table.join("bob", "bob")
        assert table.vote("ann", True) is None
        assert not table.is_paused

    async def test_who_leaves_leaves_it_to_those_who_stay(self, server: Server) -> None:
        ann, bob = await at_a_table(server, "ann", "bob", create=Create("race", {"goal": "9"}))
        await ann.ask(Pause(True), TableView, lambda view: view.votes == (0,))
        await bob.ask(Leave(), Left)
        assert (await ann.wait(TableView, lambda view: view.paused)).votes == ()


class TestRematch:
    def test_seats_turn_by_one_and_spectators_stay(self) -> None:
        table = finished("ann", "bob", "joe")
        table.watch("eve", "eve")
        number, promise = table.number, table.next_commitment
        for person in ("ann", "bob"):
            assert table.rematch(person) is None
        assert table.seen().again == (0, 1)
        table.rematch("joe")
        assert table.names() == ["bob", "joe", "ann"]
        assert (table.state, table.round, table.spectators) == ("playing", 1, ("eve",))
        assert (table.number, table.commitment) == (number + 1, promise)

    def test_bots_turn_along_and_are_not_asked(self) -> None:
        table = RaceTable(2, "steady")
        table.join("ann", "ann")
        table.move("ann", Add(3))
        table.rematch("ann")
        assert (table.names(), table.state) == (["steady", "ann"], "playing")

    def test_seats_of_the_absent_are_free_at_the_open_table(self) -> None:
        table = finished("ann", "bob", "joe")
        table.leave("bob")
        table.rematch("ann")
        assert table.state == "finished"
        table.rematch("joe")
        assert (table.state, table.round, table.running) == ("open", 1, None)
        assert (table.names(), table.seating.owner) == (["", "joe", "ann"], 2)
        assert table.match is not None
        assert table.join("eve", "eve") is None
        assert table.state == "playing"

    def test_the_last_who_does_not_want_may_go(self) -> None:
        table = finished("ann", "bob")
        table.rematch("ann")
        table.leave("bob")
        assert table.state == "finished"
        table.agree()
        assert (table.state, table.names()) == ("open", ["", "ann"])
        table = finished("ann", "bob")
        for person in ("ann", "bob"):
            table.leave(person)
        table.agree()
        assert table.state == "finished", "nobody is here"

    def test_who_stands_up_after_the_game_stays_in_the_result(self) -> None:
        table = finished("ann", "bob")
        assert table.stand("bob") is None
        assert (table.names(), table.spectators) == (["ann", "bob"], ("bob",))
        assert table.rematch("bob") == Refusal("not-seated")

    def test_it_is_promised_before_it_is_dealt_and_can_be_cut(self) -> None:
        table = RaceTable(2)
        table.join("ann", "ann")
        table.cut("ann", "x")
        table.join("bob", "bob")
        table.move("ann", Add(3))
        promise = table.seen().next_commitment
        assert table.cut("bob", "again") is None
        for person in ("ann", "bob"):
            table.rematch(person)
        opening = table.match.lines[0]
        assert (opening.commitment, opening.cuts) == (promise, ("again", "")), "the first cut was used"
        assert table.seen().next_commitment == ""
        assert table.move("bob", Add(3)) is None
        assert hash_of(table.seed) == promise

    def test_one_that_is_undone_leaves_the_game_before_as_it_was(self) -> None:
        table = finished("ann", "bob")
        before, game, record = table.table, table.match, table.match.export()
        for person in ("ann", "bob"):
            table.rematch(person)
        assert table.move("bob", Add(1)) is None
        table.table = before
        assert table.match is game
        assert table.match.export() == record
        assert (table.state, table.round, table.names()) == ("finished", 0, ["ann", "bob"])
