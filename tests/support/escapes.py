"""What a program's bytes did to a terminal: which of its modes they left changed, and which colours they used."""

import re
from typing import Literal

from cartino_tui.terminal.probe import COLOUR_QUERY

Colours = Literal["true", "256", "16"]

FRESH = {"7": True, "25": True}
"""The private modes that a terminal has on when a shell starts; all others are off."""
_MODES = re.compile(rb"\x1b\[\?([\d;]+)([hl])")
_KITTY = re.compile(rb"\x1b\[([<>])\d*u")
_STYLE = re.compile(rb"\x1b\[([\d;]*)m")


def left_changed(raw: bytes) -> dict[str, bool]:
    """What doesn't stay as a shell has it: private modes by number, and whether they stay on.

    1049 is the other screen, 1000 to 1006 the mouse, 25 the cursor, 2004 paste; besides them `kitty` for a
    keyboard mode that was not taken back, and `style` for one that still colours.
    """
    state = dict(FRESH)
    for modes, switch in _MODES.findall(raw):
        for mode in modes.decode().split(";"):
            state[mode] = switch == b"h"
    arrows = _KITTY.findall(raw)
    state["kitty"] = arrows.count(b">") > arrows.count(b"<")
    styles = _STYLE.findall(raw)
    state["style"] = bool(styles) and styles[-1] not in {b"", b"0"}
    return {mode: on for mode, on in state.items() if on != FRESH.get(mode, False)}


def switched(raw: bytes) -> set[str]:
    """Every private mode that was turned on at some time."""
    return {
        mode for modes, switch in _MODES.findall(raw) if switch == b"h" for mode in modes.decode().split(";")
    }


def colours(raw: bytes) -> set[Colours]:
    """The kinds of colours used."""
    used: set[Colours] = set()
    for found in _STYLE.findall(raw.replace(COLOUR_QUERY, b"")):
        used |= _colours_of([int(part or b"0") for part in found.split(b";")])
    return used


def _colours_of(codes: list[int]) -> set[Colours]:
    used: set[Colours] = set()
    at = 0
    while at < len(codes):
        code = codes[at]
        if code in {38, 48, 58}:
            true = codes[at + 1] == 2
            used.add("true" if true else "256")
            at += 5 if true else 3
            continue
        if 30 <= code <= 37 or 40 <= code <= 47 or 90 <= code <= 97 or 100 <= code <= 107:
            used.add("16")
        at += 1
    return used
