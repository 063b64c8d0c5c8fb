"""What people call a key, and Textual; each way leads back."""

import string

import pytest
from textual.events import Key

from cartino_tui.driver.inside import Parser
from cartino_tui.key_names import named, written


def test_a_character_is_read_as_textual_calls_its_key_and_written_as_itself() -> None:
    for char in string.printable.strip():
        (event,) = Parser().feed(char)
        assert isinstance(event, Key)
        assert (written(event.key), named(char)) == (char, event.key)


@pytest.mark.parametrize(
    ("key", "shown"),
    [("up", "↑"), ("enter", "Enter"), ("pagedown", "PgDn"), ("space", "Space"), ("f1", "F1")],
)
def test_others_have_names(key: str, shown: str) -> None:
    assert written(key) == shown
    assert named(shown) == key


def test_what_has_no_name_is_called_as_it_is() -> None:
    assert written("ctrl+y") == "ctrl+y"
    assert named("1-5") == "1-5"
