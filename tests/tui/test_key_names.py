"""What people call a key, and Textual; each way leads back."""

import string

import pytest
from textual.events import Key

from cartino_tui.key_table import key_from_label, key_label
from cartino_tui.terminal.textual_internals import TerminalParser


def test_a_character_is_read_as_textual_calls_its_key_and_written_as_itself() -> None:
    for char in string.printable.strip():
        (event,) = TerminalParser().feed(char)
        assert isinstance(event, Key)
        assert (key_label(event.key), key_from_label(char)) == (char, event.key)


@pytest.mark.parametrize(
    ("key", "shown"),
    [("up", "↑"), ("enter", "Enter"), ("pagedown", "PgDn"), ("space", "Space"), ("f1", "F1")],
)
def test_others_have_names(key: str, shown: str) -> None:
    assert key_label(key) == shown
    assert key_from_label(shown) == key


def test_what_has_no_name_is_called_as_it_is() -> None:
    assert key_label("ctrl+y") == "ctrl+y"
    assert key_from_label("1-5") == "1-5"
