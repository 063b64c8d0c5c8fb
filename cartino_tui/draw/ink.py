"""How a style is said to a terminal, and how little of it has to be said after another style."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import msgspec
from rich.color import Color, ColorType
from rich.style import Style

_ON: Final = ("1", "2", "3", "4", "7", "9")
_OFF: Final = {"1": "22", "2": "22", "3": "23", "4": "24", "7": "27", "9": "29"}


class Ink(msgspec.Struct, frozen=True):
    """What SGR says of a cell: colour of text and of ground ("" for the terminal's own), and attributes."""

    text: str = ""
    ground: str = ""
    marks: frozenset[str] = frozenset()


PLAIN: Final = Ink()
"""What a terminal writes in after a reset."""


def ink_of(style: Style) -> Ink:
    """`style`, whose colours are of the terminal's depth already."""
    attributes = (style.bold, style.dim, style.italic, style.underline, style.reverse, style.strike)
    return Ink(
        _codes(style.color, foreground=True),
        _codes(style.bgcolor, foreground=False),
        frozenset(code for code, on in zip(_ON, attributes, strict=True) if on),
    )


def _codes(colour: Color | None, *, foreground: bool) -> str:
    if colour is None or colour.type == ColorType.DEFAULT:
        return ""
    return ";".join(colour.get_ansi_codes(foreground))


@lru_cache(maxsize=8192)
def change(before: Ink, after: Ink) -> str:
    """The shortest escape sequence that makes a terminal that writes in `before` write in `after`."""
    if before == after:
        return ""
    anew = ["0", *sorted(after.marks), *filter(None, (after.text, after.ground))]
    return f"\x1b[{min(';'.join(_steps(before, after)), ';'.join(anew), key=len)}m"


def _steps(before: Ink, after: Ink) -> list[str]:
    gone = {_OFF[mark] for mark in before.marks - after.marks}
    # Bold and dim go off together: whichever stays is said again.
    again = {mark for mark in after.marks if _OFF[mark] in gone}
    steps = [*sorted(gone), *sorted((after.marks - before.marks) | again)]
    if before.text != after.text:
        steps.append(after.text or "39")
    if before.ground != after.ground:
        steps.append(after.ground or "49")
    return steps


Inks = Mapping[str, Ink]
"""The ink of each role."""
