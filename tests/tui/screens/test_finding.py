"""Words are found wherever they stand, and marked there."""

import pytest

from cartino_tui.screens.finding import Span, first_from, hits

LINES = ("The joker stands", "for any stone of", "", "  the turn's suit. A JOKER", "that is an épée")


def test_every_place_is_found_in_order() -> None:
    assert hits(LINES, "joker") == ((Span(0, 4, 5),), (Span(3, 21, 5),))
    assert hits(LINES, "x") == ()
    assert hits(LINES, "  ") == ()


def test_words_that_a_line_breaks_are_found_in_both() -> None:
    assert hits(LINES, "stands for") == ((Span(0, 10, 6), Span(1, 0, 3)),)


def test_capitals_accents_and_blanks_make_no_difference() -> None:
    assert hits(LINES, "EPEE") == hits(LINES, "épée") == ((Span(4, 11, 4),),)
    assert hits(LINES, " any   stone ") == ((Span(1, 4, 9),),)


@pytest.mark.parametrize(("line", "number"), [(0, 0), (1, 1), (3, 1), (4, 0)])
def test_the_first_one_from_a_line_on_and_round_again(line: int, number: int) -> None:
    assert first_from(hits(LINES, "joker"), line) == number
