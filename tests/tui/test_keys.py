"""The tables of keys: no key means two things, and what help and hints show is what the screens do."""

import pytest

from cartino_tui import keys
from cartino_tui.key_table import key_from_label
from cartino_tui.keys import KeyRow, KeyTable

TABLES = {name: value for name, value in vars(keys).items() if isinstance(value, KeyTable)}
ONLY_HABITS = {"ctrl+l"}


def test_a_key_that_stands_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="stands twice"):
        KeyTable(KeyRow("up", ("k",), "k", "up"), KeyRow("down", ("k",), "j", "down"))


def test_an_action_that_stands_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="stands twice"):
        KeyTable(KeyRow("up", ("k",), "k", "up"), KeyRow("up", ("j",), "j", "down"))


@pytest.mark.parametrize("name", TABLES)
def test_backspace_does_what_escape_does_everywhere(name: str) -> None:
    table = TABLES[name]
    assert table.action("backspace") == table.action("escape") is not None


@pytest.mark.parametrize("name", TABLES)
def test_everything_can_be_done_without_ctrl_and_alt(name: str) -> None:
    for row in TABLES[name].rows:
        plain = [key for key in row.keys if "+" not in key]
        assert plain or set(row.keys) <= ONLY_HABITS


@pytest.mark.parametrize("name", TABLES)
def test_every_row_is_in_the_help_and_a_click_on_its_hint_presses_its_key(name: str) -> None:
    table = TABLES[name]
    assert [shown for shown, _ in table.help()] == [row.all_shown for row in table.rows]
    for row in table.rows:
        pressed = table.key(row.shown)
        assert pressed is not None
        assert table.action(pressed) == row.action


@pytest.mark.parametrize("name", TABLES)
def test_the_help_has_all_keys_of_a_row_the_one_of_the_hint_first(name: str) -> None:
    for row in TABLES[name].rows:
        shown = row.all_shown.split(" ")
        assert shown[0] == row.shown.split(" ")[0]
        many = {key for key in row.keys if len(row.keys) > 9 and key.isdigit()}
        assert {key_from_label(each) for each in shown} >= {key for key in row.keys if " " not in key} - many


@pytest.mark.parametrize("name", ["TABLE", "WAITING"])
def test_what_takes_two_keys_is_what_these_do_one_after_the_other(name: str) -> None:
    two = [row for row in TABLES[name].rows if " " in row.keys[0]]
    assert [row.action for row in two] == ["ignore", "report", "ignored"]
    for row in two:
        first, second = row.all_shown.split(" ")
        assert row.keys == (row.shown,)
        assert TABLES[name].action(first) == "said"
        assert keys.TALK.action(second) == row.action


def test_an_unknown_key_means_nothing() -> None:
    assert keys.LOBBY.action("z") is None
    assert keys.LOBBY.key("z") is None
