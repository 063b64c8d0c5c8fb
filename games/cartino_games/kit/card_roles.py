"""The inks of the four suits, for every game with cards: a deck of four colours, or of red and black."""

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


class Wood(msgspec.Struct, frozen=True):
    """The outline of a card or stone, its ground, that of the picked one, the ink of chips, and of suits on wood."""

    line: str
    stone: str
    picked: str
    chips: str
    inks: SuitInks


_DEFAULT: Final = Wood("default", "default", "default", "default", SuitInks(*["default"] * 5))
"""Nobody knows what can be read on a terminal's own text colour but its ground."""

WOOD: Final[Mapping[Kind, Wood]] = MappingProxyType(
    {
        "dark": Wood("#d7af87", "#ffd7af", "#ffd75f", "#ffaf5f", DARK_INKS),
        "light": Wood("#875f00", "#ffd787", "#87ffff", "#870087", DARK_INKS),
        "contrast": Wood(
            "#ffffff",
            "#ffffff",
            "#ffff5f",
            "#ffff5f",
            SuitInks("#000000", "#870000", "#5f00af", "#005f5f", "#5f005f"),
        ),
        "dark-16": Wood(
            "white",
            "bright_white",
            "bright_yellow",
            "bright_yellow",
            SuitInks("black", "red", "blue", "black", "black"),
        ),
        "light-16": Wood(
            "black",
            "bright_yellow",
            "bright_cyan",
            "black",
            SuitInks("black", "red", "blue", "black", "black"),
        ),
        "contrast-16": Wood(
            "bright_white",
            "bright_white",
            "bright_yellow",
            "bright_yellow",
            SuitInks("black", "black", "blue", "black", "black"),
        ),
        "own-on-dark": _DEFAULT,
        "own-on-light": _DEFAULT,
    }
)
WOOD_INKS: Final = MappingProxyType({kind: wood.inks for kind, wood in WOOD.items()})
FACE_STATES: Final = ("printed", "stone", "picked")
"""The states of a card's face; the roles are `STATE-SUIT`, with `*` for the suit of a joker."""


def _faces(scheme: Scheme) -> dict[str, Style]:
    wood, on_wood = WOOD[scheme.kind], suit_inks(scheme, WOOD_INKS).by_letter()
    styles = {
        "wood": ink(wood.line, scheme.colours.ground),
        "fill-stone": block(on_wood["S"], wood.stone),
        "fill-picked": block(on_wood["S"], wood.picked),
    }
    for suit, colour in suit_inks(scheme).by_letter().items():
        styles[f"printed-{suit}"] = ink(colour, scheme.colours.ground)
        styles[f"stone-{suit}"] = block(on_wood[suit], wood.stone)
        styles[f"picked-{suit}"] = block(on_wood[suit], wood.picked, underline=True)
    return styles


FACE_ROLES: Final = RoleSet(
    "card faces",
    _faces,
    tuple(frozenset(f"{state}-{suit}" for suit in "SHDC") for state in FACE_STATES),
)
"""Cards and stones as `kit.cards` draws them: filled, picked, or only printed; and the lines around them."""
