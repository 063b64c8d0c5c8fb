"""The big letters of a code: all there, all different, all of one size."""

from cartino_protocol.ids import CODE_ALPHABET
from cartino_tui.screens.letters import HEIGHT, WIDTH, big


def test_every_letter_of_a_code_has_a_picture_of_its_own() -> None:
    pictures = {big(letter) for letter in CODE_ALPHABET}
    assert len(pictures) == len(CODE_ALPHABET)
    assert big("!") not in pictures


def test_a_code_stands_on_three_rows_of_the_same_width() -> None:
    rows = big("K7QP")
    assert len(rows) == HEIGHT
    assert {len(row) for row in rows} == {4 * WIDTH + 3}
