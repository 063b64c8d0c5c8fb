"""Windows in which tests run programs."""

import sys
from collections.abc import Iterator

import pytest

from tests.support.terminals import Terminals, all_until


@pytest.fixture
def terminals() -> Iterator[Terminals]:
    opened = Terminals()
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("written", "faults"),
    [
        ("x" * 20, 0),
        ("x" * 21, 1),
        ("\\x1b[4;1Hlast", 0),
        ("\\x1b[4;1Hlast\\n", 1),
    ],
)
def test_a_screen_that_runs_over_is_noticed(terminals: Terminals, written: str, faults: int) -> None:
    script = f"print('\\x1b[?1049h{written}', end='', flush=True); input()"
    window = terminals.open(sys.executable, "-c", script, size=(20, 4))
    window.sees("x{20}|last")
    window.until(lambda: len(window.faults) == faults, f"{faults} faults")


def test_a_program_that_ends_too_early_fails_the_script(terminals: Terminals) -> None:
    window = terminals.open(sys.executable, "-c", "print('gone'); raise SystemExit(7)")
    with pytest.raises(pytest.fail.Exception, match="ended before this: sees 'never'"):
        window.sees("never")
    assert window.exit_status() == 7


LEAVING = """
import os, sys, tty
tty.setraw(0)
os.write(1, b"\\x1b[?1049h")
for shown, wanted in zip(sys.argv[1::2], sys.argv[2::2]):
    os.write(1, b"\\x1b[4;1H\\x1b[2K" + shown.encode())
    if os.read(0, 1) != wanted.encode():
        sys.exit(3)
"""
"""A program that shows a line of hints after the other, and wants a key at each."""


@pytest.mark.parametrize(
    "lines",
    [
        ["q leave", "q", "y yes  n no", "y", "q quit", "q"],
        ["q leave", "q", "q quit", "q"],
        # The line that was read was that of the screen before, which the key has not met any more.
        ["q leave", "q"],
        ["q quit", "q", "y yes  n no", "y"],
    ],
)
def test_a_window_is_left_by_what_each_key_leads_to(terminals: Terminals, lines: list[str]) -> None:
    window = terminals.open(sys.executable, "-c", LEAVING, *lines, size=(40, 4))
    assert window.quit() == 0


def test_a_line_of_hints_that_is_half_another_names_no_way_out(terminals: Terminals) -> None:
    window = terminals.open(
        sys.executable, "-c", LEAVING, "y yes  n no    ? help  q leave", "x", size=(40, 4)
    )
    window.sees("q leave")
    assert window.way_out == ""


def test_windows_are_held_against_each_other_in_one_look(terminals: Terminals) -> None:
    """The first shows what is wanted, and no longer does when the second comes to."""
    first, second = (
        terminals.open(sys.executable, "-c", LEAVING, *lines, size=(40, 4))
        for lines in (["here", "a", "gone", "b", "here", "c"], ["not yet", "a", "here", "b"])
    )
    first.sees("here")
    first.press("a")
    first.sees("gone")
    second.sees("not yet")
    second.press("a")
    second.sees("here")
    first.press("b")
    all_until([first, second], lambda window: "here" in window.screen(), "both are here")
    second.press("x")
    with pytest.raises(pytest.fail.Exception, match="ended before this: both are gone"):
        all_until([first, second], lambda window: "gone" in window.screen(), "both are gone")


def test_what_was_there_before_is_not_what_is_painted_anew(terminals: Terminals) -> None:
    window = terminals.open(
        sys.executable, "-c", LEAVING, "old  q leave", "\x0c", "new  q leave", "x", size=(40, 4)
    )
    window.sees("q leave")
    window.paint_anew()
    assert "new" in window.screen()
