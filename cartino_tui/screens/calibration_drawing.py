"""The calibration card as a frame."""

from typing import Final

import msgspec

from cartino_tui.draw.canvas import Canvas, Frame, Row
from cartino_tui.draw.flowing import in_rows, put_row, put_rows
from cartino_tui.draw.text import plain
from cartino_tui.games.screen import Look
from cartino_tui.preferences import Preferences
from cartino_tui.screens.parts import Hints, bar, foot, foot_height
from cartino_tui.screens.settings_rows import SETTINGS, Setting, value_said

_X: Final = 2
_BARS: Final = ("reversed", "selected", "button", "late")
_ALL: Final = (
    "┌───────────────┐",
    "│ ♠ ♥ ♦ ♣ ■ ★ ● │",
    "│ ○ ► ◄ · − … √ │",
    "│ ╔═╗ ╭─╮ ░ █ ╌ │",
    "└───────────────┘",
)
_PLAIN: Final = ("+---------------+", "| S H D C # * o |", "| . > < - ~ x : |", "+---------------+")


class CalibrationModel(msgspec.Struct, frozen=True):
    """How many colours the terminal has, in words, and a sentence about what happened.

    `settings` are the lines of the settings, `sample` rows of the games' pieces.
    """

    colours: str
    status: str = ""
    settings: tuple[Setting, ...] = SETTINGS
    sample: tuple[Row, ...] = ()


def draw_calibration(model: CalibrationModel, look: Look, wanted: Preferences, hints: Hints) -> Frame:
    """The whole card, `look.width` by `look.height` cells."""
    canvas, say = Canvas(look.width, look.height), look.tongue.say
    bar(canvas, look, say("Your terminal"), f"{look.width} x {look.height}, {model.colours}")
    _draw_inks(canvas, look, 2 + (look.height > 21))
    status = model.status or _chosen(model, look, wanted)
    y = 5 + (look.height > 21)
    room = look.height - foot_height(look, status) - 1 - len(_ALL) - y
    y = put_rows(canvas, _X, y, model.sample[: max(0, room)])
    _draw_edges(canvas, look, wanted, y + 1)
    foot(canvas, look, status, hints)
    return canvas.frame()


def _draw_inks(canvas: Canvas, look: Look, y: int) -> None:
    """Filled pieces in the colours of the look, and each kind of emphasis, which stays where there is no colour."""
    x = _X
    for role in _BARS:
        x = canvas.put(x, y, "     ", role) + 1
    kinds: list[Row] = [
        ((say, role),)
        for say, role in (
            (look.tongue.say("bold"), "strong"),
            (look.tongue.say("underlined"), "underlined"),
            (look.tongue.say("reversed"), "reversed"),
            (look.tongue.say("dim"), "dim"),
        )
    ]
    x = _X
    for kind in kinds:
        x = put_row(canvas, x, y + 1, _plainly(kind, look)) + 2


def _draw_edges(canvas: Canvas, look: Look, wanted: Preferences, y: int) -> None:
    """A box whose right edge is straight where every character is one cell wide, and the question beside it."""
    say = look.tongue.say
    # To a terminal that says it has no more than ASCII these could be orders.
    tries_all = not wanted.own_ascii or wanted.settings.characters == "unicode"
    picture = _ALL if tries_all else _PLAIN
    for line, text in enumerate(picture):
        canvas.put(_X, y + line, text, "text")
    question = (
        say("Is the right edge of this box one straight line? y keeps all characters, n takes plain letters.")
        if tries_all
        else say("Your terminal says that it has plain letters only. Settings can ask for all.")
    )
    x = _X + len(picture[0]) + 3
    put_rows(canvas, x, y, in_rows(question, "text", look.width - x - 1, ascii=look.ascii))


def _chosen(model: CalibrationModel, look: Look, wanted: Preferences) -> str:
    """What holds now."""
    by_name = {setting.name: value_said(setting, wanted, look.tongue) for setting in model.settings}
    if "deck" not in by_name:
        return look.tongue.say(
            "Colours: {theme}. Characters: {characters}.",
            theme=by_name["theme"],
            characters=by_name["characters"],
        )
    return look.tongue.say(
        "Colours: {theme}. Deck: {deck}. Characters: {characters}.",
        theme=by_name["theme"],
        deck=by_name["deck"],
        characters=by_name["characters"],
    )


def _plainly(row: Row, look: Look) -> Row:
    return tuple((plain(text) if look.ascii else text, role) for text, role in row)
