import subprocess
import sys

from cartino_tui.terminal import environment


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
