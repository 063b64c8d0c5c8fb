"""Words are found wherever they stand, and marked there."""

import pytest

from cartino_tui.widgets.menu import Span, find_words, first_hit_from

LINES = ("The joker stands", "for any stone of", "", "  the turn's suit. A JOKER", "that is an épée")


def test_every_place_is_found_in_order() -> None:
    assert find_words(LINES, "joker") == ((Span(0, 4, 5),), (Span(3, 21, 5),))
    assert find_words(LINES, "x") == ()
    assert find_words(LINES, "  ") == ()


def test_words_that_a_line_breaks_are_found_in_both() -> None:
    assert find_words(LINES, "stands for") == ((Span(0, 10, 6), Span(1, 0, 3)),)
    assert find_words(("", *LINES), "of the") == ((Span(2, 14, 2), Span(4, 2, 3)),)


def test_capitals_accents_and_blanks_make_no_difference() -> None:
    assert find_words(LINES, "EPEE") == find_words(LINES, "épée") == ((Span(4, 11, 4),),)
    assert find_words(LINES, " any   stone ") == ((Span(1, 4, 9),),)


@pytest.mark.parametrize(("line", "number"), [(0, 0), (1, 1), (3, 1), (4, 0)])
def test_the_first_one_from_a_line_on_and_round_again(line: int, number: int) -> None:
    assert first_hit_from(find_words(LINES, "joker"), line) == number
