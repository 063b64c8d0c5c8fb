"""The inks of the four suits, for every game with cards: a deck of four colours, or of red and black."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec
from rich.style import Style

from cartino_tui.draw.palette import PaletteFamily
from cartino_tui.draw.theme import RoleSet, Scheme, block_style, text_style

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

_ON_GROUND: Final[Mapping[PaletteFamily, SuitInks]] = MappingProxyType(
    {
        "dark": SuitInks("#ffffff", "#ff87af", "#5fafff", "#87ffaf", "#ffd700"),
        "light": DARK_INKS,
        "contrast": SuitInks("#ffffff", "#ff5f5f", "#00afd7", "#87ff00", "#ffd7af"),
        "dark-16": SuitInks("bright_white", "bright_red", "bright_white", "bright_green", "bright_white"),
        "light-16": SuitInks("black", "red", "blue", "black", "black"),
        "contrast-16": SuitInks(
            "bright_white", "bright_green", "bright_white", "bright_green", "bright_white"
        ),
        "own-on-dark": SuitInks("default", "bright_red", "default", "bright_green", "default"),
        "own-on-light": SuitInks("default", "red", "blue", "default", "default"),
    }
)
"""Sixteen colours are the terminal's own shades: two suits have the same, or such as are told apart everywhere.

Hearts and diamonds, whose signs are alike, never have the same in a deck of four colours.
"""


def suit_inks(scheme: Scheme, inks: Mapping[PaletteFamily, SuitInks] = _ON_GROUND) -> SuitInks:
    """Return the inks of `scheme` in the deck that the person chose, of those on the ground unless `inks` are given."""
    found = inks[scheme.family]
    return found.two_coloured() if scheme.deck == "two" else found


class Stock(msgspec.Struct, frozen=True):
    """What cards are made of: their edge, the ground of a face and of a picked one, the inks on them."""

    edge: str
    face: str
    picked: str
    inks: SuitInks


_BARE: Final = Stock("default", "default", "default", SuitInks(*["default"] * 5))
"""Nobody knows what can be read on a terminal's own text colour but its ground."""

_PAPER: Final[Mapping[PaletteFamily, Stock]] = MappingProxyType(
    {
        "dark": Stock("#9e9e9e", "#eeeeee", "#ffd75f", DARK_INKS),
        "light": Stock("#585858", "#ffffff", "#87ffff", DARK_INKS),
        "contrast": Stock(
            "#ffffff", "#ffffff", "#ffff5f", SuitInks("#000000", "#870000", "#5f00af", "#005f5f", "#5f005f")
        ),
        "dark-16": Stock(
            "white", "bright_white", "bright_yellow", SuitInks("black", "red", "blue", "black", "black")
        ),
        "light-16": Stock(
            "black", "bright_yellow", "bright_cyan", SuitInks("black", "red", "blue", "black", "black")
        ),
        "contrast-16": Stock(
            "bright_white",
            "bright_white",
            "bright_yellow",
            SuitInks("black", "black", "blue", "black", "black"),
        ),
        "own-on-dark": _BARE,
        "own-on-light": _BARE,
    }
)
_ON_PAPER: Final = MappingProxyType({kind: stock.inks for kind, stock in _PAPER.items()})


class Skin(NamedTuple):
    """How the faces of a game's cards look: the first part of the roles `PART-SUIT` and `fill-PART`.

    `playable` cards, `closed` ones that can't be played now (as dark as a free place), `picked` ones. `PART-edge` is
    the role of a card's lower edge.
    """

    playable: str
    closed: str
    picked: str


PAPER: Final = Skin("card", "closed", "held")
"""Plain playing cards, whose roles are in `CARD_ROLES`."""


def _roles(scheme: Scheme) -> dict[str, Style]:
    paper, ground = _PAPER[scheme.family], scheme.colours.ground
    inks, on_paper = suit_inks(scheme).by_letter(), suit_inks(scheme, _ON_PAPER).by_letter()
    styles = {role: text_style(inks[suit], ground) for suit, role in SUIT_ROLES.items()}
    styles |= {f"bar-{role}": text_style(inks[suit], scheme.colours.bar) for suit, role in SUIT_ROLES.items()}
    styles |= {
        "card-edge": block_style(paper.edge, paper.face),
        "held-edge": block_style(paper.edge, paper.picked),
        "closed-edge": text_style(scheme.colours.rule, scheme.colours.cells[0]),
        "fill-closed": text_style(scheme.colours.text, scheme.colours.cells[0]),
        "fill-card": block_style(on_paper["S"], paper.face),
        "fill-held": block_style(on_paper["S"], paper.picked),
    }
    for suit in inks:
        styles[f"closed-{suit}"] = text_style(inks[suit], scheme.colours.cells[0])
        styles[f"card-{suit}"] = block_style(on_paper[suit], paper.face)
        styles[f"held-{suit}"] = block_style(on_paper[suit], paper.picked)
    return styles


CARD_ROLES: Final = RoleSet(
    "cards",
    _roles,
    (
        frozenset(SUIT_ROLES.values()),
        *(frozenset(f"{part}-{suit}" for suit in SUIT_ROLES) for part in PAPER),
    ),
    frozenset({"card-edge", "held-edge", "closed-edge"}),
)
"""`spade`, `heart`, `diamond` and `club` are text in the ink of a suit on the ground; the others are of `PAPER`."""
