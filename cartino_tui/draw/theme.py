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

from cartino_tui.draw.palette import Fill, Kind
from cartino_tui.draw.roles import Deck, RoleSet, Scheme, block, ink, merged

LookName = Literal["dark", "light", "contrast", "own"]
"""What a theme is called; `own`: the colours of the terminal itself."""
Ground = Literal["dark", "light"]
"""What a terminal's own ground is."""

DECORATION = frozenset({"rule", "rule-strong"})
"""Roles of lines that nobody has to read; everything else is text."""

SEATS: Final = ("seat-1", "seat-2", "seat-3", "seat-4")
"""The roles of the players' lines in a chart, by seat."""


class Theme(msgspec.Struct, frozen=True):
    """A look: its name and a style for every role. A role that it doesn't know looks like the ground."""

    name: str
    styles: Mapping[str, Style]

    def style(self, role: str) -> Style:
        """How `role` looks."""
        return self.styles.get(role) or self.styles["ground"]


@cache
def theme_of(
    name: LookName,
    *,
    deck: Deck = "four",
    sixteen: bool = False,
    ground: Ground = "dark",
    roles: tuple[RoleSet, ...] = (),
) -> Theme:
    """Return the one theme there is of each kind, with the frame's roles and those of `roles`.

    `deck`: the colours of cards. `sixteen`: the terminal has no more colours. `ground`: what its own ground is. Raises
    ValueError where two sets have a role of one name.
    """
    scheme = Scheme(_kind(name, sixteen, ground), deck)
    return Theme(name, MappingProxyType(merged((FRAME, *roles), scheme)))


def _kind(name: LookName, sixteen: bool, ground: Ground) -> Kind:
    if name == "own":
        return "own-on-light" if ground == "light" else "own-on-dark"
    if name == "light":
        return "light-16" if sixteen else "light"
    if name == "contrast":
        return "contrast-16" if sixteen else "contrast"
    return "dark-16" if sixteen else "dark"


def _roles(scheme: Scheme) -> dict[str, Style]:
    """The roles of the frame."""
    c = scheme.colours

    def text(colour: str, *, bold: bool = False, underline: bool = False, ground: str = c.ground) -> Style:
        return ink(colour, ground, bold=bold, underline=underline)

    def filled(fill: Fill) -> Style:
        return block(fill.ink, fill.ground)

    return {
        "ground": text(c.text),
        "text": text(c.text),
        "dim": text(c.dim),
        "rule": text(c.rule),
        "rule-strong": text(c.rule_strong),
        "mark": text(c.accent),
        "title": text(c.strong, bold=True),
        "facts": text(c.facts),
        "heading": text(c.heading, bold=True),
        "name": text(c.strong),
        "turn": text(c.accent, bold=True, underline=True),
        "you": text(c.strong, bold=True),
        "points": text(c.accent, bold=True),
        "cursor": text(c.accent, bold=True),
        "picked": text(c.accent, bold=True),
        "legal-mark": text(c.accent, bold=True),
        "preview": text(c.accent, bold=True),
        "status": text(c.accent),
        "error": text(c.error, bold=True),
        "clock": text(c.strong, bold=True),
        "late": filled(c.late),
        "key": text(c.key, bold=True),
        "hint": text(c.facts),
        "button": filled(c.button),
        "selected": filled(c.selected),
        "input": text(c.strong, ground=c.field),
        "prompt": text(c.key, bold=True, ground=c.field),
        "caret": Style(color=c.strong, bgcolor=c.field, reverse=True),
        "chat-name": text(c.chat_name, bold=True),
        "chat": text(c.text),
        "notice": text(c.dim),
        "winner": text(c.accent, bold=True),
        "strong": text(c.text, bold=True),
        "underlined": text(c.text, underline=True),
        "reversed": Style(color=c.text, bgcolor=c.ground, reverse=True),
        **{role: text(colour) for role, colour in zip(SEATS, c.seats, strict=True)},
    }


FRAME: Final = RoleSet("the frame", _roles, (frozenset(SEATS),))
"""The roles that every game may draw in; no game has one of its own by these names."""

DARK: Final = theme_of("dark")
"""The theme of the frame alone on a terminal of which nothing is known."""
