"""What the roles of a frame look like. A theme is a value, so another one is another `Theme`, not another drawing.

State never hangs on colour alone: what matters is also bold, underlined or reversed (which is all that a
terminal without colour keeps), or has a mark of its own in the text. Colours are those of the 256-colour
palette, so that a terminal with only those shows what was meant.
"""

from collections.abc import Mapping
from types import MappingProxyType

import msgspec
from rich.style import Style

GROUND = "#121212"
DECK = {"S": "#eeeeee", "H": "#d75f5f", "D": "#5f87ff", "C": "#5fff00"}
"""The four-colour deck on a dark ground: spades, hearts, diamonds, clubs."""
DECK_ON_WOOD = {"S": "#121212", "H": "#af0000", "D": "#0000d7", "C": "#005f00"}
"""The same four on a light stone."""
JOKER_INK, JOKER_ON_WOOD = "#ff87ff", "#870087"

WOOD = "#ffd7af"
GOLD = "#ffd75f"

CARD_STATES = ("printed", "legal", "stone", "swap", "picked", "cursor")
"""The states of a card on a table; the roles are `STATE-SUIT`, with `*` for the suit of a joker."""


class Theme(msgspec.Struct, frozen=True):
    """A look: its name and a style for every role. A role that it doesn't know looks like the ground."""

    name: str
    styles: Mapping[str, Style]

    def style(self, role: str) -> Style:
        """How `role` looks."""
        return self.styles.get(role) or self.styles["ground"]


def _ink(colour: str, *, bold: bool = False, underline: bool = False, ground: str = GROUND) -> Style:
    """Text of a colour on a ground."""
    return Style(color=colour, bgcolor=ground, bold=bold or None, underline=underline or None)


def _block(ink: str, ground: str, *, underline: bool = False) -> Style:
    """Bold text on a filled ground, by reverse video so that a terminal without colour shows a block too."""
    return Style(color=ground, bgcolor=ink, bold=True, reverse=True, underline=underline or None)


def _cards() -> dict[str, Style]:
    """The roles of cards: every state in every suit."""
    styles: dict[str, Style] = {}
    for suit, on_ground, on_wood in (
        *((suit, DECK[suit], DECK_ON_WOOD[suit]) for suit in DECK),
        ("*", JOKER_INK, JOKER_ON_WOOD),
    ):
        styles[f"printed-{suit}"] = _ink(on_ground)
        styles[f"legal-{suit}"] = _ink(on_ground, bold=True, underline=True)
        styles[f"stone-{suit}"] = _block(on_wood, WOOD)
        styles[f"swap-{suit}"] = _block(on_wood, WOOD, underline=True)
        styles[f"picked-{suit}"] = _block(on_wood, GOLD, underline=True)
        # Nearly the ink of a legal card: the cursor goes from one to the next, and a change of colours is dear.
        styles[f"cursor-{suit}"] = _block(GROUND, on_ground)
    return styles


DARK = Theme(
    "dark",
    MappingProxyType(
        {
            "ground": _ink("#d0d0d0"),
            "text": _ink("#d0d0d0"),
            "dim": _ink("#949494"),
            "rule": _ink("#6c6c6c"),
            "rule-strong": _ink("#af875f"),
            "title": _ink("#ffffff", bold=True),
            "facts": _ink("#a8a8a8"),
            "heading": _ink("#d7af87", bold=True),
            "name": _ink("#ffffff"),
            "turn": _ink(GOLD, bold=True, underline=True),
            "you": _ink("#ffffff", bold=True),
            "points": _ink(GOLD, bold=True),
            "value": _ink("#949494"),
            "track": _ink("#949494"),
            "marker": _ink(GOLD, bold=True),
            "chips": _ink("#ffaf5f", bold=True),
            "cursor": _ink(GOLD, bold=True),
            "legal-mark": _ink(GOLD, bold=True),
            "touched": _ink(GOLD, bold=True),
            "preview": _ink(GOLD, bold=True),
            "wood": _ink("#d7af87"),
            "picked": _ink(GOLD, bold=True),
            "status": _ink(GOLD),
            "error": _ink("#ff8787", bold=True),
            "clock": _ink("#ffffff", bold=True),
            "late": _block("#121212", "#ff8787"),
            "key": _ink(WOOD, bold=True),
            "hint": _ink("#a8a8a8"),
            "button": _block("#121212", "#d7af87"),
            "selected": _block("#121212", WOOD),
            "input": _ink("#ffffff", ground="#303030"),
            "prompt": _ink(WOOD, bold=True, ground="#303030"),
            "caret": Style(color="#ffffff", bgcolor="#303030", reverse=True),
            "chat-name": _ink("#87afd7", bold=True),
            "chat": _ink("#d0d0d0"),
            "notice": _ink("#949494"),
            "winner": _ink(GOLD, bold=True),
            "fill-stone": _block("#121212", WOOD),
            "fill-picked": _block("#121212", GOLD),
            "spade": _ink(DECK["S"]),
            "heart": _ink(DECK["H"]),
            "diamond": _ink(DECK["D"]),
            "club": _ink(DECK["C"]),
            **_cards(),
        }
    ),
)
"""The only theme so far: a calm dark ground, printed cards in the deck's colours, stones like maple."""

DECORATION = frozenset({"rule", "rule-strong"})
"""Roles of lines that nobody has to read; everything else is text."""
