"""What the roles of a frame look like. A theme is a value, so another one is another `Theme`, not another drawing.

State never hangs on colour alone: what matters is also bold, underlined or reversed (which is all that a
terminal without colour keeps), or has a mark of its own in the text.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final, Literal

import msgspec
from rich.style import Style

from cartino_tui.draw import palette
from cartino_tui.draw.palette import Fill, Palette

LookName = Literal["dark", "light", "contrast", "own"]
"""What a theme is called; `own`: the colours of the terminal itself."""
Ground = Literal["dark", "light"]
"""What a terminal's own ground is."""

CARD_STATES = ("printed", "legal", "stone", "swap", "picked", "cursor")
"""The states of a card on a table; the roles are `STATE-SUIT`, with `*` for the suit of a joker."""

DECORATION = frozenset({"rule", "rule-strong"})
"""Roles of lines that nobody has to read; everything else is text."""


class Theme(msgspec.Struct, frozen=True):
    """A look: its name and a style for every role. A role that it doesn't know looks like the ground."""

    name: str
    styles: Mapping[str, Style]

    def style(self, role: str) -> Style:
        """How `role` looks."""
        return self.styles.get(role) or self.styles["ground"]


def theme(name: str, colours: Palette) -> Theme:
    """The theme in those colours. A new role is one line in `_roles`, and so has its look in every theme."""
    return Theme(name, MappingProxyType({**_roles(colours), **_cards(colours)}))


@cache
def theme_of(name: LookName, *, four: bool = True, sixteen: bool = False, ground: Ground = "dark") -> Theme:
    """The one theme there is of each kind.

    `four`: a deck of four colours, else of two. `sixteen`: the terminal has no more colours. `ground`: what its own
    ground is.
    """
    colours = _palette(name, sixteen, ground)
    return theme(name, colours if four else colours.two_coloured())


def _palette(name: LookName, sixteen: bool, ground: Ground) -> Palette:
    if name == "own":
        return palette.OWN_ON_LIGHT if ground == "light" else palette.OWN_ON_DARK
    if name == "light":
        return palette.LIGHT_OF_16 if sixteen else palette.LIGHT
    if name == "contrast":
        return palette.CONTRAST_OF_16 if sixteen else palette.CONTRAST
    return palette.DARK_OF_16 if sixteen else palette.DARK


def _roles(c: Palette) -> dict[str, Style]:
    """Every role but those of cards."""

    def ink(colour: str, *, bold: bool = False, underline: bool = False, ground: str = c.ground) -> Style:
        return _ink(colour, ground, bold=bold, underline=underline)

    suits = c.deck
    return {
        "ground": ink(c.text),
        "text": ink(c.text),
        "dim": ink(c.dim),
        "rule": ink(c.rule),
        "rule-strong": ink(c.rule_strong),
        "title": ink(c.strong, bold=True),
        "facts": ink(c.facts),
        "heading": ink(c.heading, bold=True),
        "name": ink(c.strong),
        "turn": ink(c.accent, bold=True, underline=True),
        "you": ink(c.strong, bold=True),
        "points": ink(c.accent, bold=True),
        "value": ink(c.dim),
        "track": ink(c.dim),
        "marker": ink(c.accent, bold=True),
        "chips": ink(c.chips, bold=True),
        "cursor": ink(c.accent, bold=True),
        "legal-mark": ink(c.accent, bold=True),
        "touched": ink(c.accent, bold=True),
        "preview": ink(c.accent, bold=True),
        "wood": ink(c.wood_line),
        "picked": ink(c.accent, bold=True),
        "status": ink(c.accent),
        "error": ink(c.error, bold=True),
        "clock": ink(c.strong, bold=True),
        "late": _filled(c.late),
        "key": ink(c.key, bold=True),
        "hint": ink(c.facts),
        "button": _filled(c.button),
        "selected": _filled(c.selected),
        "input": ink(c.strong, ground=c.field),
        "prompt": ink(c.key, bold=True, ground=c.field),
        "caret": Style(color=c.strong, bgcolor=c.field, reverse=True),
        "chat-name": ink(c.chat_name, bold=True),
        "chat": ink(c.text),
        "notice": ink(c.dim),
        "winner": ink(c.accent, bold=True),
        "strong": ink(c.text, bold=True),
        "underlined": ink(c.text, underline=True),
        "reversed": Style(color=c.text, bgcolor=c.ground, reverse=True),
        "fill-stone": _block(c.wood_deck.spade, c.wood),
        "fill-picked": _block(c.wood_deck.spade, c.picked),
        "spade": ink(suits.spade),
        "heart": ink(suits.heart),
        "diamond": ink(suits.diamond),
        "club": ink(suits.club),
    }


def _cards(c: Palette) -> dict[str, Style]:
    """The roles of cards: every state in every suit."""
    styles: dict[str, Style] = {}
    on_wood = c.wood_deck.inks()
    for suit, ink in c.deck.inks().items():
        styles[f"printed-{suit}"] = _ink(ink, c.ground)
        styles[f"legal-{suit}"] = _ink(ink, c.ground, bold=True, underline=True)
        styles[f"stone-{suit}"] = _block(on_wood[suit], c.wood)
        styles[f"swap-{suit}"] = _block(on_wood[suit], c.wood, underline=True)
        styles[f"picked-{suit}"] = _block(on_wood[suit], c.picked, underline=True)
        # Nearly the ink of a legal card: the cursor goes from one to the next, and a change of colours is dear.
        styles[f"cursor-{suit}"] = _block(c.ground, ink)
    return styles


def _ink(colour: str, ground: str, *, bold: bool = False, underline: bool = False) -> Style:
    """Text of a colour on a ground."""
    return Style(color=colour, bgcolor=ground, bold=bold or None, underline=underline or None)


def _block(ink: str, ground: str, *, underline: bool = False) -> Style:
    """Bold text on a filled ground, by reverse video so that a terminal without colour shows a block too."""
    return Style(color=ground, bgcolor=ink, bold=True, reverse=True, underline=underline or None)


def _filled(fill: Fill) -> Style:
    return _block(fill.ink, fill.ground)


DARK: Final = theme_of("dark")
"""The theme of a terminal of which nothing is known: a calm dark ground, the deck's four colours, stones like maple."""
