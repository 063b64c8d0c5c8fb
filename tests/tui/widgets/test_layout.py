"""The pieces that all screens of the frame share: what of them is left out where there is little room."""

import pytest

from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.game_port.screen import Look
from cartino_tui.keys import HISTORY, IGNORED, LEADERS, LOBBY, PROFILE, SSH_KEYS, KeyTable
from cartino_tui.widgets.layout import (
    cursor_step,
    fit_hints,
    footer,
    footer_height,
    hint_at,
    hint_line,
    hints_width,
    title_bar,
)

HINTS = (("Enter", "join"), ("n", "new"), ("c", "code"), ("?", "help"), ("q", "quit"))


def barred(width: int, title: str, *facts: str) -> str:
    canvas = Canvas(width, 2)
    title_bar(canvas, Look(width, 2), title, *facts)
    return canvas.frame().text().split("\n")[0]


def test_the_bar_says_as_much_as_there_is_room_for() -> None:
    facts = ("you are Ann · 14 people here", "Ann · 14 people here", "Ann")
    assert barred(50, "Game server", *facts) == " ■ Game server       you are Ann · 14 people here"
    assert barred(44, "Game server", *facts) == " ■ Game server         Ann · 14 people here"
    assert barred(26, "Game server", *facts) == " ■ Game server        Ann"
    assert barred(24, "Game server", "Ann · 14 people here") == " ■ Ann · 14 people here"
    assert barred(10, "Game server", "14 people here", "Bartholomew") == " ■ Barth…"
    assert barred(30, "Game server") == " ■ Game server"


@pytest.mark.parametrize(
    ("cells", "kept"),
    [
        (41, "Enc?q"),
        (40, "En?q"),
        (26, "E?q"),
        (25, "?q"),
        (14, "?q"),
        (13, "q"),
        (6, "q"),
        (5, ""),
        (-5, ""),
    ],
)
def test_the_way_out_stays_longest_then_the_help_then_the_first(cells: int, kept: str) -> None:
    assert "".join(key[0] for key, _ in fit_hints(HINTS, cells)) == kept


def test_what_fits_is_as_wide_as_it_is_said_to_be() -> None:
    assert hints_width(HINTS) == len("Enter join  n new  c code  ? help  q quit")
    assert fit_hints(HINTS, hints_width(HINTS)) == list(HINTS)
    assert len(fit_hints(HINTS, hints_width(HINTS) - 1)) == len(HINTS) - 1


def drawn(width: int) -> Frame:
    canvas = Canvas(width, 1)
    hint_line(canvas, Look(width, 1), 0, HINTS)
    return canvas.frame()


def test_a_hint_without_words_is_a_key_and_no_hint() -> None:
    assert fit_hints((("←", ""), ("q", "quit")), 60) == [("q", "quit")]


def test_a_click_finds_the_hint_that_stands_there_and_no_other() -> None:
    frame = drawn(60)
    row = frame.text()
    assert hint_at(frame, row.index("n new") + 2, 0, HINTS) == 1
    assert hint_at(frame, row.index("q quit"), 0, HINTS) == 4
    assert hint_at(frame, row.index("n new") - 1, 0, HINTS) is None
    assert hint_at(frame, 0, 5, HINTS) is None
    small = drawn(20)
    assert small.text() == " ? help  q quit"


def test_the_foot_is_as_high_as_what_it_says() -> None:
    look = Look(20, 6)
    for status, rows in (("", 2), ("Short.", 2), ("It is a long one, of two rows.", 3)):
        canvas = Canvas(20, 6)
        footer(canvas, look, status, HINTS)
        assert footer_height(look, status) == rows
        written = [row.strip() for row in canvas.frame().text().split("\n")]
        assert " ".join(row for row in written[:-1] if row) == status
        assert written[6 - rows] or not status


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
