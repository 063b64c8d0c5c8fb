"""Every clock and every absence has words, each its own."""

from cartino_protocol.base import ABSENCES, CLOCKS
from cartino_tui.i18n import ENGLISH
from cartino_tui.time_control import ABSENCE_CHOICES, CLOCK_CHOICES, CLOCK_COLUMN, time_control_text


def test_there_are_words_for_all_of_them_and_no_two_are_the_same() -> None:
    for words, known in ((CLOCK_CHOICES, CLOCKS), (ABSENCE_CHOICES, ABSENCES), (CLOCK_COLUMN, CLOCKS)):
        assert list(words) == list(known)
        assert len(set(words.values())) == len(known)


def test_both_in_two_sentences() -> None:
    assert time_control_text("none", "never", ENGLISH) == "No time limit. The table waits for absent players."
    assert (
        time_control_text("60s", "10m", ENGLISH)
        == "60 seconds per turn. A bot takes over after 10 minutes away."
    )


def test_by_correspondence_nobody_is_absent() -> None:
    assert time_control_text("day", "10m", ENGLISH) == "One day per turn; nobody has to stay connected."
