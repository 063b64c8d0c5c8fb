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
from tests.support.race import Add, Boom
from tests.support.race_table import RaceTable, filled, finished


def hash_of(seed: str) -> str:
    """What promises that seed (hex)."""
    return hashlib.sha256(bytes.fromhex(seed)).hexdigest()


def test_the_seed_is_promised_before_the_deal_and_shown_after_the_end() -> None:
    table = RaceTable(2)
    promise = table.seen().commitment
    assert (table.seed, table.next_commitment) == ("", "")
    table.play("ann joins, bob joins")
    assert (table.commitment, table.seen(0).seed) == (promise, "")
    before = table.table
    table.play("ann adds 3")
    assert hash_of(table.seen().seed) == table.seen().commitment == promise
    assert table.next_commitment not in {"", promise}
    assert table.match.lines[-1] == EndLine((3, 0), (0,), "points", table.seed, NOW)
    table.table = before
    assert (table.state, table.seed, table.next_commitment, table.commitment) == ("playing", "", "", promise)
    assert b'"seed"' not in table.match.export(), "an end that was undone shows no seed"


def test_the_last_cut_before_the_deal_counts() -> None:
    table = RaceTable(3).play("ann joins, bob joins, bob cuts one, bob cuts  two ")
    assert [seat.cut for seat in table.seen().seats] == [False, True, False]
    table.play("ann starts, ann cuts late -> not-open")
    options, cuts = {"goal": "3", "turns": "one"}, ("", "two")
    assert table.match.lines[0] == GameLine(1, "race", options, ("ann", "bob"), table.commitment, cuts, NOW)


def test_a_cut_changes_the_deal() -> None:
    tables = [RaceTable().play(f"ann joins{cut}, bob joins") for cut in ("", ", ann cuts mine")]
    assert tables[0].match.state.cards != tables[1].match.state.cards


@pytest.mark.parametrize("text", ["", "   ", "a\nb", "\x1b[2J", "x" * 101, "\u200b\u202e"])
def test_a_cut_that_can_not_be_printed_is_refused(text: str) -> None:
    assert RaceTable().play("ann joins").cut("ann", text) == Refusal("bad-text")


def test_a_move_raises_the_number_and_every_refusal_of_one_changes_nothing() -> None:
    table = filled("ann", "bob").play("eve watches")
    before = table.number, table.version, table.seen()
    assert [
        table.move("ann", Add(1), number=table.number - 1),
        table.act("ann", table.number, b"\xc1"),
        table.act("ann", table.number, encode(Refusal("busy"))),
        table.move("ann", Add(50)),
    ] == [Refusal("stale"), Refusal("malformed"), Refusal("malformed"), Refusal("illegal", "too-far")]
    table.play("eve adds 1 -> not-seated, bob adds 1 -> not-your-turn")
    assert (table.number, table.version, table.seen()) == before
    table.play("ann adds 1")
    assert (table.number, table.seen().turn) == (before[0] + 1, (1,))


def test_none_before_the_deal_or_after_the_end() -> None:
    RaceTable().play("ann joins, ann adds 1 -> not-playing")
    finished("ann", "bob").play("ann adds 1 -> not-playing")
    assert filled("ann", "bob", goal="0").state == "finished", "a game may be over at the deal"


def test_several_seats_may_be_on_turn_and_others_do_what_the_game_lets_them() -> None:
    table = filled("ann", "bob", "eve", turns="all")
    assert table.seen().turn == (0, 1, 2)
    table.play("eve adds 1, ann adds 1")
    filled("ann", "bob").play("bob calls")


def test_what_the_engine_raises_comes_through() -> None:
    with pytest.raises(RuntimeError, match="the engine broke"):
        filled("ann", "bob").move("ann", Boom())


def test_a_closed_table_s_game_is_abandoned() -> None:
    table = filled("ann", "bob").play("ann adds 2")
    table.abandon()
    end = table.match.lines[-1]
    assert (end.totals, end.winners, end.reason, table.state) == ((2, 0), (), "abandoned", "finished")


