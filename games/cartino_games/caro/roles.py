"""The roles of pieces in red, black, grey and white, and of the places that they are laid on."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec
from rich.style import Style

from cartino_tui.draw.palette import PaletteFamily
from cartino_tui.draw.theme import RoleSet, Scheme, block_style, text_style


class Paint(msgspec.Struct, frozen=True):
    """The ground of a piece, the ink of its letter, its edge, and the lines on it; "" for none."""

    ground: str
    ink: str
    edge: str
    lines: str = ""


_BLACK: Final = Paint("#000000", "#ffffff", "#5f5f5f")
_WHITE: Final = Paint("#ffffff", "#000000", "#9e9e9e")
_BLACK_OF_16: Final = Paint("black", "bright_white", "white")
_WHITE_OF_16: Final = Paint("bright_white", "black", "black")
_OF_16: Final = {
    "R": Paint("red", "bright_white", "black"),
    "B": _BLACK_OF_16,
    "G": Paint("white", "blue", "black", "black"),
    "W": _WHITE_OF_16,
}
_LINED_OF_16: Final = Paint("bright_white", "black", "black", "black")
_OWN: Final = Paint("default", "default", "default")
_OWN_LINED: Final = Paint("default", "default", "default", "default")
_STRONG: Final = {
    "R": Paint("#af0000", "#ffffff", "#5f0000"),
    "B": _BLACK,
    "G": Paint("#a8a8a8", "#000000", "#6c6c6c"),
    "W": _WHITE,
}

PIECES: Final[Mapping[PaletteFamily, Mapping[str, Paint]]] = MappingProxyType(
    {
        "dark": {
            "R": Paint("#d70000", "#ffffff", "#870000"),
            "B": _BLACK,
            "G": Paint("#949494", "#000000", "#5f5f5f"),
            "W": _WHITE,
        },
        "light": _STRONG,
        "contrast": _STRONG,
        "dark-16": _OF_16,
        "light-16": _OF_16,
        "contrast-16": {"R": _BLACK_OF_16, "B": _BLACK_OF_16, "G": _LINED_OF_16, "W": _WHITE_OF_16},
        "own-on-dark": {
            "R": Paint("bright_red", "default", "default"),
            "B": _OWN_LINED,
            "G": _OWN_LINED,
            "W": _OWN,
        },
        "own-on-light": {
            "R": Paint("red", "default", "default"),
            "B": _OWN_LINED,
            "G": _OWN_LINED,
            "W": _OWN,
        },
    }
)
"""How each piece looks; where colours are few, letters and lines alone tell some apart."""

_BOARDS: Final[Mapping[PaletteFamily, tuple[str, str]]] = MappingProxyType(
    {
        "contrast": ("#00005f", "#000087"),
        "dark-16": ("blue", "blue"),
        "light-16": ("cyan", "cyan"),
        "contrast-16": ("blue", "blue"),
    }
)
"""The grounds of places where those of other boards are so dark, or so bright, that pieces would be lost on them."""

_DARK: Final = "B"
_LINED: Final = (_DARK, "G")
"""Pieces that are lined where there is no colour for them; a black one is also as dark as the ground there."""


def _roles(scheme: Scheme) -> dict[str, Style]:
    c, styles = scheme.colours, dict[str, Style]()
    for letter, paint in PIECES[scheme.family].items():
        # Where there are to be none, lines are drawn in the ground: attributes are the same in all themes.
        lines = paint.lines or paint.ground if letter in _LINED else paint.ink
        for part, ink in (("", paint.ink), ("-fill", lines), ("-edge", paint.edge)):
            lined = letter in _LINED and part == "-fill"
            styles[f"piece-{letter}{part}"] = (
                text_style(ink, paint.ground, bold=True, underline=lined)
                if letter == _DARK
                else block_style(ink, paint.ground, underline=lined)
            )
        styles[f"piece-{letter}-foot"] = text_style(paint.ground, paint.edge)
    for tone, ground in zip(TONES, _BOARDS.get(scheme.family, c.cells), strict=True):
        styles[tone] = text_style(c.dim, ground)
    styles["place-open"] = text_style(c.strong, c.open, bold=True)
    styles["place-cursor"] = block_style(c.cursor.ink, c.cursor.ground)
    return styles


TONES: Final = ("place-even", "place-odd")
"""The roles of the places on which nothing may be laid now, in turns."""
PIECE_ROLES: Final = RoleSet(
    "pieces",
    _roles,
    (frozenset(f"piece-{letter}" for letter in "RBGW"),),
    frozenset(
        (*TONES, *(f"piece-{letter}-{part}" for letter in "RBGW" for part in ("edge", "foot", "fill")))
    ),
)
"""`piece-R` and so on: the letter on a piece, `-fill` the rest of it, `-edge` its lower edge; `place-open`:
where a piece may go."""
