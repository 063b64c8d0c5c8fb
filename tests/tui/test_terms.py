"""Every clock and every absence has words, each its own."""

from cartino_protocol.ids import ABSENCES, CLOCKS
from cartino_tui.terms import ABSENCE_WORDS, CLOCK_MARKS, CLOCK_WORDS, terms
from cartino_tui.tongue import ENGLISH


def test_there_are_words_for_all_of_them_and_no_two_are_the_same() -> None:
    for words, known in ((CLOCK_WORDS, CLOCKS), (ABSENCE_WORDS, ABSENCES), (CLOCK_MARKS, CLOCKS)):
        assert list(words) == list(known)
        assert len(set(words.values())) == len(known)


def test_both_in_two_sentences() -> None:
    assert (
        terms("none", "never", ENGLISH)
        == "A turn may take as long as it likes. The table waits for who is away."
    )
    assert (
        terms("day", "10m", ENGLISH) == "A turn has a day. After 10 minutes a stand-in plays for who is away."
    )
