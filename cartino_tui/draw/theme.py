"""Themes: palettes, the style of every role, and the role sets that games add.

State is never shown by colour alone, but also bold, underlined, reversed or marked in the text.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final, Literal

import msgspec
from rich.style import Style

PaletteKind = Literal[
    "dark", "light", "contrast", "dark-16", "light-16", "contrast-16", "own-on-dark", "own-on-light"
]
"""A kind of look: `-16` has sixteen colours, `own` the terminal's own on its dark or light background."""


class Fill(msgspec.Struct, frozen=True):
    """A filled block: its background and the colour of its text."""

    ground: str
    ink: str


class Palette(msgspec.Struct, frozen=True):
    """The colours of a look.

    `strong`: titles and names; `dim`: minor text; `accent`: what matters now (turn, points, cursor); `heading`:
    headings; `rule` and `rule_strong`: lines; `seats`: the players' lines in a chart, distinguishable by everybody.
    """

    ground: str
    text: str
    strong: str
    dim: str
    facts: str
    rule: str
    rule_strong: str
    heading: str
    accent: str
    error: str
    key: str
    chat_name: str
    field: str
    late: Fill
    button: Fill
    selected: Fill
    seats: tuple[str, str, str, str]


def _palette(ground: str, text: str, **others: Any) -> Palette:
    """Return a palette that draws in `text` on `ground` whatever `others` doesn't name."""
    given: dict[str, Any] = dict.fromkeys(Palette.__struct_fields__, text)
    given |= {"ground": ground, "field": ground}
    given |= dict.fromkeys(("late", "button", "selected"), Fill(text, ground))
    return Palette(**(given | others))


# The sixteen colours are the terminal's own, so only those readable in all usual ones are used: no blue on black, no
# green on white. Any two are equal or distinguishable by everybody.
_DARK_OF_16: Final = _palette(
    "black",
    "white",
    strong="bright_white",
    rule_strong="yellow",
    heading="bright_yellow",
    accent="bright_yellow",
    error="bright_red",
    key="bright_cyan",
    chat_name="bright_cyan",
    late=Fill("bright_red", "black"),
    selected=Fill("bright_white", "black"),
    seats=("bright_white", "bright_red", "bright_red", "bright_green"),
)

PALETTES: Final[Mapping[PaletteKind, Palette]] = MappingProxyType(
    {
        "dark": Palette(
            ground="#121212",
            text="#d0d0d0",
            strong="#ffffff",
            dim="#949494",
            facts="#a8a8a8",
            rule="#6c6c6c",
            rule_strong="#af875f",
            heading="#d7af87",
            accent="#ffd75f",
            error="#ff8787",
            key="#ffd7af",
            chat_name="#87afd7",
            field="#303030",
            late=Fill("#ff8787", "#121212"),
            button=Fill("#d7af87", "#121212"),
            selected=Fill("#ffd7af", "#121212"),
            seats=("#eeeeee", "#d75f5f", "#5f87ff", "#5fff00"),
        ),
        # Paper, for a bright room.
        "light": Palette(
            ground="#eeeeee",
            text="#262626",
            strong="#000000",
            dim="#626262",
            facts="#585858",
            rule="#808080",
            rule_strong="#875f00",
            heading="#5f5f00",
            accent="#875f00",
            error="#af0000",
            key="#005f87",
            chat_name="#005faf",
            field="#ffffff",
            late=Fill("#af0000", "#ffffff"),
            button=Fill("#875f00", "#ffffff"),
            selected=Fill("#005f87", "#ffffff"),
            seats=("#121212", "#af005f", "#0000ff", "#5f5f00"),
        ),
        # A contrast of at least seven to one.
        "contrast": Palette(
            ground="#000000",
            text="#ffffff",
            strong="#ffffff",
            dim="#d0d0d0",
            facts="#eeeeee",
            rule="#a8a8a8",
            rule_strong="#ffffff",
            heading="#ffff5f",
            accent="#ffff5f",
            error="#ffafaf",
            key="#5fffff",
            chat_name="#5fffff",
            field="#00005f",
            late=Fill("#ffafaf", "#000000"),
            button=Fill("#5fffff", "#000000"),
            selected=Fill("#ffff5f", "#000000"),
            seats=("#ffffff", "#ff5f5f", "#00afd7", "#87ff00"),
        ),
        "dark-16": _DARK_OF_16,
        # On bright white: on the other white not even red is readable everywhere.
        "light-16": _palette(
            "bright_white",
            "black",
            error="red",
            key="blue",
            chat_name="blue",
            field="white",
            late=Fill("black", "bright_yellow"),
            button=Fill("blue", "bright_white"),
            seats=("black", "red", "blue", "black"),
        ),
        # No red has a contrast of seven to one.
        "contrast-16": msgspec.structs.replace(
            _DARK_OF_16,
            rule_strong="bright_white",
            text="bright_white",
            strong="bright_white",
            error="bright_yellow",
            late=Fill("bright_yellow", "black"),
            seats=("bright_white", "bright_white", "bright_white", "bright_green"),
        ),
        # The terminal's bright colours, for a dark or unknown background.
        "own-on-dark": _palette(
            "default",
            "default",
            error="bright_red",
            seats=("default", "bright_red", "bright_red", "bright_green"),
        ),
        # On a light background hardly any terminal's green is readable.
        "own-on-light": _palette(
            "default", "default", error="red", seats=("default", "red", "blue", "default")
        ),
    }
)
"""The frame's palette of each kind."""

