import subprocess
import sys

import pytest

from cartino_tui.terminal import environment
from cartino_tui.terminal.environment import ascii_only, can_draw


@pytest.mark.parametrize(
    ("term", "env", "simple"),
    [
        ("xterm-256color", {}, False),
        ("xterm-256color", {"LANG": "de_DE.UTF-8"}, False),
        ("xterm-256color", {"LANG": "de_DE.utf8"}, False),
        ("xterm-256color", {"LANG": "C"}, True),
        ("xterm-256color", {"LANG": "de_DE.ISO-8859-1"}, True),
        ("xterm-256color", {"LANG": "C", "LC_CTYPE": "en_US.UTF-8"}, False),
        ("xterm-256color", {"LC_ALL": "POSIX", "LANG": "en_US.UTF-8"}, True),
        ("vt100", {"LANG": "en_US.UTF-8"}, True),
        ("vt220-8bit", {}, True),
        ("linux", {}, False),
    ],
)
def test_plain_characters_for_old_terminals_and_other_locales(
    term: str, env: dict[str, str], simple: bool
) -> None:
    assert ascii_only(term, env) == simple


@pytest.mark.parametrize(
    ("term", "can"), [("", False), ("dumb", False), ("DUMB", False), ("vt100", True), ("x", True)]
)
def test_what_can_move_no_cursor_can_show_no_screen(term: str, can: bool) -> None:
    assert can_draw(term) == can


def test_what_speaks_of_one_terminal_is_taken_out_and_handed_back() -> None:
    environ = {
        "NO_COLOR": "1",
        "TEXTUAL_FPS": "1",
        "TERM_PROGRAM_VERSION": "3",
        "PATH": "/bin",
        "TERM": "xterm",
    }
    assert environment.clear_terminal_variables(environ) == {
        "NO_COLOR": "1",
        "TEXTUAL_FPS": "1",
        "TERM_PROGRAM_VERSION": "3",
    }
    assert environ == {"PATH": "/bin", "TERM": "xterm"}


def test_textual_imported_afterwards_sees_nothing_of_it() -> None:
    program = (
        "import sys\n"
        "from cartino_tui.terminal import environment\n"
        "assert 'textual' not in sys.modules and 'rich' not in sys.modules\n"
        "environment.clear_terminal_variables()\n"
        "from textual import constants\n"
        "print(constants.MAX_FPS, constants.DEBUG)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", program],
        env={"TEXTUAL_FPS": "7", "TEXTUAL_DEBUG": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == "60 False\n"
