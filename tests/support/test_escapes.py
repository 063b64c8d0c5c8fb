"""What escape sequences leave changed, and which colours they use."""

import pytest

from tests.support.escapes import colours, left_changed, switched

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
