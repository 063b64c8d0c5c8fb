"""The shortest escape sequences to move the cursor and to change the style.

Only sequences that every terminal since the VT100 knows. A line feed moves down in the same column: no terminal here
returns to the first one, neither behind SSH nor that of `LocalDriver`. CHA is avoided.
"""

from functools import lru_cache
from typing import Final

import msgspec
from rich.color import Color, ColorType
from rich.style import Style

_ON: Final = ("1", "2", "3", "4", "7", "9")
_OFF: Final = {"1": "22", "2": "22", "3": "23", "4": "24", "7": "27", "9": "29"}


class Ink(msgspec.Struct, frozen=True, eq=False):
    """Foreground and background ("" for the terminal's own) and attributes of a cell, as SGR parameters.

    `singly`: attributes can be ended one by one; a VT100 can only reset all. Inks are compared by identity, as that
    happens for every cell; `ink_of` returns the same one for equal styles.
    """

    text: str = ""
    ground: str = ""
    marks: frozenset[str] = frozenset()
    singly: bool = True


def ink_of(style: Style, *, singly: bool = True) -> Ink:
    """Return the ink of `style`, whose colours already fit the terminal's depth."""
    attributes = (style.bold, style.dim, style.italic, style.underline, style.reverse, style.strike)
    return _shared_ink(
        _codes(style.color, foreground=True),
        _codes(style.bgcolor, foreground=False),
        frozenset(code for code, on in zip(_ON, attributes, strict=True) if on),
        singly,
    )


_shared_ink = lru_cache(maxsize=None)(Ink)  # a few dozen for every theme and depth


def _codes(colour: Color | None, *, foreground: bool) -> str:
    if colour is None or colour.type == ColorType.DEFAULT:
        return ""
    return ";".join(colour.get_ansi_codes(foreground))


_SHOW_ON_BLANKS: Final = frozenset({"4", "9"})


def blank_ground(ink: Ink) -> str | None:
    """Return all that a blank in `ink` shows, its background; None if it shows a line, too, or nobody knows.

    In reverse it shows the text's colour, which some terminals brighten with bold if it is one of the sixteen.
    """
    if ink.marks & _SHOW_ON_BLANKS:
        return None
    if "7" not in ink.marks:
        return ink.ground
    return f"4{ink.text[1:]}" if ink.text.startswith("38;") and "2" not in ink.marks else None


@lru_cache(maxsize=8192)
def ink_for_blanks(before: Ink, after: Ink) -> Ink:
    """Return an ink in which blanks look as in `after`, one that takes the least change from `before`."""
    ground = blank_ground(after)
    if ground is None or before.marks & {"2", "4", "7", "9"}:
        return after
    like = _shared_ink(before.text, ground, before.marks, before.singly)
    return min(like, after, key=lambda ink: len(style_change(before, ink)))


@lru_cache(maxsize=8192)
def style_change(before: Ink | None, after: Ink) -> str:
    """Return the shortest sequence that changes the terminal's ink from `before` (None: unknown) to `after`."""
    if before is after:
        return ""
    full = ["0", *sorted(after.marks), *filter(None, (after.text, after.ground))]
    if before is None or not (after.singly or _only_adds(before, after)):
        return f"\x1b[{';'.join(full)}m"
    steps = _change_codes(before, after)
    # Without a step the sequence would reset everything.
    return f"\x1b[{min(';'.join(steps), ';'.join(full), key=len)}m" if steps else ""


def _only_adds(before: Ink, after: Ink) -> bool:
    """Return whether every attribute of `before` stays; colours may change."""
    return before.marks <= after.marks and bool(
        (after.text or not before.text) and (after.ground or not before.ground)
    )


def _change_codes(before: Ink, after: Ink) -> list[str]:
    gone = {_OFF[mark] for mark in before.marks - after.marks}
    # Bold and dim end together, so the one that stays is set again.
    again = {mark for mark in after.marks if _OFF[mark] in gone}
    steps = [*sorted(gone), *sorted((after.marks - before.marks) | again)]
    if before.text != after.text:
        steps.append(after.text or "39")
    if before.ground != after.ground:
        steps.append(after.ground or "49")
    return steps


CellPosition = tuple[int, int]
"""(x, y), from 0."""

UNKNOWN_POSITION: Final = (-1, -1)


def move_cursor(at: CellPosition, to: CellPosition) -> str:
    """Return the shortest sequence that moves the cursor from `at` to `to`."""
    if at == to:
        return ""
    if at == UNKNOWN_POSITION:
        return _absolute(to)
    (x, y), (to_x, to_y) = at, to
    down = _vertical(to_y - y)
    return min(down + _horizontal(to_x - x), f"\r{down}{_horizontal(to_x)}", _absolute(to), key=len)


# Millions of moves consist of few parts.
@lru_cache(maxsize=4096)
def _absolute(to: CellPosition) -> str:
    column, row = (number + 1 for number in to)
    return f"\x1b[{row};{column}H" if column > 1 else f"\x1b[{row}H"


@lru_cache(maxsize=512)
def _vertical(rows: int) -> str:
    if rows == -1:
        return "\x1bM"  # on the top row it would scroll, and from there nobody goes up
    if rows < 0:
        return _relative(-rows, "A")
    return min("\n" * rows, _relative(rows, "B"), key=len)


@lru_cache(maxsize=1024)
def _horizontal(columns: int) -> str:
    if columns < 0:
        return min("\b" * -columns, _relative(-columns, "D"), key=len)
    return _relative(columns, "C")


def _relative(steps: int, order: str) -> str:
    if steps == 0:
        return ""
    return f"\x1b[{order}" if steps == 1 else f"\x1b[{steps}{order}"
