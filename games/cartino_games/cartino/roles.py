"""The roles of a Cartino table: cards as they are printed on the board, wooden stones, and the marks between them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec
from rich.style import Style

from cartino_games.kit.card_roles import DARK_INKS, Skin, SuitInks, suit_inks
from cartino_tui.draw.palette import PaletteFamily, mix
from cartino_tui.draw.theme import RoleSet, Scheme, block_style, text_style

CARD_STATES: Final = ("printed", "upper", "lower", "legal", "stone", "new", "swap", "picked", "cursor")
"""The states of a card on the table; the roles are `STATE-SUIT`, with `*` for the suit of a joker.

`printed` is text on the ground, `upper` and `lower` are the free halves of a cell, `new` is a stone of a newest turn.
"""


class Wood(msgspec.Struct, frozen=True):
    """The ground of a stone, its edge, the grounds of a new stone and of the picked one, chips, and inks on wood.

    `seats` are the inks of the players' signs on a new stone.
    """

    stone: str
    edge: str
    new: str
    picked: str
    chips: str
    inks: SuitInks
    seats: tuple[str, str, str, str]


_NONE: Final = "default"
_DEFAULT: Final = Wood(
    _NONE, _NONE, _NONE, _NONE, _NONE, SuitInks(*[_NONE] * 5), (_NONE, _NONE, _NONE, _NONE)
)
"""Nobody knows what can be read on a terminal's own text colour but its ground."""
_SEATS: Final = ("#005f87", "#af0000", "#5f00af", "#5f5f00")
_SEATS_OF_16: Final = ("black", "red", "blue", "black")
_OF_16: Final = SuitInks("black", "red", "blue", "black", "black")
_STRONG_INKS: Final = SuitInks("#000000", "#870000", "#5f00af", "#005f5f", "#5f005f")

WOOD: Final[Mapping[PaletteFamily, Wood]] = MappingProxyType(
    {
        "dark": Wood("#ffd7af", "#af875f", "#ffffd7", "#ffd75f", "#ffaf5f", DARK_INKS, _SEATS),
        "light": Wood("#ffd787", "#af8700", "#ffffd7", "#87ffff", "#870087", DARK_INKS, _SEATS),
        "contrast": Wood(
            "#ffffff",
            "#a8a8a8",
            "#ffffd7",
            "#ffff5f",
            "#ffff5f",
            _STRONG_INKS,
            ("#005f5f", "#870000", "#5f00af", "#000000"),
        ),
        "dark-16": Wood(
            "bright_white", "white", "bright_white", "bright_yellow", "bright_yellow", _OF_16, _SEATS_OF_16
        ),
        "light-16": Wood(
            "bright_yellow", "bright_yellow", "bright_yellow", "bright_cyan", "black", _OF_16, _SEATS_OF_16
        ),
        "contrast-16": Wood(
            "bright_white",
            "bright_white",
            "bright_white",
            "bright_yellow",
            "bright_yellow",
            SuitInks("black", "black", "blue", "black", "black"),
            ("black", "black", "black", "black"),
        ),
        "own-on-dark": _DEFAULT,
        "own-on-light": _DEFAULT,
    }
)
_INKS: Final = MappingProxyType({kind: wood.inks for kind, wood in WOOD.items()})


_HUE: Final = 0.07
"""How much of a suit's ink is in the ground of its cells, where there is true colour."""
_RIM: Final = 0.3
"""How much of a line's colour is in the lower edge of an empty cell there."""
_RIMS: Final = tuple(f"rim-{half}-{suit}" for half in ("upper", "lower") for suit in "SHDC*")


def _roles(scheme: Scheme) -> dict[str, Style]:
    c, wood = scheme.colours, WOOD[scheme.family]
    on_wood = suit_inks(scheme, _INKS).by_letter()
    styles = {
        "value": text_style(c.dim, c.ground),
        "board": text_style(c.text, c.board),
        "track": text_style(c.rule, c.ground),
        "marker": text_style(c.accent, c.ground, bold=True),
        "chips": text_style(wood.chips, c.ground, bold=True),
        "touched": text_style(c.accent, c.ground, bold=True),
        "stone-edge": block_style(wood.edge, wood.stone),
        "new-edge": block_style(wood.edge, wood.new),
        "picked-edge": block_style(wood.edge, wood.picked),
        "fill-stone": block_style(on_wood["S"], wood.stone),
        "fill-picked": block_style(on_wood["S"], wood.picked),
        **{f"owner-{number}": block_style(ink, wood.new) for number, ink in enumerate(wood.seats, 1)},
    }
    if scheme.kind in {"own-on-dark", "own-on-light"}:
        # Its wood has no colour, so the cell of the sign is filled with the player's.
        styles |= {f"owner-{number}": block_style(c.ground, seat) for number, seat in enumerate(c.seats, 1)}
    for suit, colour in suit_inks(scheme).by_letter().items():
        styles[f"printed-{suit}"] = text_style(colour, c.ground)
        for half, ground in zip(("upper", "lower"), c.cells, strict=True):
            tinted = _tinted(ground, colour, scheme)
            styles[f"{half}-{suit}"] = text_style(colour, tinted)
            rim = mix(tinted, c.rule, _RIM) if scheme.tinted else c.rule
            styles[f"rim-{half}-{suit}"] = text_style(rim, tinted)
        styles[f"legal-{suit}"] = text_style(colour, c.open, bold=True)
        styles[f"stone-{suit}"] = block_style(on_wood[suit], wood.stone)
        styles[f"new-{suit}"] = block_style(on_wood[suit], wood.new)
        styles[f"swap-{suit}"] = block_style(on_wood[suit], wood.new, underline=True)
        styles[f"picked-{suit}"] = block_style(on_wood[suit], wood.picked, underline=True)
        styles[f"cursor-{suit}"] = block_style(on_wood[suit], wood.picked)
    return styles


def _tinted(ground: str, ink: str, scheme: Scheme) -> str:
    """Return `ground` with a breath of `ink`."""
    return mix(ground, ink, _HUE) if scheme.tinted else ground


CARTINO_ROLES: Final = RoleSet(
    "cartino",
    _roles,
    tuple(frozenset(f"{state}-{suit}" for suit in "SHDC") for state in CARD_STATES),
    frozenset({"board", "stone-edge", "new-edge", "picked-edge", "track", *_RIMS}),
)
"""The cards of the table in every state and suit, and what lies beside them."""

WOODEN: Final = Skin("stone", "closed", "picked")
"""The stones of a hand."""
