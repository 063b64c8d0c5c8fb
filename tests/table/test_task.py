"""The pure room: who sits where, and who may start."""

import subprocess
import sys

import pytest

from cartino_protocol.refusals import Refusal
from cartino_server.table.views import room_view
from tests.support.race_room import a_room, filled, heard, names, state


def test_it_is_loaded_without_a_loop() -> None:
    code = "import sys, cartino_server.table.participants; print('asyncio' in sys.modules)"
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
        assert "eve" not in room.attendance.present
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
        assert room.attendance.present == {}

    def test_a_seat_in_a_running_game_stays_its_owner_s(self) -> None:
        room = filled("ann", "bob")
        room.leave("ann")
        away = room_view(room.table, 1)
        assert [seat.here for seat in away.seats] == [False, True]
        assert room.join("ann", "ann") is None
        assert room_view(room.table, 0).seats[0].here
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
        assert room.attendance.present == {"ann": "anna"}
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
