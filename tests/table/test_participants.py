"""The pure table: who sits where, and who may start."""

import subprocess
import sys

import pytest

from cartino_protocol.refusals import Refusal
from cartino_server.table.views import table_view
from tests.support.race_table import a_room, filled, heard, names, state


def test_it_is_loaded_without_a_loop() -> None:
    code = "import sys, cartino_server.table.participants; print('asyncio' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


class TestSeats:
    def test_the_game_starts_by_itself_when_the_last_seat_is_taken(self) -> None:
        table = a_room(3, "steady")
        table.join("a", "ann")
        assert state(table) == "open"
        table.join("b", "bob")
        assert state(table) == "playing"
        assert names(table) == ["ann", "bob", "steady"]

    def test_a_full_table_refuses_a_player_and_takes_a_spectator(self) -> None:
        table = filled("ann", "bob")
        assert table.join("eve", "eve") == Refusal("full")
        assert "eve" not in table.attendance.present
        assert table.watch("eve", "eve") is None
        assert table.spectators == ("eve",)

    def test_sit_takes_the_seat_that_was_asked_for(self) -> None:
        table = a_room(4)
        table.watch("eve", "eve")
        assert table.sit("eve", 2) is None
        assert names(table) == ["", "", "eve", ""]

    @pytest.mark.parametrize("seat", [0, 3, 15])
    def test_a_seat_that_is_taken_or_not_there_is_refused(self, seat: int) -> None:
        table = a_room(3)
        table.join("ann", "ann")
        table.watch("eve", "eve")
        assert table.sit("eve", seat) == Refusal("seat-taken")

    def test_who_sits_can_not_sit_again(self) -> None:
        table = a_room(3)
        table.join("ann", "ann")
        assert table.sit("ann", 1) == Refusal("seated")

    def test_no_seat_changes_hands_in_a_running_game(self) -> None:
        table = filled("ann", "bob")
        table.watch("eve", "eve")
        assert table.sit("eve", 0) == Refusal("not-open")
        assert table.stand("ann") == Refusal("not-open")

    def test_standing_frees_the_seat(self) -> None:
        table = a_room(3)
        table.join("ann", "ann")
        assert table.stand("ann") is None
        assert names(table) == ["", "", ""]
        assert table.spectators == ("ann",)
        assert table.stand("ann") == Refusal("not-seated")

    def test_leaving_an_open_table_frees_the_seat(self) -> None:
        table = a_room(3)
        table.join("ann", "ann")
        table.leave("ann")
        assert table.seating.count_taken_seats() == 0
        assert table.attendance.present == {}

    def test_a_seat_in_a_running_game_stays_its_owner_s(self) -> None:
        table = filled("ann", "bob")
        table.leave("ann")
        away = table_view(table.table, 1)
        assert [seat.here for seat in away.seats] == [False, True]
        assert table.join("ann", "ann") is None
        assert table_view(table.table, 0).seats[0].here
        assert heard(table)[-2:] == ["ann left", "ann is back"]

    def test_watching_brings_a_player_back_to_the_seat(self) -> None:
        table = filled("ann", "bob")
        table.leave("bob")
        table.watch("bob", "bob")
        assert table.spectators == ()
        assert table.seating.seat_of("bob") == 1

    def test_leaving_twice_is_leaving_once(self) -> None:
        table = filled("ann", "bob")
        table.leave("ann")
        version = table.version
        table.leave("ann")
        assert table.version == version

    def test_a_new_name_shows_on_the_seat(self) -> None:
        table = a_room(2)
        table.join("ann", "ann")
        table.rename("ann", "anna")
        assert names(table) == ["anna", ""]
        assert table.attendance.present == {"ann": "anna"}
        assert heard(table)[-1] == "ann is now anna"


class TestStart:
    def test_the_owner_starts_with_who_is_there_and_empty_seats_vanish(self) -> None:
        table = a_room(4)
        table.join("ann", "ann")
        table.watch("bob", "bob")
        table.sit("bob", 3)
        assert table.start("bob") == Refusal("not-owner")
        assert table.start("ann") is None
        assert names(table) == ["ann", "bob"]
        assert table.start("ann") == Refusal("not-open")

    def test_one_player_is_too_few(self) -> None:
        table = a_room(3)
        table.join("ann", "ann")
        assert table.start("ann") == Refusal("too-few", "2")

    def test_a_bot_counts(self) -> None:
        table = a_room(3, "steady")
        table.join("ann", "ann")
        assert table.start("ann") is None
        assert names(table) == ["ann", "steady"]

    @pytest.mark.parametrize("going", ["leave", "stand"])
    def test_the_next_seated_human_owns_the_table_when_its_owner_goes(self, going: str) -> None:
        table = a_room(4, "steady")
        for person in ("ann", "bob"):
            table.join(person, person)
        owners = [table.seating.owner]
        for person in ("ann", "bob"):
            getattr(table, going)(person)
            owners.append(table.seating.owner)
        table.join("eve", "eve")
        assert [*owners, table.seating.owner] == [0, 1, None, 0]
