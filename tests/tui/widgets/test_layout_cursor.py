"""The keys that move in a list: each the right way, and no other key at all."""

import pytest

from cartino_tui.keys import HISTORY, IGNORED, LEADERS, LOBBY, PROFILE, SSH_KEYS, KeyTable
from cartino_tui.widgets.layout import cursor_step

MOVES = {"up": -1, "down": 1, "page-up": -7, "page-down": 7, "first": -30, "last": 30}


@pytest.mark.parametrize(("action", "by"), MOVES.items())
def test_an_action_moves_as_it_is_called(action: str, by: int) -> None:
    assert cursor_step(action, 7, 30) == by


@pytest.mark.parametrize("table", [HISTORY, IGNORED, LEADERS, LOBBY, PROFILE, SSH_KEYS])
def test_no_other_key_of_a_list_moves(table: KeyTable) -> None:
    actions = {table.action(key) for row in table.rows for key in row.keys}
    assert {action for action in actions if cursor_step(action, 7, 30) is not None} == actions & MOVES.keys()
    assert {"up", "down"} <= actions


def test_a_key_without_a_meaning_moves_nothing() -> None:
    assert cursor_step(None, 7, 30) is None
