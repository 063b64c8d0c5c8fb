"""Sets of roles: how games add names for looks of their own to the frame's themes."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal

import msgspec
from rich.style import Style

from cartino_tui.draw.palette import PALETTES, Kind, Palette

Deck = Literal["four", "two"]
"""Cards with a colour for each suit, or with red and black."""


class Scheme(msgspec.Struct, frozen=True):
    """What a theme is made for: the kind of look, and the deck that the person chose."""

    kind: Kind
    deck: Deck = "four"

    @property
    def colours(self) -> Palette:
        """The frame's colours of this kind."""
        return PALETTES[self.kind]


class RoleSet(msgspec.Struct, frozen=True, eq=False):
    """The roles of one game, or of a kind of piece that several games share. Sets are compared by identity.

    `owner` names the set in errors. `make` returns the style of every role in a scheme; it is pure and returns the same
    names for every scheme. `apart` holds groups of roles that everybody has to tell apart, whatever colours they see;
    the tests compute whether they can.
    """

    owner: str
    make: Callable[[Scheme], Mapping[str, Style]]
    apart: tuple[frozenset[str], ...] = ()


def ink(colour: str, ground: str, *, bold: bool = False, underline: bool = False) -> Style:
    """Return the style of text of a colour on a ground."""
    return Style(color=colour, bgcolor=ground, bold=bold or None, underline=underline or None)


def block(ink: str, ground: str, *, underline: bool = False) -> Style:
    """Return the style of bold text on a filled ground.

    The style is reversed, so a terminal without colour shows a block too.
    """
    return Style(color=ground, bgcolor=ink, bold=True, reverse=True, underline=underline or None)


def distinct(sets: Iterable[RoleSet]) -> tuple[RoleSet, ...]:
    """Return each set once, in order."""
    return tuple(dict.fromkeys(sets))


def merged(sets: Iterable[RoleSet], scheme: Scheme) -> dict[str, Style]:
    """Return the roles of all `sets` in `scheme`. Raises ValueError where two of them have a role of one name."""
    styles: dict[str, Style] = {}
    owners: dict[str, str] = {}
    for each in sets:
        for role, style in each.make(scheme).items():
            if role in styles:
                raise ValueError(f"both {owners[role]} and {each.owner} have a role {role!r}")
            styles[role], owners[role] = style, each.owner
    return styles


ANY_SCHEME: Final = Scheme("dark")
"""The scheme to ask for where only the names of roles matter."""
