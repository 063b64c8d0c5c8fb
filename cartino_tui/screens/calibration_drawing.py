"""The calibration card as a frame."""

from typing import Final

import msgspec

from cartino_tui.draw.canvas import Canvas, Frame, Row
from cartino_tui.draw.flowing import in_rows, put_row, put_rows
from cartino_tui.draw.text import plain
from cartino_tui.games.screen import Look
from cartino_tui.preferences import Preferences
from cartino_tui.screens import cards
from cartino_tui.screens.parts import Hints, bar, foot
from cartino_tui.screens.settings_rows import SETTINGS, value_said

_X: Final = 2
_BARS: Final = ("reversed", "fill-stone", "fill-picked", "selected", "button", "late")
_ALL: Final = (
    "┌───────────────┐",
    "│ ♠ ♥ ♦ ♣ ■ ★ ● │",
    "│ ○ ► ◄ · − … √ │",
    "│ ╔═╗ ╭─╮ ░ █ ╌ │",
    "└───────────────┘",
)
_PLAIN: Final = ("+---------------+", "| S H D C # * o |", "| . > < - ~ x : |", "+---------------+")


class CalibrationModel(msgspec.Struct, frozen=True):
    """How many colours the terminal has, in words, and a sentence about what happened."""

    colours: str
    status: str = ""


def draw_calibration(model: CalibrationModel, look: Look, wanted: Preferences, hints: Hints) -> Frame:
    """The whole card, `look.width` by `look.height` cells."""
    canvas, say = Canvas(look.width, look.height), look.tongue.say
    bar(canvas, look, say("Your terminal"), f"{look.width} x {look.height}, {model.colours}")
    _draw_inks(canvas, look, 2 + (look.height > 21))
    y = put_rows(
        canvas, _X, 5 + (look.height > 21), [cards.printed(look), cards.stones(look), cards.states(look)]
    )
    _draw_edges(canvas, look, wanted, y + 1)
    foot(canvas, look, model.status or _chosen(look, wanted), hints)
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


def _chosen(look: Look, wanted: Preferences) -> str:
    """What holds now."""
    by_name = {setting.name: value_said(setting, wanted, look.tongue) for setting in SETTINGS}
    return look.tongue.say(
        "Colours: {theme}. Deck: {deck}. Characters: {characters}.",
        theme=by_name["theme"],
        deck=by_name["deck"],
        characters=by_name["characters"],
    )


def _plainly(row: Row, look: Look) -> Row:
    return tuple((plain(text) if look.ascii else text, role) for text, role in row)
