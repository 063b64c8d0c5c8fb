"""The instruments of these scripts notice what they are there for."""

import sys

import pytest

from tests.support.escapes import colours, left_changed, switched
from tests.support.ssh_world import troubles
from tests.support.terminals import Terminals

pytestmark = pytest.mark.e2e
ON = b"\x1b[?1049h\x1b[?1000;1006h\x1b[?25l\x1b[>1u\x1b[1;31m"
OFF = b"\x1b[0m\x1b[<u\x1b[?25h\x1b[?1006l\x1b[?1000l\x1b[?1049l"


def test_what_is_left_changed() -> None:
    assert left_changed(ON) == {
        "1049": True, "1000": True, "1006": True, "25": False, "kitty": True, "style": True,
    }  # fmt: skip
    assert left_changed(ON + OFF) == {}
    assert switched(ON + OFF) == {"1049", "1000", "1006", "25"}


@pytest.mark.parametrize(
    ("raw", "used"),
    [
        (b"\x1b[m \x1b[0;1;4m", set()),
        (b"\x1b[38;5;31m", {"256"}),
        (b"\x1b[1;48;2;38;5;31m", {"true"}),
        (b"\x1b[38;5;1;33m\x1b[97m", {"256", "16"}),
    ],
)
def test_which_colours_are_used(raw: bytes, used: set[str]) -> None:
    assert colours(raw) == used


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


def test_what_went_wrong_in_a_house() -> None:
    came = "2026-11-21T08:21:28.268888Z [info     ] came in                        name=warning"
    crashed = (
        "2026-11-21T08:21:28.268889Z [error    ] session crashed                session=3\n"
        "Traceback (most recent call last):\nKeyError: 1"
    )
    late = "2026-11-21T08:21:29.268888Z [warning  ] a worker did not end in time   worker=1"
    assert troubles(f"{came}\n{crashed}\n{came}\n{late}\n{came}\n") == [crashed, late]
    assert troubles(f"{came}\n") == troubles("") == []
