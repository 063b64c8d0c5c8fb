"""What is sent to call somebody, and to which terminals."""

import pytest

from cartino_tui.terminal import window
from cartino_tui.terminal.window import TerminalWindow
from tests.tui.terminal.conftest import Stage, until

OLD = ("", "dumb", "linux", "vt100", "vt220", "ansi", "cons25", "unknown", "eterm-color")
NEW = (
    "xterm-256color",
    "tmux-256color",
    "screen",
    "foot",
    "rxvt-unicode",
    "xterm-kitty",
    "st",
    "st-256color",
)


@pytest.mark.parametrize("term", OLD)
def test_an_old_terminal_is_sent_nothing_but_the_bell(term: str) -> None:
    sent: list[str] = []
    window = TerminalWindow(term, sent.append)
    window.set_title("Toy")
    window.note("Toy", "your turn")
    window.set_title("")
    assert sent == []
    window.ring()
    assert sent == ["\x07"]


@pytest.mark.parametrize("term", NEW)
def test_a_title_is_set_once_and_given_back(term: str) -> None:
    sent: list[str] = []
    window = TerminalWindow(term, sent.append)
    for text in ("Toy", "Toy", "your turn", "", ""):
        window.set_title(text)
    assert sent == ["\x1b[22;0t\x1b]2;Toy\x1b\\", "\x1b]2;your turn\x1b\\", "\x1b[23;0t"]


@pytest.mark.parametrize(
    ("term", "sent"),
    [
        ("xterm-256color", "\x1b]9;go; on\x1b\\\x1b]777;notify;Toy, now;go, on\x1b\\"),
        ("xterm-kitty", "\x1b]9;go; on\x1b\\"),
        ("foot", "\x1b]777;notify;Toy, now;go, on\x1b\\"),
        ("tmux-256color", "\x1bPtmux;\x1b\x1b]9;go; on\x1b\x1b\\\x1b\\"),
        ("screen-256color", ""),
    ],
)
def test_a_note_goes_the_way_that_the_terminal_knows(term: str, sent: str) -> None:
    assert window.note_sequence(term, "Toy; now", "go; on") == sent


async def test_the_title_is_given_back_before_the_screen_is(shown: Stage) -> None:
    assert shown.app.window is not None
    shown.app.window.set_title("Toy")
    await until(lambda: b"]2;Toy" in shown.terminal.sent)
    assert await shown.end() == 0
    end = bytes(shown.terminal.sent).rpartition(b"]2;Toy")[2]
    assert 0 < end.index(b"\x1b[23;0t") < end.index(b"\x1b[?1049l")


async def test_an_app_that_never_had_a_title_gives_none_back(shown: Stage) -> None:
    assert await shown.end() == 0
    assert b"\x1b[23;0t" not in shown.terminal.sent
