"""Time controls in words, and clocks between two views: how they read, change, and stand."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_protocol.base import ABSENCES, CLOCKS
from cartino_tui.game_port.screen import ClockReading
from cartino_tui.i18n import ENGLISH
from cartino_tui.time_control import (
    ABSENCE_CHOICES,
    CLOCK_CHOICES,
    CLOCK_COLUMN,
    Clocks,
    clock_text,
    clocks_of,
    time_control_text,
)
from tests.support.visit import toy_table


@pytest.mark.parametrize(
    ("left", "read"),
    [
        (0, "0:00"),
        (0.01, "0:01"),
        (9, "0:09"),
        (41.2, "0:42"),
        (60, "1:00"),
        (120, "2:00"),
        (120.5, "3 min"),
        (180, "3 min"),
        (3600, "1 h"),
        (3601, "1 h 1 min"),
        (83400, "23 h 10 min"),
        (86400, "24 h"),
    ],
)
def test_what_is_left_reads_as_on_a_clock_and_what_has_begun_counts(left: float, read: str) -> None:
    assert clock_text(left) == read


def test_a_clock_goes_on_from_the_moment_that_its_view_came() -> None:
    clocks = clocks_of(toy_table(left={1: 30.0}), now=1000.0)
    assert clocks.shown(1000.0) == (None, ClockReading("0:30"))
    assert clocks.shown(1019.5) == (None, ClockReading("0:11"))
    assert [clocks.seconds(seat, 1019.5) for seat in (0, 1, 7, None)] == [None, 11, None, None]


@pytest.mark.parametrize("left", [30.0, 11.5, 10.8])
def test_no_clock_is_a_warning_before_the_server_says_so(left: float) -> None:
    """Else a stall of the server would make one with a clock that runs here alone."""
    clocks = clocks_of(toy_table(left={1: left}), now=0.0)
    assert clocks.shown(500.0) == (None, ClockReading("0:11"))
    assert clocks.seconds(1, 500.0) == 11
    assert clocks.until_change(500.0) is None
    confirmed = clocks_of(toy_table(left={1: 9.95}), now=500.0)
    assert confirmed.shown(500.0) == (None, ClockReading("0:10", soon=True))
    assert confirmed.shown(531.0) == (None, ClockReading("0:00", soon=True))


def test_a_paused_clock_stands_and_changes_never() -> None:
    clocks = clocks_of(toy_table(left={0: 9.5}, paused=True), now=5.0)
    assert clocks.shown(500.0) == (ClockReading("0:10", soon=True), None)
    assert clocks.until_change(500.0) is None


def test_a_long_clock_can_be_said_in_fewer_cells() -> None:
    clocks = clocks_of(toy_table(left={0: 83400.0, 1: 150.0}), now=0.0)
    assert clocks.shown(0.0) == (ClockReading("23 h 10 min", short="23 h"), ClockReading("3 min"))


@pytest.mark.parametrize(
    "view", [toy_table(), toy_table(state="finished", left={0: 4.0}), toy_table("Ann -", "open")]
)
def test_where_no_clock_runs_there_is_nothing_to_show_or_to_wait_for(view: object) -> None:
    clocks = clocks_of(view, now=0.0)  # type: ignore[arg-type]
    assert clocks == Clocks()
    assert clocks.shown(9.0) == ()
    assert clocks.until_change(9.0) is None


def test_a_clock_that_has_run_out_changes_no_more() -> None:
    assert Clocks((5.0,), 0.0).until_change(5.0) is None


@given(st.floats(0.001, 100_000))
def test_until_it_changes_it_reads_the_same_and_then_otherwise(left: float) -> None:
    clocks = Clocks((left,), 0.0)
    pause = clocks.until_change(0.0)
    if 10.5 < left <= 11:
        assert pause is None, "the server says when it goes on"
        return
    assert pause is not None
    assert 0 < pause <= (1 if left <= 120 else 60)
    assert clocks.shown(pause * 0.99) == clocks.shown(0.0)
    assert clocks.shown(pause + 0.001) != clocks.shown(0.0)


def test_the_one_that_changes_first_counts() -> None:
    clocks = Clocks((None, 30.75, 12.25), 0.0)
    assert clocks.until_change(0.0) == pytest.approx(0.25)
    assert msgspec.structs.replace(clocks, still=True).until_change(0.0) is None


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
