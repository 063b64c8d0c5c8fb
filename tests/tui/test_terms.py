"""Every clock and every absence has words, each its own."""

from cartino_protocol.ids import ABSENCES, CLOCKS
from cartino_tui.terms import ABSENCE_WORDS, CLOCK_MARKS, CLOCK_WORDS, terms


def test_there_are_words_for_all_of_them_and_no_two_are_the_same() -> None:
    for words, known in ((CLOCK_WORDS, CLOCKS), (ABSENCE_WORDS, ABSENCES), (CLOCK_MARKS, CLOCKS)):
        assert list(words) == list(known)
        assert len(set(words.values())) == len(known)


def test_both_in_a_phrase() -> None:
    assert terms("none", "never") == "no clock; the table waits for who is away"
    assert terms("30s", "2m") == "30 seconds a turn; after 2 min a stand-in plays for who is away"
    assert terms("day", "10m") == "a day a turn; after 10 min a stand-in plays for who is away"
