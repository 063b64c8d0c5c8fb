"""The inks of the four suits, and the mat on which cards lie, for every game with cards: in four colours, or in two."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec
from rich.style import Style

from cartino_tui.draw.theme import ON, SEATS, RoleSet, Scheme, block_style, text_style

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


DARK_INKS: Final = SuitInks("#121212", "#af005f", "#005faf", "#00450f", "#5f005f")
"""For light grounds. To who lacks a kind of cone a pure red looks like a club, a brighter green like a diamond."""
INKS_OF_256: Final = SuitInks("#121212", "#af005f", "#005fff", "#005f00", "#5f005f")
"""The same in 256 colours, for grounds as bright as ivory: the only dark green there is, and a brighter blue."""
NORD_INKS: Final = SuitInks("#14121a", "#a72049", "#0554b6", "#123f20", "#5f005f")
GRUVBOX_INKS: Final = SuitInks("#151617", "#932c4c", "#005787", "#493d00", "#200080")
CATPPUCCIN_INKS: Final = SuitInks("#12121a", "#cb0440", "#035be5", "#115502", "#5f005f")
"""For the light colours of these palettes: theirs, as far as everybody can tell and read them."""
OLIVE_INKS: Final = SuitInks("#121212", "#af005f", "#0000ff", "#5f5f00", "#5f005f")
"""In 256 colours for grounds that are darker: no green and blue for them are told apart by everybody."""

_BRIGHT_INKS: Final = SuitInks("#ffffff", "#ff87af", "#5fafff", "#87ffaf", "#ffd700")
_ON_GROUND: Final[Mapping[str, SuitInks]] = MappingProxyType(
    {
        "dark": _BRIGHT_INKS,
        "nord": SuitInks("#edf0f5", "#e38a93", "#85a6ca", "#96f59a", "#ffd700"),
        "gruvbox": SuitInks("#fcf2c8", "#ec8b88", "#80b1b6", "#b6b916", "#c0a0ff"),
        "catppuccin": SuitInks("#f6f8ff", "#f48aa9", "#82aff3", "#a5ffb4", "#ffd700"),
        "light": DARK_INKS,
        "light-256": OLIVE_INKS,
        "contrast": _BRIGHT_INKS,
        "dark-16": SuitInks(
            "bright_white", "bright_red", "bright_white on blue", "bright_green", "bright_white"
        ),
        "light-16": SuitInks("black", "red", "blue", "black", "black"),
        "contrast-16": SuitInks(
            "bright_white", "bright_green", "bright_white on blue", "bright_green", "bright_white"
        ),
        "own-on-dark": SuitInks("default", "bright_red", "bright_cyan", "bright_green", "default"),
        "own-on-light": SuitInks("default", "red", "blue", "default", "default"),
    }
)
"""Sixteen colours are the terminal's own shades: two suits have the same, or such as are told apart everywhere.

Hearts and diamonds, whose signs are alike, never have the same in a deck of four colours.
"""


def suit_inks(scheme: Scheme, inks: Mapping[str, SuitInks] = _ON_GROUND) -> SuitInks:
    """Return the inks of `scheme` in the deck that the person chose, of those on the ground unless `inks` are given."""
    found = scheme.pick(inks)
    return found.two_coloured() if scheme.deck == "two" else found


def blocks_of(kind: str, ink: str = "default") -> SuitInks:
    """Return the inks of a kind as grounds with `ink` on them: pieces are blocks in the colour of their suit."""
    inks = msgspec.structs.asdict(_ON_GROUND[kind])
    return SuitInks(**{suit: f"{ink}{ON}{colour}" for suit, colour in inks.items()})


class Stock(msgspec.Struct, frozen=True):
    """What cards are made of: their edge, the ground of a face and of a picked one, the inks on them."""

    edge: str
    face: str
    picked: str
    inks: SuitInks


_NONE: Final = "default"
_PAPER: Final[Mapping[str, Stock]] = MappingProxyType(
    {
        "dark": Stock("#9e9e9e", "#eeeeee", "#ffd75f", DARK_INKS),
        "dark-256": Stock("#9e9e9e", "#ffffff", "#ffff87", INKS_OF_256),
        "nord": Stock("#81a1c1", "#e5e9f0", "#ebcb8b", NORD_INKS),
        "gruvbox": Stock("#a89984", "#fbf1c7", "#fabd2f", GRUVBOX_INKS),
        "catppuccin": Stock("#9399b2", "#f5f7ff", "#f9e2af", CATPPUCCIN_INKS),
        "light": Stock("#585858", "#ffffff", "#87ffff", DARK_INKS),
        "light-256": Stock("#585858", "#ffffff", "#87ffff", OLIVE_INKS),
        "contrast": Stock("#585858", "#ffffff", "#ffffff", blocks_of("contrast", "#000000")),
        "dark-16": Stock(
            "white",
            "bright_white",
            "bright_cyan",
            SuitInks("black", "red", "blue", "black on green", "black"),
        ),
        "light-16": Stock(
            "black",
            "bright_yellow",
            "bright_cyan",
            SuitInks("black", "red", "blue", "black", "black"),
        ),
        "contrast-16": Stock(
            "bright_white",
            "bright_white",
            "bright_yellow",
            SuitInks("black", "black", "blue", "black", "black"),
        ),
        "own-on-dark": Stock(_NONE, _NONE, _NONE, blocks_of("own-on-dark")),
        "own-on-light": Stock(_NONE, _NONE, _NONE, blocks_of("own-on-light")),
    }
)
"""Nobody knows what can be read on a terminal's own text colour but its ground."""
_ON_PAPER: Final = MappingProxyType({kind: stock.inks for kind, stock in _PAPER.items()})


