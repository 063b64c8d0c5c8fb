"""The roles of a Cartino table: cards as they are printed on the board, wooden stones, and the marks between them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec
from rich.style import Style

from cartino_games.kit.card_roles import DARK_INKS, Skin, SuitInks, suit_inks
from cartino_tui.draw.palette import PaletteFamily
from cartino_tui.draw.theme import RoleSet, Scheme, block_style, text_style

CARD_STATES: Final = ("printed", "legal", "stone", "swap", "picked", "cursor")
"""The states of a card on the table; the roles are `STATE-SUIT`, with `*` for the suit of a joker."""


class Wood(msgspec.Struct, frozen=True):
    """The outline of a stone, the ground of a stone and of the picked one, the ink of chips, and of suits on wood."""

    line: str
    stone: str
    picked: str
    chips: str
    inks: SuitInks


_DEFAULT: Final = Wood("default", "default", "default", "default", SuitInks(*["default"] * 5))
"""Nobody knows what can be read on a terminal's own text colour but its ground."""

WOOD: Final[Mapping[PaletteFamily, Wood]] = MappingProxyType(
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
_INKS: Final = MappingProxyType({kind: wood.inks for kind, wood in WOOD.items()})


def _roles(scheme: Scheme) -> dict[str, Style]:
    c, wood = scheme.colours, WOOD[scheme.family]
    on_wood = suit_inks(scheme, _INKS).by_letter()
    styles = {
        "value": text_style(c.dim, c.ground),
        "track": text_style(c.dim, c.ground),
        "marker": text_style(c.accent, c.ground, bold=True),
        "chips": text_style(wood.chips, c.ground, bold=True),
        "touched": text_style(c.accent, c.ground, bold=True),
        "wood": text_style(wood.line, c.ground),
        "fill-stone": block_style(on_wood["S"], wood.stone),
        "fill-picked": block_style(on_wood["S"], wood.picked),
    }
    for suit, colour in suit_inks(scheme).by_letter().items():
        styles[f"printed-{suit}"] = text_style(colour, c.ground)
        styles[f"legal-{suit}"] = text_style(colour, c.ground, bold=True, underline=True)
        styles[f"stone-{suit}"] = block_style(on_wood[suit], wood.stone)
        styles[f"swap-{suit}"] = block_style(on_wood[suit], wood.stone, underline=True)
        styles[f"picked-{suit}"] = block_style(on_wood[suit], wood.picked, underline=True)
        # Nearly the ink of a legal card: the cursor goes from one to the next, and a change of colours is dear.
        styles[f"cursor-{suit}"] = block_style(c.ground, colour)
    return styles


CARTINO_ROLES: Final = RoleSet(
    "cartino",
    _roles,
    tuple(frozenset(f"{state}-{suit}" for suit in "SHDC") for state in CARD_STATES),
)
"""The cards of the table in every state and suit, and what lies beside them."""

WOODEN: Final = Skin("stone", "printed", "picked", "wood")
"""The stones of a hand."""
