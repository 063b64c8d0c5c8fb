"""The pure room: what may be done when, and what everybody is told of it."""

import hashlib
import subprocess
import sys

import pytest

from cartino_protocol.records import EndLine, GameLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.wire import encode
from cartino_server.rooms.room import Room
from cartino_server.rooms.show import room_view
from tests.support.house import NOW, World, texts
from tests.support.race import Add, Boom, Call, Race


def a_room(
    seats: int = 2, *bots: str, goal: str = "3", turns: str = "one", world: World | None = None
) -> Room:
    game = Race()
    options = {"goal": goal, "turns": turns}
    return Room("AAAA", game, options, seats, bots, True, (world or World()).entropy, lambda: NOW)


def filled(*people: str, goal: str = "3", turns: str = "one") -> Room:
    room = a_room(len(people), goal=goal, turns=turns)
    for person in people:
        assert room.join(person, person) is None
    return room


def move(room: Room, person: str, what: Add | Call | Boom, number: int | None = None) -> Refusal | None:
    return room.act(person, room.number if number is None else number, encode(what))


def finished(*people: str) -> Room:
    room = filled(*people)
    assert move(room, people[0], Add(3)) is None
    assert state(room) == "finished"
    return room


def state(room: Room) -> str:
    return room.state


def names(room: Room) -> list[str]:
    return [chair.name for chair in room.seating.chairs]


def heard(room: Room, *, spectator: bool = False) -> list[str]:
    return texts(room.chat(spectator).lines)


def test_it_is_loaded_without_a_loop() -> None:
    code = "import sys, cartino_server.rooms.show; print('asyncio' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


class TestSeats:
    def test_the_game_starts_by_itself_when_the_last_seat_is_taken(self) -> None:
        room = a_room(3, "steady")
        room.join("a", "ann")
        assert state(room) == "open"
        room.join("b", "bob")
        assert state(room) == "playing"
        assert names(room) == ["ann", "bob", "steady"]

    def test_a_full_table_refuses_a_player_and_takes_a_spectator(self) -> None:
        room = filled("ann", "bob")
        assert room.join("eve", "eve") == Refusal("full")
        assert "eve" not in room.present
        assert room.watch("eve", "eve") is None
        assert room.spectators == ("eve",)

    def test_sit_takes_the_seat_that_was_asked_for(self) -> None:
        room = a_room(4)
        room.watch("eve", "eve")
        assert room.sit("eve", 2) is None
        assert names(room) == ["", "", "eve", ""]

    @pytest.mark.parametrize("seat", [0, 3, 15])
    def test_a_seat_that_is_taken_or_not_there_is_refused(self, seat: int) -> None:
        room = a_room(3)
        room.join("ann", "ann")
        room.watch("eve", "eve")
        assert room.sit("eve", seat) == Refusal("seat-taken")

    def test_who_sits_can_not_sit_again(self) -> None:
        room = a_room(3)
        room.join("ann", "ann")
        assert room.sit("ann", 1) == Refusal("seated")

    def test_no_seat_changes_hands_in_a_running_game(self) -> None:
        room = filled("ann", "bob")
        room.watch("eve", "eve")
        assert room.sit("eve", 0) == Refusal("not-open")
        assert room.stand("ann") == Refusal("not-open")

    def test_standing_frees_the_seat(self) -> None:
        room = a_room(3)
        room.join("ann", "ann")
        assert room.stand("ann") is None
        assert names(room) == ["", "", ""]
        assert room.spectators == ("ann",)
        assert room.stand("ann") == Refusal("not-seated")

    def test_leaving_an_open_table_frees_the_seat(self) -> None:
        room = a_room(3)
        room.join("ann", "ann")
        room.leave("ann")
        assert room.seating.taken() == 0
        assert room.present == {}

    def test_a_seat_in_a_running_game_stays_its_owner_s(self) -> None:
        room = filled("ann", "bob")
        room.leave("ann")
        away = room_view(room, 1)
        assert [seat.here for seat in away.seats] == [False, True]
        assert room.join("ann", "ann") is None
        assert room_view(room, 0).seats[0].here
        assert heard(room)[-2:] == ["ann left", "ann is back"]

    def test_watching_brings_a_player_back_to_the_seat(self) -> None:
        room = filled("ann", "bob")
        room.leave("bob")
        room.watch("bob", "bob")
        assert room.spectators == ()
        assert room.seating.seat_of("bob") == 1

    def test_leaving_twice_is_leaving_once(self) -> None:
        room = filled("ann", "bob")
        room.leave("ann")
        version = room.version
        room.leave("ann")
        assert room.version == version

    def test_a_new_name_shows_on_the_seat(self) -> None:
        room = a_room(2)
        room.join("ann", "ann")
        room.rename("ann", "anna")
        assert names(room) == ["anna", ""]
        assert room.present == {"ann": "anna"}
        assert heard(room)[-1] == "ann is now anna"