Deck = Literal["four", "two"]
"""Cards with a colour for each suit, or red and black."""


class Scheme(msgspec.Struct, frozen=True):
    """What a theme is made for: a kind of look and a deck."""

    kind: PaletteKind
    deck: Deck = "four"

    @property
    def colours(self) -> Palette:
        """The frame's colours of this kind."""
        return PALETTES[self.kind]


class RoleSet(msgspec.Struct, frozen=True, eq=False):
    """The roles of one game, or of a kind of piece that games share. Sets are compared by identity.

    `owner` names the set in errors. `make` returns the style of every role in a scheme; it is pure and returns the same
    names for every scheme. `apart`: groups of roles that everybody must be able to tell apart, which tests compute.
    """

    owner: str
    make: Callable[[Scheme], Mapping[str, Style]]
    apart: tuple[frozenset[str], ...] = ()


def text_style(colour: str, ground: str, *, bold: bool = False, underline: bool = False) -> Style:
    """Return the style of text of a colour on a background."""
    return Style(color=colour, bgcolor=ground, bold=bold or None, underline=underline or None)


def block_style(ink: str, ground: str, *, underline: bool = False) -> Style:
    """Return the style of bold text on a filled background, reversed so that it shows without colour, too."""
    return Style(color=ground, bgcolor=ink, bold=True, reverse=True, underline=underline or None)


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


LookName = Literal["dark", "light", "contrast", "own"]
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
    sixteen: bool = False,
    ground: Ground = "dark",
    roles: tuple[RoleSet, ...] = (),
) -> Theme:
    """Return the theme, one per combination, with the frame's roles and `roles`.

    `sixteen`: the terminal has no more colours. Raises ValueError if two sets have a role of the same name.
    """
    scheme = Scheme(_kind(name, sixteen, ground), deck)
    return Theme(name, MappingProxyType(merge_role_sets((FRAME, *roles), scheme)))


def _kind(name: LookName, sixteen: bool, ground: Ground) -> PaletteKind:
    if name == "own":
        return "own-on-light" if ground == "light" else "own-on-dark"
    if name == "light":
        return "light-16" if sixteen else "light"
    if name == "contrast":
        return "contrast-16" if sixteen else "contrast"
    return "dark-16" if sixteen else "dark"


def _frame_roles(scheme: Scheme) -> dict[str, Style]:
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


FRAME: Final = RoleSet("the frame", _frame_roles, (frozenset(SEATS),))
"""Roles that every game may draw in; no game may define one of these names."""

DARK: Final = theme_of("dark")
"""The theme of the frame alone on an unknown terminal."""
