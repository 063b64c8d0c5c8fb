"""The pure room: moves, the end of a game, and what is said meanwhile."""

import pytest

from cartino_protocol.records import EndLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.wire import encode
from cartino_server.table.views import room_view
from tests.support.game_server import NOW
from tests.support.race import Add, Boom, Call
from tests.support.race_room import a_room, filled, finished, heard, move, state


class TestPlay:
    def test_a_move_raises_the_number(self) -> None:
        room = filled("ann", "bob")
        before = room.number
        assert move(room, "ann", Add(1)) is None
        assert room.number == before + 1
        assert room_view(room.table, None).turn == (1,)

    def test_every_refusal_of_a_move_changes_nothing(self) -> None:
        room = filled("ann", "bob")
        room.watch("eve", "eve")
        before = (room.number, room.version, room_view(room.table, None))
        refusals = [
            move(room, "ann", Add(1), number=room.number - 1),
            move(room, "eve", Add(1)),
            room.act("ann", room.number, b"\xc1"),
            room.act("ann", room.number, encode(Refusal("busy"))),
            move(room, "bob", Add(1)),
            move(room, "ann", Add(50)),
        ]
        assert refusals == [
            Refusal("stale"),
            Refusal("not-seated"),
            Refusal("malformed"),
            Refusal("malformed"),
            Refusal("not-your-turn"),
            Refusal("illegal", "too-far"),
        ]
        assert (room.number, room.version, room_view(room.table, None)) == before

    def test_no_move_before_the_deal_or_after_the_end(self) -> None:
        room = a_room(2)
        room.join("ann", "ann")
        assert move(room, "ann", Add(1)) == Refusal("not-playing")
        assert move(finished("ann", "bob"), "ann", Add(1)) == Refusal("not-playing")

    def test_a_seat_that_is_not_on_turn_may_do_what_the_game_lets_it(self) -> None:
        room = filled("ann", "bob")
        assert move(room, "bob", Call()) is None

    def test_several_seats_may_be_on_turn(self) -> None:
        room = filled("ann", "bob", "eve", turns="all")
        assert room_view(room.table, None).turn == (0, 1, 2)
        assert move(room, "eve", Add(1)) is None
        assert move(room, "ann", Add(1)) is None

    def test_what_the_engine_raises_comes_through(self) -> None:
        with pytest.raises(RuntimeError, match="the engine broke"):
            move(filled("ann", "bob"), "ann", Boom())

    def test_the_record_ends_with_the_seed(self) -> None:
        room = finished("ann", "bob")
        assert room.match is not None
        assert room.match.lines[-1] == EndLine((3, 0), (0,), "points", room.seed, NOW)

    def test_a_closed_table_s_game_is_abandoned(self) -> None:
        room = filled("ann", "bob")
        move(room, "ann", Add(2))
        room.abandon()
        assert room.match is not None
        end = room.match.lines[-1]
        assert isinstance(end, EndLine)
        assert (end.totals, end.winners, end.reason) == ((2, 0), (), "abandoned")
        assert state(room) == "finished"

    def test_a_game_may_be_over_at_the_deal(self) -> None:
        room = filled("ann", "bob", goal="0")
        assert state(room) == "finished"


class TestChat:
    def test_players_do_not_hear_spectators_while_the_game_runs(self) -> None:
        room = filled("ann", "bob")
        room.watch("eve", "eve")
        before = room.chat_view(False)
        assert room.say("eve", "ann holds the ace") is None
        assert room.chat_view(False) == before
        assert heard(room, spectator=True)[-1] == "ann holds the ace"
        assert (room.chat_view(True).channel, room.chat_view(False).channel) == ("watchers", "table")

    def test_spectators_hear_players(self) -> None:
        room = filled("ann", "bob")
        room.say("ann", "hello")
        assert heard(room, spectator=True)[-1] == "hello"

    def test_everything_is_heard_when_the_game_is_over_and_stays_so(self) -> None:
        room = filled("ann", "bob")
        room.watch("eve", "eve")
        room.say("eve", "secret")
        move(room, "ann", Add(3))
        assert "secret" in heard(room)
        room.say("eve", "aloud")
        assert heard(room)[-1] == "aloud"
        room.rematch("ann")
        room.rematch("bob")
        assert state(room) == "playing"
        assert "secret" in heard(room)

    def test_at_an_open_table_all_talk_to_all(self) -> None:
        room = a_room(2)
        room.watch("eve", "eve")
        room.say("eve", "anyone?")
        assert heard(room)[-1] == "anyone?"

    @pytest.mark.parametrize("text", ["", " ", "a\x07b", "two\nlines", "\u202e"])
    def test_text_that_can_not_be_shown_is_refused(self, text: str) -> None:
        room = filled("ann", "bob")
        version = room.chat_version
        assert room.say("ann", text) == Refusal("bad-text")
        assert room.chat_version == version

    def test_who_says_too_much_is_told_how_much_there_may_be(self) -> None:
        room = filled("ann", "bob")
        version = room.chat_version
        assert room.say("ann", "x" * 301) == Refusal("long-text", "300")
        assert room.say("ann", "\ufb2c" * 6, 5) == Refusal("long-text", "5")
        assert room.say("ann", "x" * 301 + "\x07") == Refusal("bad-text")
        assert room.chat_version == version
        assert room.say("ann", "x" * 300) is None