class TestPause:
    def test_it_takes_all_players_who_are_there(self) -> None:
        table = filled("ann", "bob").play("eve watches, eve pauses -> not-seated, ann pauses")
        assert (table.seen().votes, table.is_paused) == ((0,), False)
        table.play("ann adds 1, ann resumes, bob pauses")
        assert (table.seen().votes, table.is_paused) == ((1,), False)
        table.play("ann pauses, bob adds 1 -> paused, ann resumes")
        assert (table.seen().votes, table.is_paused) == ((0,), True)
        table.play("bob resumes, bob adds 1")

    def test_who_has_left_has_no_vote(self) -> None:
        table = filled("ann", "bob").play("bob pauses, bob leaves, bob joins, ann pauses")
        assert not table.is_paused
        table.play("ann leaves, bob leaves").agree()
        assert not table.is_paused, "nobody is here"

    async def test_who_leaves_leaves_it_to_those_who_stay(self, server: Server) -> None:
        ann, bob = await at_a_table(server, "ann", "bob", create=Create("race", {"goal": "9"}))
        await ann.ask(Pause(True), TableView, lambda view: view.votes == (0,))
        await bob.ask(Leave(), Left)
        assert (await ann.wait(TableView, lambda view: view.paused)).votes == ()


class TestRematch:
    def test_seats_turn_by_one_and_spectators_stay(self) -> None:
        table = finished("ann", "bob", "joe").play("eve watches")
        number, promise = table.number, table.next_commitment
        table.play("ann agrees, bob agrees")
        assert table.seen().again == (0, 1)
        table.play("joe agrees")
        assert table.names() == ["bob", "joe", "ann"]
        assert (table.state, table.round, table.spectators) == ("playing", 1, ("eve",))
        assert (table.number, table.commitment) == (number + 1, promise)

    def test_bots_turn_along_and_are_not_asked(self) -> None:
        table = RaceTable(2, "steady").play("ann joins, ann adds 3, ann agrees")
        assert (table.names(), table.state) == (["steady", "ann"], "playing")

    def test_seats_of_the_absent_are_free_at_the_open_table(self) -> None:
        table = finished("ann", "bob", "joe").play("bob leaves, ann agrees")
        assert table.state == "finished"
        table.play("joe agrees")
        assert (table.state, table.round, table.running) == ("open", 1, None)
        assert (table.names(), table.seating.owner) == (["", "joe", "ann"], 2)
        assert table.match is not None
        assert table.play("eve joins").state == "playing"

    def test_the_last_who_does_not_want_may_go(self) -> None:
        table = finished("ann", "bob").play("ann agrees, bob leaves")
        assert table.state == "finished"
        table.agree()
        assert (table.state, table.names()) == ("open", ["", "ann"])
        table = finished("ann", "bob").play("ann leaves, bob leaves")
        table.agree()
        assert table.state == "finished", "nobody is here"

    def test_who_stands_up_after_the_game_stays_in_the_result(self) -> None:
        table = finished("ann", "bob").play("bob stands, bob agrees -> not-seated")
        assert (table.names(), table.spectators) == (["ann", "bob"], ("bob",))

    def test_it_is_promised_before_it_is_dealt_and_can_be_cut(self) -> None:
        table = RaceTable().play("ann joins, ann cuts x, bob joins, ann adds 3")
        promise = table.seen().next_commitment
        table.play("bob cuts again, ann agrees, bob agrees")
        opening = table.match.lines[0]
        assert (opening.commitment, opening.cuts) == (promise, ("again", "")), "the first cut was used"
        assert table.seen().next_commitment == ""
        assert hash_of(table.play("bob adds 3").seed) == promise
        assert table.seen().again == (), "nobody wants the next one yet"

    def test_one_that_is_undone_leaves_the_game_before_as_it_was(self) -> None:
        table = finished("ann", "bob")
        before, game, record = table.table, table.match, table.match.export()
        table.play("ann agrees, bob agrees, bob adds 1")
        table.table = before
        assert table.match is game
        assert table.match.export() == record
        assert (table.state, table.round, table.names()) == ("finished", 0, ["ann", "bob"])
