"""The pure table: moves, the end of a game, and what is said meanwhile."""

import pytest

from cartino_protocol.records import EndLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.wire import encode
from cartino_server.table.views import table_view
from tests.support.game_server import NOW
from tests.support.race import Add, Boom, Call
from tests.support.race_table import a_room, filled, finished, heard, move, state


class TestPlay:
    def test_a_move_raises_the_number(self) -> None:
        table = filled("ann", "bob")
        before = table.number
        assert move(table, "ann", Add(1)) is None
        assert table.number == before + 1
        assert table_view(table.table, None).turn == (1,)

    def test_every_refusal_of_a_move_changes_nothing(self) -> None:
        table = filled("ann", "bob")
        table.watch("eve", "eve")
        before = (table.number, table.version, table_view(table.table, None))
        refusals = [
            move(table, "ann", Add(1), number=table.number - 1),
            move(table, "eve", Add(1)),
            table.act("ann", table.number, b"\xc1"),
            table.act("ann", table.number, encode(Refusal("busy"))),
            move(table, "bob", Add(1)),
            move(table, "ann", Add(50)),
        ]
        assert refusals == [
            Refusal("stale"),
            Refusal("not-seated"),
            Refusal("malformed"),
            Refusal("malformed"),
            Refusal("not-your-turn"),
            Refusal("illegal", "too-far"),
        ]
        assert (table.number, table.version, table_view(table.table, None)) == before

    def test_no_move_before_the_deal_or_after_the_end(self) -> None:
        table = a_room(2)
        table.join("ann", "ann")
        assert move(table, "ann", Add(1)) == Refusal("not-playing")
        assert move(finished("ann", "bob"), "ann", Add(1)) == Refusal("not-playing")

    def test_a_seat_that_is_not_on_turn_may_do_what_the_game_lets_it(self) -> None:
        table = filled("ann", "bob")
        assert move(table, "bob", Call()) is None

    def test_several_seats_may_be_on_turn(self) -> None:
        table = filled("ann", "bob", "eve", turns="all")
        assert table_view(table.table, None).turn == (0, 1, 2)
        assert move(table, "eve", Add(1)) is None
        assert move(table, "ann", Add(1)) is None

    def test_what_the_engine_raises_comes_through(self) -> None:
        with pytest.raises(RuntimeError, match="the engine broke"):
            move(filled("ann", "bob"), "ann", Boom())

    def test_the_record_ends_with_the_seed(self) -> None:
        table = finished("ann", "bob")
        assert table.match is not None
        assert table.match.lines[-1] == EndLine((3, 0), (0,), "points", table.seed, NOW)

    def test_a_closed_table_s_game_is_abandoned(self) -> None:
        table = filled("ann", "bob")
        move(table, "ann", Add(2))
        table.abandon()
        assert table.match is not None
        end = table.match.lines[-1]
        assert isinstance(end, EndLine)
        assert (end.totals, end.winners, end.reason) == ((2, 0), (), "abandoned")
        assert state(table) == "finished"

    def test_a_game_may_be_over_at_the_deal(self) -> None:
        table = filled("ann", "bob", goal="0")
        assert state(table) == "finished"


class TestChat:
    def test_players_do_not_hear_spectators_while_the_game_runs(self) -> None:
        table = filled("ann", "bob")
        table.watch("eve", "eve")
        before = table.chat_view(False)
        assert table.say("eve", "ann holds the ace") is None
        assert table.chat_view(False) == before
        assert heard(table, spectator=True)[-1] == "ann holds the ace"
        assert (table.chat_view(True).channel, table.chat_view(False).channel) == ("watchers", "table")

    def test_spectators_hear_players(self) -> None:
        table = filled("ann", "bob")
        table.say("ann", "hello")
        assert heard(table, spectator=True)[-1] == "hello"

    def test_everything_is_heard_when_the_game_is_over_and_stays_so(self) -> None:
        table = filled("ann", "bob")
        table.watch("eve", "eve")
        table.say("eve", "secret")
        move(table, "ann", Add(3))
        assert "secret" in heard(table)
        table.say("eve", "aloud")
        assert heard(table)[-1] == "aloud"
        table.rematch("ann")
        table.rematch("bob")
        assert state(table) == "playing"
        assert "secret" in heard(table)

    def test_at_an_open_table_all_talk_to_all(self) -> None:
        table = a_room(2)
        table.watch("eve", "eve")
        table.say("eve", "anyone?")
        assert heard(table)[-1] == "anyone?"

    @pytest.mark.parametrize("text", ["", " ", "a\x07b", "two\nlines", "\u202e"])
    def test_text_that_can_not_be_shown_is_refused(self, text: str) -> None:
        table = filled("ann", "bob")
        version = table.chat_version
        assert table.say("ann", text) == Refusal("bad-text")
        assert table.chat_version == version

    def test_who_says_too_much_is_told_how_much_there_may_be(self) -> None:
        table = filled("ann", "bob")
        version = table.chat_version
        assert table.say("ann", "x" * 301) == Refusal("long-text", "300")
        assert table.say("ann", "\ufb2c" * 6, 5) == Refusal("long-text", "5")
        assert table.say("ann", "x" * 301 + "\x07") == Refusal("bad-text")
        assert table.chat_version == version
        assert table.say("ann", "x" * 300) is None
