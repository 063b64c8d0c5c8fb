"""Themes: the style of every role, and the role sets that games add.

State is never shown by colour alone, but also bold, underlined, reversed or marked in the text.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final, Literal, TypeVar

import msgspec
from rich.style import Style

from cartino_tui.draw.palette import PALETTES, Fill, Palette, PaletteFamily, PaletteKind, family_of

Picked = TypeVar("Picked")

Deck = Literal["four", "two"]
"""Cards with a colour for each suit, or red and black."""


ThemeDepth = Literal["true", "256", "16"]
"""The colours of a terminal that has any."""


class Scheme(msgspec.Struct, frozen=True):
    """What a theme is made for: a kind of look, a deck, and the colours that the terminal has."""

    kind: PaletteKind
    deck: Deck = "four"
    depth: ThemeDepth = "true"

    @property
    def colours(self) -> Palette:
        """The frame's colours of this kind."""
        return PALETTES[self.kind]

    @property
    def tinted(self) -> bool:
        """Whether there are enough colours for shades that hardly differ."""
        return self.depth == "true" and self.kind in {"felt", "nord", "gruvbox", "catppuccin"}

    @property
    def family(self) -> PaletteFamily:
        """The kinds that pieces of a game look alike in."""
        return family_of(self.kind)

    def pick(self, choices: Mapping[str, Picked]) -> Picked:
        """Return what `choices` have for this kind in true colour, for its family in 256 colours, or its family."""
        exact = self.kind if self.depth == "true" else f"{self.family}-{self.depth}"
        return choices.get(exact) or choices[self.family]


class RoleSet(msgspec.Struct, frozen=True, eq=False):
    """The roles of one game, or of a kind of piece that games share. Sets are compared by identity.

    `owner` names the set in errors. `make` returns the style of every role in a scheme; it is pure and returns the same
    names for every scheme. `apart`: groups of roles that everybody must be able to tell apart, which tests compute.
    `shading`: roles of surfaces and signs that no text is written in.
    """

    owner: str
    make: Callable[[Scheme], Mapping[str, Style]]
    apart: tuple[frozenset[str], ...] = ()
    shading: frozenset[str] = frozenset()


ON: Final = " on "
"""Stands between two colours where sixteen are too few for signs that everybody tells apart on one background."""


def text_style(colour: str, ground: str, *, bold: bool = False, underline: bool = False) -> Style:
    """Return the style of text of a colour on a background; of a colour `INK on GROUND` on a background of its own."""
    ink, _, own = colour.partition(ON)
    return Style(color=ink, bgcolor=own or ground, bold=bold or None, underline=underline or None)


def block_style(ink: str, ground: str, *, underline: bool = False) -> Style:
    """Return the style of bold text on a filled background, reversed so that it shows without colour, too.

    An ink `INK on GROUND` has a background of its own; a background written so has an ink of its own.
    """
    own_ink, _, under = ground.rpartition(ON)
    ink, _, own = (own_ink or ink).partition(ON)
    return Style(color=own or under, bgcolor=ink, bold=True, reverse=True, underline=underline or None)


def distinct_role_sets(sets: Iterable[RoleSet]) -> tuple[RoleSet, ...]:
    """Return each set once, in order."""
    return tuple(dict.fromkeys(sets))


def merge_role_sets(sets: Iterable[RoleSet], scheme: Scheme) -> dict[str, Style]:
    """Return the roles of all `sets` in `scheme`. Raises ValueError if two have a role of the same name."""
    styles: dict[str, Style] = {}
    owners: dict[str, str] = {}
    for each in sets:
        for role, style in each.make(scheme).items():
            if role in styles:
                raise ValueError(f"both {owners[role]} and {each.owner} have a role {role!r}")
            styles[role], owners[role] = style, each.owner
    return styles


ANY_SCHEME: Final = Scheme("dark")
"""For callers that only need the names of roles."""


LookName = Literal["felt", "dark", "light", "contrast", "nord", "gruvbox", "catppuccin", "own"]
"""`own`: the colours of the terminal itself."""
Ground = Literal["dark", "light"]
"""The brightness of a terminal's own background."""

DECORATION = frozenset({"rule", "rule-strong"})
"""Roles of lines that nobody has to read; all others are text."""

SEATS: Final = ("seat-1", "seat-2", "seat-3", "seat-4")
"""The roles of the players' lines in a chart, by seat."""


class Theme(msgspec.Struct, frozen=True):
    """A named look with a style for every role; an unknown role looks like the background."""

    name: str
    styles: Mapping[str, Style]

    def style(self, role: str) -> Style:
        """Return the style of `role`."""
        return self.styles.get(role) or self.styles["ground"]


@cache
def theme_of(
    name: LookName,
    *,
    deck: Deck = "four",
    depth: ThemeDepth = "true",
    ground: Ground = "dark",
    roles: tuple[RoleSet, ...] = (),
) -> Theme:
    """Return the theme, one per combination, with the frame's roles and `roles`.

    `depth`: the colours that the terminal has. Raises ValueError if two sets have a role of the same name.
    """
    scheme = Scheme(_kind(name, depth, ground), deck, depth)
    return Theme(name, MappingProxyType(merge_role_sets((FRAME, *roles), scheme)))


def _kind(name: LookName, depth: ThemeDepth, ground: Ground) -> PaletteKind:
    if name == "own":
        return "own-on-light" if ground == "light" else "own-on-dark"
    if depth == "16":
        return "light-16" if name == "light" else "contrast-16" if name == "contrast" else "dark-16"
    return "felt-256" if name == "felt" and depth == "256" else name


def _frame_roles(scheme: Scheme) -> dict[str, Style]:
    """Return the roles of the frame."""
    c = scheme.colours

    def text(colour: str, *, bold: bool = False, underline: bool = False, ground: str = c.ground) -> Style:
        return text_style(colour, ground, bold=bold, underline=underline)

    def filled(fill: Fill) -> Style:
        return block_style(fill.ink, fill.ground)

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
        "points": text(c.points, bold=True),
        "cursor": text(c.cursor.ground, bold=True),
        "picked": text(c.accent, bold=True),
        "legal-mark": text(c.accent, bold=True),
        "preview": text(c.accent, bold=True),
        "status": text(c.status),
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
        "bar": text(c.text, ground=c.bar),
        "bar-title": text(c.strong, bold=True, ground=c.bar),
        "bar-facts": text(c.facts, ground=c.bar),
        "bar-key": text(c.key, bold=True, ground=c.bar),
        "bar-hint": text(c.facts, ground=c.bar),
        "chat-name": text(c.chat_name, bold=True),
        "chat": text(c.text),
        "notice": text(c.dim),
        "winner": text(c.winner, bold=True),
        "strong": text(c.text, bold=True),
        **{role: text(colour) for role, colour in zip(SEATS, c.seats, strict=True)},
    }


FRAME: Final = RoleSet("the frame", _frame_roles, (frozenset(SEATS),))
"""Roles that every game may draw in; no game may define one of these names."""

FELT: Final = theme_of("felt")
"""The theme of the frame alone on an unknown terminal."""
