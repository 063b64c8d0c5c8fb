"""The settings as a frame: a line each, what the marked one is for, and a few pieces of the games as they look now."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from cartino_tui.draw.canvas import Canvas, Frame, Row
from cartino_tui.draw.flowing import length, put_row
from cartino_tui.draw.text import plain
from cartino_tui.games.screen import Look
from cartino_tui.preferences import Preferences
from cartino_tui.screens.parts import Hints, bar, first_in_sight, foot, foot_height, marks
from cartino_tui.screens.settings_rows import SETTINGS, Setting, note_said, value_said

_TOP = 2
_LABEL = 3
_SAMPLE = 2
"""Rows of pieces."""


class SettingsModel(msgspec.Struct, frozen=True):
    """Which line is marked, which is the first in sight, and a sentence about what happened.

    `rows` are the lines, `sample` the rows of the games' pieces.
    """

    cursor: int = 0
    top: int = 0
    status: str = ""
    rows: tuple[Setting, ...] = SETTINGS
    sample: tuple[Row, ...] = ()


class Plan(NamedTuple):
    """Where things stand, in cells: the first row of the lines and how many are in sight; where values begin."""

    first: int
    height: int
    value: int


def plan(model: SettingsModel, look: Look, wanted: Preferences) -> Plan:
    """Where things stand for `look`."""
    labels = [_safe(look, look.tongue.say(setting.label)) for setting in model.rows]
    foot_rows = max(foot_height(look, note_said(setting, wanted, look.tongue)) for setting in model.rows)
    foot_rows = max(foot_rows, foot_height(look, model.status))
    room = look.height - _TOP - foot_rows - _SAMPLE
    height = min(len(model.rows), room)
    spare = room - height
    return Plan(_TOP + min(1, max(0, spare - 1)), height, _LABEL + max(map(len, labels)) + 2)


def scrolled(model: SettingsModel, look: Look, wanted: Preferences) -> SettingsModel:
    """The model with the marked line in sight."""
    height = plan(model, look, wanted).height
    return msgspec.structs.replace(
        model, top=first_in_sight(model.top, model.cursor, len(model.rows), height)
    )


def draw_settings(model: SettingsModel, look: Look, wanted: Preferences, hints: Hints) -> Frame:
    """The whole screen, `look.width` by `look.height` cells, of a `scrolled` model."""
    canvas, say = Canvas(look.width, look.height), look.tongue.say
    there = plan(model, look, wanted)
    bar(canvas, look, say("Settings"), f"{model.cursor + 1}/{len(model.rows)}")
    less, more = _arrows(look)
    for line, setting in enumerate(model.rows[model.top : model.top + there.height]):
        y, here = there.first + line, model.top + line == model.cursor
        if here:
            canvas.put(1, y, marks(look).pick, "key")
        canvas.put(_LABEL, y, _safe(look, say(setting.label)), "title" if here else "text")
        x = canvas.put(there.value, y, less, "key" if here else "dim") + 1
        x = canvas.put(
            x, y, _safe(look, value_said(setting, wanted, look.tongue)), "selected" if here else "you"
        )
        canvas.put(x + 1, y, more, "key" if here else "dim")
    _draw_sample(canvas, look, there, model.sample)
    note = model.status or note_said(model.rows[model.cursor], wanted, look.tongue)
    foot(canvas, look, note, hints)
    return canvas.frame()


def part_at(model: SettingsModel, look: Look, wanted: Preferences, x: int, y: int) -> tuple[int, int] | None:
    """The line at the cell (x, y) and what a click there turns it by: 0 for its label; None outside of the lines."""
    there = plan(model, look, wanted)
    line = y - there.first
    if not 0 <= line < there.height or x >= look.width:
        return None
    at = model.top + line
    value = _safe(look, value_said(model.rows[at], wanted, look.tongue))
    if x < there.value or x > there.value + len(value) + 3:
        return at, 0
    return at, -1 if x <= there.value + 1 else 1


def _draw_sample(canvas: Canvas, look: Look, there: Plan, sample: Sequence[Row]) -> None:
    """The pieces under the lines, and behind the last row of them some words."""
    y = there.first + there.height + (there.first > _TOP)
    x = _LABEL
    for line, row in enumerate(sample[:_SAMPLE]):
        x = put_row(canvas, _LABEL, y + line, row) + 2
    words: tuple[tuple[str, str], ...] = (("12", "points"), (" ", "ground"), ("Ann", "chat-name"))
    if x + length(words) < look.width:
        put_row(canvas, x, y + max(0, len(sample[:_SAMPLE]) - 1), words)


def _arrows(look: Look) -> tuple[str, str]:
    return ("<", ">") if look.ascii else ("◄", "►")


def _safe(look: Look, text: str) -> str:
    return plain(text) if look.ascii else text