class TestStart:
    def test_the_owner_starts_with_who_is_there_and_empty_seats_vanish(self) -> None:
        room = a_room(4)
        room.join("ann", "ann")
        room.watch("bob", "bob")
        room.sit("bob", 3)
        assert room.start("bob") == Refusal("not-owner")
        assert room.start("ann") is None
        assert names(room) == ["ann", "bob"]
        assert room.start("ann") == Refusal("not-open")

    def test_one_player_is_too_few(self) -> None:
        room = a_room(3)
        room.join("ann", "ann")
        assert room.start("ann") == Refusal("too-few", "2")

    def test_a_bot_counts(self) -> None:
        room = a_room(3, "steady")
        room.join("ann", "ann")
        assert room.start("ann") is None
        assert names(room) == ["ann", "steady"]

    @pytest.mark.parametrize("going", ["leave", "stand"])
    def test_the_next_seated_human_owns_the_table_when_its_owner_goes(self, going: str) -> None:
        room = a_room(4, "steady")
        for person in ("ann", "bob"):
            room.join(person, person)
        owners = [room.seating.owner]
        for person in ("ann", "bob"):
            getattr(room, going)(person)
            owners.append(room.seating.owner)
        room.join("eve", "eve")
        assert [*owners, room.seating.owner] == [0, 1, None, 0]


class TestShuffle:
    def test_the_promise_stands_before_the_deal_and_the_seed_follows_the_game(self) -> None:
        room = a_room(2)
        promised = room_view(room, None).commitment
        room.join("ann", "ann")
        room.join("bob", "bob")
        assert room_view(room, 0).seed == ""
        move(room, "ann", Add(3))
        shown = room_view(room, None)
        assert shown.commitment == promised == hashlib.sha256(bytes.fromhex(shown.seed)).hexdigest()

    def test_the_last_cut_before_the_deal_counts(self) -> None:
        room = a_room(3)
        room.join("ann", "ann")
        room.join("bob", "bob")
        assert room.cut("bob", "one") is None
        assert room.cut("bob", " two ") is None
        assert [seat.cut for seat in room_view(room, None).seats] == [False, True, False]
        room.start("ann")
        assert room.play is not None
        assert room.play.lines[0] == GameLine(
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
            assert room.play is not None
            cards.add(room.play.state.cards)
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


class TestPlay:
    def test_a_move_raises_the_number(self) -> None:
        room = filled("ann", "bob")
        before = room.number
        assert move(room, "ann", Add(1)) is None
        assert room.number == before + 1
        assert room_view(room, None).turn == (1,)

    def test_every_refusal_of_a_move_changes_nothing(self) -> None:
        room = filled("ann", "bob")
        room.watch("eve", "eve")
        before = (room.number, room.version, room_view(room, None))
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
        assert (room.number, room.version, room_view(room, None)) == before

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
        assert room_view(room, None).turn == (0, 1, 2)
        assert move(room, "eve", Add(1)) is None
        assert move(room, "ann", Add(1)) is None

    def test_what_the_engine_raises_comes_through(self) -> None:
        with pytest.raises(RuntimeError, match="the engine broke"):
            move(filled("ann", "bob"), "ann", Boom())

    def test_the_record_ends_with_the_seed(self) -> None:
        room = finished("ann", "bob")
        assert room.play is not None
        assert room.play.lines[-1] == EndLine((3, 0), (0,), "points", room.seed, NOW)

    def test_a_closed_table_s_game_is_abandoned(self) -> None:
        room = filled("ann", "bob")
        move(room, "ann", Add(2))
        room.abandon()
        assert room.play is not None
        end = room.play.lines[-1]
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
        before = room.chat(False)
        assert room.say("eve", "ann holds the ace") is None
        assert room.chat(False) == before
        assert heard(room, spectator=True)[-1] == "ann holds the ace"
        assert (room.chat(True).channel, room.chat(False).channel) == ("watchers", "table")

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

    @pytest.mark.parametrize("text", ["", " ", "x" * 301, "a\x07b", "two\nlines", "\u202e"])
    def test_text_that_can_not_be_shown_is_refused(self, text: str) -> None:
        room = filled("ann", "bob")
        version = room.chat_version
        assert room.say("ann", text) == Refusal("bad-text")
        assert room.chat_version == version


class TestRematch:
    def test_seats_turn_by_one_and_spectators_stay(self) -> None:
        room = finished("ann", "bob", "joe")
        room.watch("eve", "eve")
        number, promise = room.number, room.commitment
        for person in ("ann", "bob"):
            assert room.rematch(person) is None
        assert room_view(room, None).again == (0, 1)
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
        assert room.play is not None
        assert room.join("eve", "eve") is None
        assert state(room) == "playing"

    def test_the_last_who_does_not_want_may_go(self) -> None:
        room = finished("ann", "bob")
        room.rematch("ann")
        room.leave("bob")
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
        assert room.play is not None
        opening = room.play.lines[0]
        assert isinstance(opening, GameLine)
        assert opening.cuts == ("", "")

    def test_the_rematch_is_promised_before_it_is_dealt_and_can_be_cut(self) -> None:
        room = finished("ann", "bob")
        shown = room_view(room, None)
        assert shown.next_commitment not in {"", shown.commitment}
        assert room.cut("bob", "again") is None
        room.rematch("ann")
        room.rematch("bob")
        assert room.play is not None
        opening = room.play.lines[0]
        assert isinstance(opening, GameLine)
        assert (opening.commitment, opening.cuts) == (shown.next_commitment, ("again", ""))
        assert room_view(room, None).next_commitment == ""
