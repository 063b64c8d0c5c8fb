"""The roles of a Cartino table: cards as they are printed on the board, and the marks between them."""

from typing import Final

from rich.style import Style

from cartino_games.kit.card_roles import WOOD, WOOD_INKS, suit_inks
from cartino_tui.draw.roles import RoleSet, Scheme, block, ink

CARD_STATES: Final = ("legal", "swap", "cursor")
"""The states of a card on the board; the roles are `STATE-SUIT`, with `*` for the suit of a joker."""


def _roles(scheme: Scheme) -> dict[str, Style]:
    c, wood = scheme.colours, WOOD[scheme.kind]
    on_wood = suit_inks(scheme, WOOD_INKS).by_letter()
    styles = {
        "value": ink(c.dim, c.ground),
        "track": ink(c.dim, c.ground),
        "marker": ink(c.accent, c.ground, bold=True),
        "chips": ink(wood.chips, c.ground, bold=True),
        "touched": ink(c.accent, c.ground, bold=True),
    }
    for suit, colour in suit_inks(scheme).by_letter().items():
        styles[f"legal-{suit}"] = ink(colour, c.ground, bold=True, underline=True)
        styles[f"swap-{suit}"] = block(on_wood[suit], wood.stone, underline=True)
        # Nearly the ink of a legal card: the cursor goes from one to the next, and a change of colours is dear.
        styles[f"cursor-{suit}"] = block(c.ground, colour)
    return styles


CARTINO_ROLES: Final = RoleSet(
    "cartino",
    _roles,
    tuple(frozenset(f"{state}-{suit}" for suit in "SHDC") for state in CARD_STATES),
)
"""The cards of the board that something is done with, and what lies beside them."""
