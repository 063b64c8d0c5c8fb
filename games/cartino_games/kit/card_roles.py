"""The roles of cards: the four suits as text, and the faces that `kit.cards` draws.

A game with cards, or one that draws boxes with `kit.cards`, has `CARD_ROLES` among its roles.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec
from rich.style import Style

from cartino_tui.draw.palette import Kind
from cartino_tui.draw.roles import RoleSet, Scheme, block, ink

SUIT_ROLES: Final[Mapping[str, str]] = MappingProxyType(
    {"S": "spade", "H": "heart", "D": "diamond", "C": "club"}
)
"""The role of each suit on the ground of the screen, by its letter."""
CARD_STATES: Final = ("printed", "legal", "stone", "swap", "picked", "cursor")
"""The states of a card's face; the roles are `STATE-SUIT`, with `*` for the suit of a joker.

`printed` is text on the ground, `legal` such text where a card can go, `stone` a filled card, `swap` one that can be
replaced, `picked` one that the person picked up, `cursor` where the cursor stands.
"""


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


class Wood(msgspec.Struct, frozen=True):
    """The colours of filled cards: the outline, the ground of one and of a picked one, and the suits on both."""

    line: str
    stone: str
    picked: str
    inks: SuitInks


_DEFAULT: Final = Wood("default", "default", "default", SuitInks(*["default"] * 5))
"""Nobody knows what can be read on a terminal's own text colour but its ground."""

_WOOD: Final[Mapping[Kind, Wood]] = MappingProxyType(
    {
        "dark": Wood("#d7af87", "#ffd7af", "#ffd75f", DARK_INKS),
        "light": Wood("#875f00", "#ffd787", "#87ffff", DARK_INKS),
        "contrast": Wood(
            "#ffffff",
            "#ffffff",
            "#ffff5f",
            SuitInks("#000000", "#870000", "#5f00af", "#005f5f", "#5f005f"),
        ),
        "dark-16": Wood(
            "white",
            "bright_white",
            "bright_yellow",
            SuitInks("black", "red", "blue", "black", "black"),
        ),
        "light-16": Wood(
            "black",
            "bright_yellow",
            "bright_cyan",
            SuitInks("black", "red", "blue", "black", "black"),
        ),
        "contrast-16": Wood(
            "bright_white",
            "bright_white",
            "bright_yellow",
            SuitInks("black", "black", "blue", "black", "black"),
        ),
        "own-on-dark": _DEFAULT,
        "own-on-light": _DEFAULT,
    }
)
_ON_WOOD: Final = MappingProxyType({kind: wood.inks for kind, wood in _WOOD.items()})


def suit_inks(scheme: Scheme, inks: Mapping[Kind, SuitInks] = _ON_GROUND) -> SuitInks:
    """Return the inks of `scheme` in the deck that the person chose, of those on the ground unless `inks` are given."""
    found = inks[scheme.kind]
    return found.two_coloured() if scheme.deck == "two" else found


def _roles(scheme: Scheme) -> dict[str, Style]:
    ground, wood = scheme.colours.ground, _WOOD[scheme.kind]
    inks, on_wood = suit_inks(scheme).by_letter(), suit_inks(scheme, _ON_WOOD).by_letter()
    styles = {role: ink(inks[suit], ground) for suit, role in SUIT_ROLES.items()}
    styles["wood"] = ink(wood.line, ground)
    styles["fill-stone"] = block(on_wood["S"], wood.stone)
    styles["fill-picked"] = block(on_wood["S"], wood.picked)
    for suit, colour in inks.items():
        styles[f"printed-{suit}"] = ink(colour, ground)
        styles[f"legal-{suit}"] = ink(colour, ground, bold=True, underline=True)
        styles[f"stone-{suit}"] = block(on_wood[suit], wood.stone)
        styles[f"swap-{suit}"] = block(on_wood[suit], wood.stone, underline=True)
        styles[f"picked-{suit}"] = block(on_wood[suit], wood.picked, underline=True)
        # Nearly the ink of a legal card: the cursor goes from one to the next, and a change of colours is dear.
        styles[f"cursor-{suit}"] = block(ground, colour)
    return styles


CARD_ROLES: Final = RoleSet(
    "cards",
    _roles,
    (
        frozenset(SUIT_ROLES.values()),
        *(frozenset(f"{state}-{suit}" for suit in SUIT_ROLES) for state in CARD_STATES),
    ),
)
"""`spade`, `heart`, `diamond` and `club` as text, `STATE-SUIT` for faces, `fill-stone`, `fill-picked` and `wood`."""
