"""The mat on which cards lie: a filled surface in the tones of empty places, and what is written on it."""

from typing import Final

from rich.style import Style

from cartino_games.kit.card_roles import SUIT_ROLES, suit_inks
from cartino_tui.draw.theme import SEATS, RoleSet, Scheme, block_style, text_style


def _roles(scheme: Scheme) -> dict[str, Style]:
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
    _roles,
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
