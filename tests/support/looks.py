"""Every look that there is, with the roles of all installed games, and how its colours are told apart."""

from functools import partial
from typing import Final, Literal, get_args

from rich.color import Color
from rich.style import Style

from cartino_tui.draw import theme
from cartino_tui.draw.theme import Deck, Ground, LookName, Theme, ThemeDepth
from cartino_tui.terminal.colour_depth import ColourDepth, convert_style
from tests.support.games import ROLES

theme_of: Final = partial(theme.theme_of, roles=ROLES)

DEPTHS: Final[tuple[Literal["true", "256"], ...]] = ("true", "256")
LOOKS = [
    (theme_of(name, deck=deck, depth=depth), depth)
    for name in get_args(LookName)
    if name != "own"
    for deck in get_args(Deck)
    for depth in DEPTHS
]
GROUNDS: Final[tuple[Ground, ...]] = get_args(Ground)
ALL: Final = [
    theme_of(name, deck=deck, depth=depth, ground=ground)
    for name in get_args(LookName)
    for deck in get_args(Deck)
    for depth in get_args(ThemeDepth)
    for ground in GROUNDS
]

TOLD_APART = 15.0
"""The least difference (CIEDE2000) between two suits. Two is what is just seen in large fields side by side; letters
are small and stand apart, which takes a multiple, and fifteen is about that between two neighbouring colours of a
rainbow of twelve."""

JOKER_APART = 10.0
"""The least between a joker and a suit: a joker has a sign of its own, which is no suit's, and two letters."""


def shades(*values: str) -> tuple[Color, ...]:
    return tuple(Color.parse(f"#{value}") for line in values for value in line.split())


SHADES = {
    "xterm": shades(
        "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5",
        "7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff",
    ),
    "VGA": shades(
        "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa",
        "555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff",
    ),
    "PuTTY": shades(
        "000000 bb0000 00bb00 bbbb00 0000bb bb00bb 00bbbb bbbbbb",
        "555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff",
    ),
}
"""What the sixteen colours are at xterm, at the console of a PC, and at PuTTY."""

SIXTEEN = [
    (theme_of(name, deck=deck, depth="16"), known)
    for name in get_args(LookName)
    if name != "own"
    for deck in get_args(Deck)
    for known in SHADES.values()
]


def colours(style: Style) -> tuple[Color, Color]:
    assert style.color is not None
    assert style.bgcolor is not None
    return style.color, style.bgcolor


def of_depth(theme: Theme, role: str, depth: ColourDepth) -> tuple[Color, Color]:
    return colours(convert_style(theme.style(role), depth))


def shaded(style: Style, known: tuple[Color, ...]) -> tuple[Color, Color]:
    ink, ground = colours(style)
    assert ink.number is not None
    assert ground.number is not None
    return known[ink.number], known[ground.number]


def without_colour(style: Style) -> tuple[bool, bool, bool]:
    return bool(style.bold), bool(style.underline), bool(style.reverse)
