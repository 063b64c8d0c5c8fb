"""How long a terminal takes to answer: measured now and then, never by itself, and never taken for keys."""

from collections.abc import Callable

import pytest

from cartino_tui.terminal.environment import ascii_only
from cartino_tui.terminal.probe import (
    PING_ANSWER,
    PING_INTERVAL,
    PING_QUERY,
    ResponseTime,
    rounded_milliseconds,
)
from tests.tui.terminal.conftest import EchoApp, FakeTerminal, Stage


class Line:
    """A clock, and what was sent."""

    def __init__(self) -> None:
        self.seconds = 100.0
        self.sent: list[str] = []
        self.time = ResponseTime(self.sent.append, lambda: self.seconds)


def test_a_terminal_that_never_answered_is_not_asked() -> None:
    line = Line()
    line.seconds += PING_INTERVAL
    line.time.ask()
    assert line.sent == []
    assert line.time.seconds is None


def test_it_asks_again_after_a_while_and_once() -> None:
    line = Line()
    line.time.begin(0.04)
    line.time.ask()
    assert (line.sent, line.time.seconds) == ([], 0.04)
    line.seconds += PING_INTERVAL
    line.time.ask()
    line.time.ask()
    line.seconds += PING_INTERVAL
    line.time.ask()
    assert line.sent == [PING_QUERY]


def test_the_answer_is_taken_out_of_what_is_typed_and_measured() -> None:
    line = Line()
    line.time.begin(0.04)
    assert line.time.remove_answer(b"a" + PING_ANSWER) == b"a" + PING_ANSWER, "nothing was asked"
    line.seconds += PING_INTERVAL
    line.time.ask()
    assert line.time.remove_answer(b"a") == b"a"
    line.seconds += 0.25
    assert line.time.remove_answer(b"b" + PING_ANSWER + b"c") == b"bc"
    assert line.time.seconds == pytest.approx(0.25)
    assert line.time.remove_answer(PING_ANSWER) == PING_ANSWER


@pytest.mark.parametrize(("measured", "kept"), [(0.05, 0.04), (0.03, 0.04), (0.06, 0.06), (0.02, 0.02)])
def test_only_a_clear_change_counts(measured: float, kept: float) -> None:
    line = Line()
    line.time.begin(0.04)
    line.seconds += PING_INTERVAL
    line.time.ask()
    line.seconds += measured
    line.time.remove_answer(PING_ANSWER)
    assert line.time.seconds == pytest.approx(kept)


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.0002, 1), (0.007, 7), (0.0484, 48), (0.123, 120), (0.999, 1000), (1.26, 1300)]
)
def test_it_is_shown_in_two_figures(seconds: float, shown: int) -> None:
    assert rounded_milliseconds(seconds) == shown


async def test_a_visit_begins_with_what_the_terminal_took_to_say_where_its_cursor_is(
    stage: Callable[..., Stage],
) -> None:
    shown = stage()
    await shown.shows("below")
    found = shown.app.answer_time
    assert found is not None
    assert found.seconds is not None
    assert await shown.end() == 0


async def test_of_a_terminal_that_says_nothing_nobody_knows(stage: Callable[..., Stage]) -> None:
    terminal = FakeTerminal(term="vt220")
    assert ascii_only("vt220", {})
    shown = stage(EchoApp, terminal)
    await shown.shows("below")
    found = shown.app.answer_time
    assert found is not None
    assert found.seconds is None
    assert await shown.end() == 0
