"""The inks of the four suits, for every game with cards: a deck of four colours, or of red and black."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec
from rich.style import Style

from cartino_tui.draw.palette import Kind
from cartino_tui.draw.roles import RoleSet, Scheme, ink

SUIT_ROLES: Final[Mapping[str, str]] = MappingProxyType(
    {"S": "spade", "H": "heart", "D": "diamond", "C": "club"}
)
"""The role of each suit on the ground of the screen, by its letter."""


class SuitInks(msgspec.Struct, frozen=True):
    """The ink of each suit, and of a joker, on one ground."""

    spade: str
    heart: str
    diamond: str
    club: str
    joker: str

    def two_coloured(self) -> "SuitInks":
        """Return the usual inks of printed cards: clubs like spades, diamonds like hearts."""
        return msgspec.structs.replace(self, diamond=self.heart, club=self.spade)

    def by_letter(self) -> dict[str, str]:
        """Return the inks by suit letter, `*` for a joker."""
        return {"S": self.spade, "H": self.heart, "D": self.diamond, "C": self.club, "*": self.joker}


DARK_INKS: Final = SuitInks("#121212", "#af005f", "#0000ff", "#5f5f00", "#5f005f")
"""For light grounds. A pure red looks like a club to people who lack a kind of cone, a blue-green like a diamond."""

_ON_GROUND: Final[Mapping[Kind, SuitInks]] = MappingProxyType(
    {
        "dark": SuitInks("#eeeeee", "#d75f5f", "#5f87ff", "#5fff00", "#ffafff"),
        "light": DARK_INKS,
        "contrast": SuitInks("#ffffff", "#ff5f5f", "#00afd7", "#87ff00", "#ffd7af"),
        "dark-16": SuitInks("bright_white", "bright_red", "bright_red", "bright_green", "bright_white"),
        "light-16": SuitInks("black", "red", "blue", "black", "black"),
        "contrast-16": SuitInks(
            "bright_white", "bright_white", "bright_white", "bright_green", "bright_white"
        ),
        "own-on-dark": SuitInks("default", "bright_red", "bright_red", "bright_green", "default"),
        "own-on-light": SuitInks("default", "red", "blue", "default", "default"),
    }
)
"""Sixteen colours are the terminal's own shades: two suits have the same, or such as are told apart everywhere."""


def suit_inks(scheme: Scheme, inks: Mapping[Kind, SuitInks] = _ON_GROUND) -> SuitInks:
    """Return the inks of `scheme` in the deck that the person chose, of those on the ground unless `inks` are given."""
    found = inks[scheme.kind]
    return found.two_coloured() if scheme.deck == "two" else found


def _roles(scheme: Scheme) -> dict[str, Style]:
    inks = suit_inks(scheme).by_letter()
    return {role: ink(inks[suit], scheme.colours.ground) for suit, role in SUIT_ROLES.items()}


CARD_ROLES: Final = RoleSet("cards", _roles, (frozenset(SUIT_ROLES.values()),))
"""`spade`, `heart`, `diamond` and `club`: text in the ink of a suit on the ground of the screen."""
