"""The roles of pieces in red, black, grey and white, and of the cloth that they are laid on."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rich.style import Style

from cartino_tui.draw.palette import Fill, Kind
from cartino_tui.draw.roles import RoleSet, Scheme, block, ink

_WORDS: Final = {
    "R": Fill("red", "bright_white"),
    "B": Fill("black", "bright_white"),
    "G": Fill("bright_black", "bright_white"),
    "W": Fill("bright_white", "black"),
}
_DARK: Final = {
    "R": Fill("#d70000", "#ffffff"),
    "B": Fill("#000000", "#ffffff"),
    "G": Fill("#949494", "#000000"),
    "W": Fill("#eeeeee", "#000000"),
}
_LIGHT: Final = {**_DARK, "R": Fill("#af0000", "#ffffff"), "W": Fill("#ffffff", "#000000")}

PIECES: Final[Mapping[Kind, Mapping[str, Fill]]] = MappingProxyType(
    {
        "dark": _DARK,
        "light": _LIGHT,
        "contrast": _LIGHT,
        "dark-16": _WORDS,
        "light-16": _WORDS,
        "contrast-16": _WORDS,
        "own-on-dark": _WORDS,
        "own-on-light": _WORDS,
    }
)
"""The ground of each piece, and the ink of the letter on it."""
CLOTHS: Final[Mapping[Kind, Fill]] = MappingProxyType(
    {
        "dark": Fill("#005f87", "#ffffff"),
        "light": Fill("#87afd7", "#000000"),
        "contrast": Fill("#005f87", "#ffffff"),
        "dark-16": Fill("blue", "bright_white"),
        "light-16": Fill("cyan", "black"),
        "contrast-16": Fill("blue", "bright_white"),
    }
)
"""The cloth and the ink on it; none on a terminal's own colours."""


def _roles(scheme: Scheme) -> dict[str, Style]:
    cloth = CLOTHS.get(scheme.kind, Fill(scheme.colours.ground, scheme.colours.text))
    pieces = {f"piece-{letter}": block(fill.ink, fill.ground) for letter, fill in PIECES[scheme.kind].items()}
    return {
        **pieces,
        "cloth": ink(cloth.ink, cloth.ground),
        "cloth-mark": ink(cloth.ink, cloth.ground, bold=True),
    }


PIECE_ROLES: Final = RoleSet("pieces", _roles, (frozenset(f"piece-{letter}" for letter in "RBGW"),))
"""`piece-R` and so on: a filled piece with its letter; `cloth` and `cloth-mark`: what stands beside the pieces."""
