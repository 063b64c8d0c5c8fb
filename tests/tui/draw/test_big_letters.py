"""The big letters of a code: all there, all different, all of one size."""

from cartino_protocol.base import CODE_ALPHABET
from cartino_tui.draw.big_letters import big_letters


def test_every_letter_of_a_code_has_a_picture_of_its_own() -> None:
    pictures = {big_letters(letter) for letter in CODE_ALPHABET}
    assert len(pictures) == len(CODE_ALPHABET)
    assert big_letters("!") not in pictures


def test_a_code_stands_on_three_rows_of_the_same_width() -> None:
    for code in ("K7QP", "MNWH"):
        rows = big_letters(code)
        assert len(rows) == 3
        assert len({len(row) for row in rows}) == 1


def test_m_and_n_and_w_are_told_from_other_letters_by_their_width() -> None:
    widths = {letter: len(big_letters(letter)[0]) for letter in CODE_ALPHABET}
    assert {letter for letter, width in widths.items() if width > 3} == {"M", "N", "W"}


def test_all_letters_stand_at_the_same_height() -> None:
    for letter in CODE_ALPHABET:
        first, _, last = big_letters(letter)
        assert set(first) & set("▀█"), letter
        assert set(last) - {" "} == {"▀"}, letter
