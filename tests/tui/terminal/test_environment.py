import pytest

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
