"""The characters of any table."""

import msgspec
import pytest
from rich.cells import cell_len

from cartino_games.kit.marks import ASCII, UNICODE, Marks, marks_for, number, signed
from cartino_tui.game_port.screen import Look
from cartino_tui.preferences import CardLetters
from cartino_tui.widgets.layout import glyphs


@pytest.mark.parametrize("each", [ASCII, UNICODE])
def test_every_character_is_one_cell(each: Marks) -> None:
    for value in msgspec.structs.astuple(each):
        text = "".join(value.values()) if isinstance(value, dict) else value
        assert cell_len(text) == len(text)
        assert each is UNICODE or text.isascii()


@pytest.mark.parametrize("each", [ASCII, UNICODE])
def test_who_is_on_turn_who_has_won_and_an_open_place_can_be_told_apart(each: Marks) -> None:
    assert len({each.turn, each.won, each.legal, each.joker}) == 4
    assert len(set(each.seats)) == 4
    assert each.turn not in each.seats
    assert each.won not in each.seats


@pytest.mark.parametrize(("letters", "court"), [("en", "A K Q J"), ("fr", "A R D V"), ("de", "A K D B")])
def test_courts_have_the_letters_of_the_reader(letters: CardLetters, court: str) -> None:
    found = marks_for(Look(80, 24, letters=letters))
    assert " ".join(found.rank(f"{rank}H") for rank in "AKQJ") == court
    assert [found.card(name) for name in ("10H", "7S", "*")] == ["10♥", "7♠", "★"]
    assert marks_for(Look(80, 24, ascii=True)).card("10H") == "10H"


def test_numbers_have_the_minus_of_the_terminal() -> None:
    assert [signed(points, UNICODE) for points in (3, 0, -2)] == ["+3", "+0", "−2"]
    assert [number(points, ASCII) for points in (3, 0, -2)] == ["3", "0", "-2"]


@pytest.mark.parametrize("ascii", [False, True])
def test_a_seat_has_one_sign_at_the_table_and_in_the_review(ascii: bool) -> None:
    look = Look(80, 24, ascii=ascii)
    assert glyphs(look).seats == marks_for(look).seats