EDGES: Final = ("edge", "foot")
"""The lower edge of a piece: half of its last row, or all of it."""


class Skin(NamedTuple):
    """How the faces of a game's cards look: the first part of the roles `PART-SUIT`.

    `playable` cards, `closed` ones that can't be played now (as dark as a free place), `picked` ones. `PART-edge-SUIT`
    is the role of a card's lower edge (see `EDGES`), `fill-PART-SUIT` that of its face without text.
    """

    playable: str
    closed: str
    picked: str


PAPER: Final = Skin("card", "closed", "held")
"""Plain playing cards, whose roles are in `CARD_ROLES`."""


def _roles(scheme: Scheme) -> dict[str, Style]:
    paper, ground = scheme.pick(_PAPER), scheme.colours.ground
    inks, on_paper = suit_inks(scheme).by_letter(), suit_inks(scheme, _ON_PAPER).by_letter()
    styles = {role: text_style(inks[suit], ground) for suit, role in SUIT_ROLES.items()}
    styles |= {f"bar-{role}": text_style(inks[suit], scheme.colours.bar) for suit, role in SUIT_ROLES.items()}
    styles |= {
        "card-edge": block_style(paper.edge, paper.face),
        "card-foot": text_style(paper.face, paper.edge),
        "closed-edge": text_style(scheme.colours.rule, scheme.colours.cells[0]),
        "closed-foot": text_style(scheme.colours.cells[0], scheme.colours.rule),
        "fill-closed": text_style(scheme.colours.text, scheme.colours.cells[0]),
        "fill-card": block_style(on_paper["S"], paper.face),
    }
    for suit in inks:
        styles[f"closed-{suit}"] = text_style(inks[suit], scheme.colours.cells[0])
        styles[f"fill-closed-{suit}"] = styles["fill-closed"]
        styles[f"closed-edge-{suit}"] = styles["closed-edge"]
        styles[f"closed-foot-{suit}"] = styles["closed-foot"]
        for state, face in (("card", paper.face), ("held", paper.picked)):
            styles[f"{state}-{suit}"] = block_style(on_paper[suit], face)
            styles |= piece_styles(state, suit, on_paper, face, paper.edge)
    return styles


def piece_styles(state: str, suit: str, inks: Mapping[str, str], ground: str, edge: str) -> dict[str, Style]:
    """Return the styles of a piece of a suit in a state beside that of its text: what it is filled with, its edge.

    Pieces on one ground are filled alike, whatever their ink, so that fewer changes of it are sent.
    """
    own = inks[suit].partition(ON)[2]
    ground = own or ground
    return {
        f"fill-{state}-{suit}": block_style(inks[suit if own else "S"], ground),
        f"{state}-edge-{suit}": block_style(edge, ground),
        f"{state}-foot-{suit}": text_style(edge, edge),
    }


CARD_ROLES: Final = RoleSet(
    "cards",
    _roles,
    (
        frozenset(SUIT_ROLES.values()),
        *(frozenset(f"{part}-{suit}" for suit in SUIT_ROLES) for part in PAPER),
    ),
    frozenset(
        {
            *(f"{part}-{end}" for part in ("card", "closed") for end in EDGES),
            *(f"{part}-{end}-{suit}" for part in PAPER for end in EDGES for suit in (*SUIT_ROLES, "*")),
        }
    ),
)
"""`spade`, `heart`, `diamond` and `club` are text in the ink of a suit on the ground; the others are of `PAPER`."""


def _mat_roles(scheme: Scheme) -> dict[str, Style]:
    c, inks = scheme.colours, suit_inks(scheme).by_letter()
    styles = {}
    for surface, ground in zip(("slot", "mat"), c.cells, strict=True):
        styles[surface] = text_style(c.text, ground)
        styles[f"{surface}-dim"] = text_style(c.facts, ground)
    for role, seat in zip(SEATS, c.seats, strict=True):
        styles[f"tile-{role}"] = block_style(c.ground, seat)
    styles["mat-edge"] = text_style(c.rule_strong, c.ground)
    # Sixteen colours have no wood that the number of a pile could be read on.
    back = c.heading if scheme.depth == "16" else c.rule_strong
    styles["back"] = block_style(c.button.ink, back)
    styles["back-edge"] = block_style(c.button.ink, back)
    styles["back-foot"] = text_style(back, c.button.ink)
    styles["mat-heading"] = text_style(c.heading, c.cells[1], bold=True)
    styles["usable"] = text_style(c.key, c.cells[1], bold=True, underline=True)
    for suit, role in SUIT_ROLES.items():
        styles[f"mat-{role}"] = text_style(inks[suit], c.cells[1])
        styles[f"usable-{suit}"] = text_style(inks[suit], c.cells[1], bold=True, underline=True)
    return styles


MAT_ROLES: Final = RoleSet(
    "the mat",
    _mat_roles,
    (
        frozenset(f"mat-{role}" for role in SUIT_ROLES.values()),
        frozenset(f"usable-{suit}" for suit in SUIT_ROLES),
        frozenset(f"tile-{role}" for role in SEATS),
    ),
    frozenset({"mat-edge", "back-edge", "back-foot"}),
)
"""`mat` and `slot`, a place on it, with what is written there behind it; `tile`: a player's piece on such a place, with
the player behind it; `usable`: what a choice uses; `mat-edge`: the rim of the mat; `back`: the back of a card.
"""
