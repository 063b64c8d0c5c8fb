"""The roles of pieces in red, black, grey and white, and of the cloth that they are laid on."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rich.style import Style

from cartino_tui.draw.palette import Fill, PaletteFamily
from cartino_tui.draw.theme import RoleSet, Scheme, block_style, text_style

_BLACK: Final = Fill("#000000", "#ffffff")
_WHITE: Final = Fill("#ffffff", "#000000")
_DARK: Final = {"R": Fill("#d70000", "#ffffff"), "B": _BLACK, "G": Fill("#949494", "#000000"), "W": _WHITE}
_STRONG: Final = {"R": Fill("#af0000", "#ffffff"), "B": _BLACK, "G": Fill("#a8a8a8", "#000000"), "W": _WHITE}
_BLACK_OF_16: Final = Fill("black", "bright_white")
_WHITE_OF_16: Final = Fill("bright_white", "black")
_OF_16: Final = {
    "R": Fill("red", "bright_white"),
    "B": _BLACK_OF_16,
    "G": Fill("white", "blue"),
    "W": _WHITE_OF_16,
}
_OWN: Final = Fill("default", "default")

PIECES: Final[Mapping[PaletteFamily, Mapping[str, Fill]]] = MappingProxyType(
    {
        "dark": _DARK,
        "light": _STRONG,
        "contrast": _STRONG,
        "dark-16": _OF_16,
        "light-16": _OF_16,
        "contrast-16": {"R": _BLACK_OF_16, "B": _BLACK_OF_16, "G": _WHITE_OF_16, "W": _WHITE_OF_16},
        "own-on-dark": {"R": Fill("bright_red", "default"), "B": _OWN, "G": _OWN, "W": _OWN},
        "own-on-light": {"R": Fill("red", "default"), "B": _OWN, "G": _OWN, "W": _OWN},
    }
)
"""The ground of each piece, and the ink of its letter; where colours are few, letters alone tell some apart."""
CLOTHS: Final[Mapping[PaletteFamily, Fill]] = MappingProxyType(
    {
        "dark": Fill("#005f87", "#ffffff"),
        "light": Fill("#87afd7", "#000000"),
        "contrast": Fill("#005f5f", "#ffffff"),
        "dark-16": Fill("blue", "bright_white"),
        "light-16": Fill("cyan", "black"),
        "contrast-16": Fill("blue", "bright_white"),
    }
)
"""The cloth and the ink on it; none on a terminal's own colours."""


def _roles(scheme: Scheme) -> dict[str, Style]:
    cloth = CLOTHS.get(scheme.family, Fill(scheme.colours.ground, scheme.colours.text))
    pieces = {
        f"piece-{letter}": block_style(fill.ink, fill.ground)
        for letter, fill in PIECES[scheme.family].items()
    }
    return {
        **pieces,
        "cloth": text_style(cloth.ink, cloth.ground),
        "cloth-mark": text_style(cloth.ink, cloth.ground, bold=True),
    }


PIECE_ROLES: Final = RoleSet("pieces", _roles, (frozenset(f"piece-{letter}" for letter in "RBGW"),))
"""`piece-R` and so on: a filled piece with its letter; `cloth` and `cloth-mark`: what stands beside the pieces."""
