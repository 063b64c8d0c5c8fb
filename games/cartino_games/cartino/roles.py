"""The roles of a Cartino table: cards as they are printed on the board, wooden stones, and the marks between them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec
from rich.style import Style

from cartino_games.kit.card_roles import (
    CATPPUCCIN_INKS,
    DARK_INKS,
    EDGES,
    GRUVBOX_INKS,
    INKS_OF_256,
    NORD_INKS,
    OLIVE_INKS,
    Skin,
    SuitInks,
    blocks_of,
    piece_styles,
    suit_inks,
)
from cartino_tui.draw.palette import mix
from cartino_tui.draw.theme import RoleSet, Scheme, block_style, text_style

CARD_STATES: Final = ("printed", "upper", "lower", "legal", "stone", "new", "swap", "picked", "cursor")
"""The states of a card on the table; the roles are `STATE-SUIT`, with `*` for the suit of a joker.

`printed` is text on the ground, `upper` and `lower` are the free halves of a cell, `new` is a stone of a newest turn.
"""


class Wood(msgspec.Struct, frozen=True):
    """The ground of a stone, its edge, the grounds of a new stone and of the picked one, chips, and inks on wood.

    `seats` are the inks of the players' signs on a new stone; () where those stand on the player's own colour. With
    `lit`, the marks at the sides of the cursor stand on the cursor's colour, since the stone there has none.
    """

    stone: str
    edge: str
    new: str
    picked: str
    chips: str
    inks: SuitInks
    seats: tuple[str, ...] = ()
    lit: bool = False


_NONE: Final = "default"
_SEATS: Final = ("#005f87", "#af0000", "#5f00af", "#5f5f00")
_OF_16: Final = SuitInks("black", "red", "blue", "black on green", "black")

WOOD: Final[Mapping[str, Wood]] = MappingProxyType(
    {
        "dark": Wood("#ffd7af", "#af875f", "#ffffd7", "#ffd75f", "#ffaf5f", DARK_INKS, _SEATS),
        "dark-256": Wood("#ffffd7", "#af875f", "#ffffff", "#ffff5f", "#ffaf5f", INKS_OF_256, _SEATS),
        "nord": Wood("#d8dee9", "#81a1c1", "#eceff4", "#ebcb8b", "#d08770", NORD_INKS),
        "gruvbox": Wood("#ebdbb2", "#a89984", "#fbf1c7", "#fabd2f", "#fe8019", GRUVBOX_INKS),
        "catppuccin": Wood("#f5e0dc", "#9399b2", "#fffaf6", "#f9e2af", "#fab387", CATPPUCCIN_INKS),
        "light": Wood("#ffd787", "#af8700", "#ffffd7", "#87ffff", "#870087", DARK_INKS, _SEATS),
        "light-256": Wood("#ffd787", "#af8700", "#ffffd7", "#87ffff", "#870087", OLIVE_INKS, _SEATS),
        "contrast": Wood(
            "#ffffff", "#585858", "#ffffff", "#ffffff", "#ffff5f", blocks_of("contrast", "#000000"), lit=True
        ),
        "dark-16": Wood("bright_white", "white", "bright_white", "bright_cyan", "bright_yellow", _OF_16),
        "light-16": Wood(
            "bright_yellow",
            "bright_yellow",
            "bright_yellow",
            "bright_cyan",
            "black",
            SuitInks("black", "red", "blue", "black", "black"),
        ),
        "contrast-16": Wood(
            "bright_white",
            "bright_white",
            "bright_white",
            "bright_yellow",
            "bright_yellow",
            SuitInks("black", "black", "blue", "black", "black"),
        ),
        "own-on-dark": Wood(_NONE, _NONE, _NONE, _NONE, _NONE, blocks_of("own-on-dark"), lit=True),
        "own-on-light": Wood(_NONE, _NONE, _NONE, _NONE, _NONE, blocks_of("own-on-light"), lit=True),
    }
)
_INKS: Final = MappingProxyType({kind: wood.inks for kind, wood in WOOD.items()})


_HUE: Final = 0.07
"""How much of a suit's ink is in the ground of its cells, where there is true colour."""
_RIM: Final = 0.3
"""How much of a line's colour is in the lower edge of an empty cell there."""
_EDGES: Final = tuple(
    f"{state}-{end}-{suit}" for state in ("stone", "new", "picked") for end in EDGES for suit in "SHDC*"
)
_RIMS: Final = tuple(f"rim-{half}-{suit}" for half in ("upper", "lower") for suit in "SHDC*")


def _roles(scheme: Scheme) -> dict[str, Style]:
    c, wood = scheme.colours, scheme.pick(WOOD)
    on_wood = suit_inks(scheme, _INKS).by_letter()
    styles = {
        "value": text_style(c.dim, c.ground),
        "board": text_style(c.text, c.board),
        "track": text_style(c.rule, c.ground),
        "marker": text_style(c.accent, c.ground, bold=True),
        "chips": text_style(wood.chips, c.ground, bold=True),
        "fill-stone": block_style(on_wood["S"], wood.stone),
    }
    for number, seat in enumerate(c.seats, 1):
        own = block_style(c.ground, seat)
        styles[f"owner-{number}"] = block_style(wood.seats[number - 1], wood.new) if wood.seats else own
    for suit, colour in suit_inks(scheme).by_letter().items():
        styles[f"printed-{suit}"] = text_style(colour, c.ground)
        for half, ground in zip(("upper", "lower"), c.cells, strict=True):
            tinted = _tinted(ground, colour, scheme)
            styles[f"{half}-{suit}"] = text_style(colour, tinted)
            rim = mix(tinted, c.rule, _RIM) if scheme.tinted else c.rule
            styles[f"rim-{half}-{suit}"] = text_style(rim, tinted, underline=True)
        styles[f"legal-{suit}"] = text_style(colour, c.open, bold=True)
        ink = on_wood[suit]
        for state, ground in (("stone", wood.stone), ("new", wood.new), ("picked", wood.picked)):
            styles[f"{state}-{suit}"] = block_style(ink, ground, underline=state == "picked")
            styles |= piece_styles(state, suit, on_wood, ground, wood.edge)
        styles[f"touched-stone-{suit}"] = block_style(ink, wood.stone, underline=True)
        styles[f"touched-new-{suit}"] = block_style(ink, wood.new, underline=True)
        styles[f"swap-{suit}"] = block_style(ink, wood.new, underline=True)
        styles[f"cursor-{suit}"] = block_style(ink, wood.picked)
        lit = block_style(c.cursor.ink, c.cursor.ground)
        styles[f"lit-{suit}"] = lit if wood.lit else styles[f"cursor-{suit}"]
    return styles


def _tinted(ground: str, ink: str, scheme: Scheme) -> str:
    """Return `ground` with a breath of `ink`."""
    return mix(ground, ink, _HUE) if scheme.tinted else ground


CARTINO_ROLES: Final = RoleSet(
    "cartino",
    _roles,
    tuple(frozenset(f"{state}-{suit}" for suit in "SHDC") for state in CARD_STATES),
    frozenset({"board", "track", *_RIMS, *_EDGES}),
)
"""The cards of the table in every state and suit, and what lies beside them."""

WOODEN: Final = Skin("stone", "closed", "picked")
"""The stones of a hand."""
