"""The last sentence of a visit says how to come back, and to what, to whom it is true for."""

import msgspec
import pytest

from cartino_protocol.ids import RoomState
from cartino_protocol.views import Bye, Mine
from cartino_tui.door import Door
from cartino_tui.farewell import Farewell, closed, farewell, in_lines, own_wish
from cartino_tui.known import Known
from tests.support.visit import line, room, welcome

DOOR = Door("ssh -t games.example.org")
SEATED = Known(welcome=welcome(), room=room())
AFAR = Known(welcome=welcome(), mine=Mine((line("K7QP", "Ann Bo", "playing"),)))
WATCHING = Known(welcome=welcome(), room=room(you=None))
GUEST = Known(welcome=welcome(guest=True), room=room())
WORD = Known(welcome=welcome(guest=True, word="amber-otter"), room=room())
KEPT = "your seat is kept: connect again the same way."
BY_WORD = "your seat is kept, and this brings you back to it:\nssh -t games.example.org back amber-otter"


def read(farewell: Farewell) -> tuple[str, int]:
    return str(farewell.sentence), farewell.code


told = pytest.mark.parametrize(
    ("known", "way"),
    [
        (SEATED, KEPT),
        (AFAR, KEPT),
        (WORD, BY_WORD),
        (WATCHING, "connect again the same way."),
        (GUEST, "connect again the same way."),
        (Known(), "connect again the same way."),
    ],
)


@told
def test_a_restart_and_a_line_that_breaks_say_how_to_come_back(known: Known, way: str) -> None:
    assert read(farewell(Bye("shutdown"), known, DOOR)) == (f"Back in a moment; {way}", 3)
    assert read(closed(known, DOOR)) == (f"The line to the house is gone; {way}", 3)


@pytest.mark.parametrize("known", [WATCHING, Known(), Known(welcome=welcome(), room=room(state="finished"))])
def test_who_leaves_nothing_behind_hears_nothing(known: Known) -> None:
    assert own_wish(known, DOOR) == Farewell()


def test_who_leaves_a_running_game_hears_that_the_seat_is_kept() -> None:
    assert read(own_wish(SEATED, DOOR)) == ("Your seat is kept: connect again the same way.", 0)
    assert own_wish(AFAR, DOOR).sentence == own_wish(SEATED, DOOR).sentence
    assert str(own_wish(WORD, DOOR).sentence) == f"Y{BY_WORD[1:]}"


def test_a_house_that_ends_with_the_visit_promises_nothing() -> None:
    assert own_wish(SEATED, Door()) == Farewell()


@pytest.mark.parametrize(("state", "kept"), [("open", True), ("playing", True), ("finished", False)])
def test_a_seat_is_kept_as_long_as_its_game_is_not_over(state: RoomState, kept: bool) -> None:
    known = msgspec.structs.replace(SEATED, room=room(state=state))
    assert ("seat is kept" in str(closed(known, DOOR).sentence)) is kept


def test_who_has_added_a_key_comes_again_as_whom_it_is() -> None:
    said, code = read(farewell(Bye("key-added"), SEATED, DOOR))
    assert said.startswith("This key is yours from the next time you connect.")
    assert code == 0


def test_the_last_word_is_broken_between_words_and_a_command_below_it_not_at_all() -> None:
    command = f"ssh -t games.example back {'w' * 40}"
    broken = in_lines(f"Your seat is kept, and this brings you back to it:\n{command}", 30)
    assert broken == f"Your seat is kept, and this\nbrings you back to it:\n{command}"
    assert in_lines("", 80) == ""
