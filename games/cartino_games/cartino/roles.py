"""The roles of a Cartino table beside those of cards: the track, its marker, chips, and the marks between stones."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rich.style import Style

from cartino_tui.draw.palette import Kind
from cartino_tui.draw.roles import RoleSet, Scheme, ink

_CHIPS: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        "dark": "#ffaf5f",
        "light": "#870087",
        "contrast": "#ffff5f",
        "dark-16": "bright_yellow",
        "light-16": "black",
        "contrast-16": "bright_yellow",
        "own-on-dark": "default",
        "own-on-light": "default",
    }
)


def _roles(scheme: Scheme) -> dict[str, Style]:
    c = scheme.colours
    return {
        "value": ink(c.dim, c.ground),
        "track": ink(c.dim, c.ground),
        "marker": ink(c.accent, c.ground, bold=True),
        "chips": ink(_CHIPS[scheme.kind], c.ground, bold=True),
        "touched": ink(c.accent, c.ground, bold=True),
    }


CARTINO_ROLES: Final = RoleSet("cartino", _roles)
"""`value`, `track`, `marker`, `chips` and `touched`."""
