"""The big letters of a code: all there, all different, all of one size."""

from cartino_protocol.base import CODE_ALPHABET
from cartino_tui.screens.waiting_drawing import LETTER_HEIGHT, LETTER_WIDTH, big_letters


def test_every_letter_of_a_code_has_a_picture_of_its_own() -> None:
    pictures = {big_letters(letter) for letter in CODE_ALPHABET}
    assert len(pictures) == len(CODE_ALPHABET)
    assert big_letters("!") not in pictures


def test_a_code_stands_on_three_rows_of_the_same_width() -> None:
    rows = big_letters("K7QP")
    assert len(rows) == LETTER_HEIGHT
    assert {len(row) for row in rows} == {4 * LETTER_WIDTH + 3}
