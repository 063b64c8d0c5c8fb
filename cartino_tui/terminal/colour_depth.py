"""How many colours a terminal shows, and how styles are reduced to them."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal

from rich.color import Color as RichColor
from rich.color import ColorSystem
from rich.style import Style

ColourDepth = Literal["true", "256", "16", "mono"]

MONO_TERMS: Final = frozenset({"", "dumb", "unknown", "vt52", "vt100", "vt102", "vt220"})
TRUE_TERMS: Final = (
    "alacritty",
    "contour",
    "foot",
    "ghostty",
    "kitty",
    "wezterm",
    "xterm-ghostty",
    "xterm-kitty",
)
RESETS_ATTRIBUTES_SINGLY: Final[frozenset[ColourDepth]] = frozenset({"true", "256"})
"""Depths whose terminals all can end bold, underline or reverse alone."""
_NUMBERS: Final = {RichColor.from_ansi(number).get_truecolor(): number for number in range(16, 256)}
REVERSE: Final = Style(reverse=True)


def colour_depth_of(term: str, env: Mapping[str, str]) -> ColourDepth:
    """Return the depth for a TERM and environment (NO_COLOR, COLORTERM)."""
    name = term.lower()
    if env.get("NO_COLOR") or name in MONO_TERMS:
        return "mono"
    if env.get("COLORTERM", "").lower() in {"truecolor", "24bit"}:
        return "true"
    if name.startswith(TRUE_TERMS) or name.endswith("-direct"):
        return "true"
    return "256" if "256color" in name else "16"


@lru_cache(maxsize=8192)
def convert_style(style: Style, depth: ColourDepth) -> Style:
    """Return `style` in colours of `depth`."""
    if depth == "true":
        return style + Style.from_color(_short(style.color), _short(style.bgcolor))
    if depth == "mono":
        return _without_colour(style)
    if depth == "256":
        return style + Style.from_color(_of_256(style.color), _of_256(style.bgcolor))
    low = (
        None if each is None else each.downgrade(ColorSystem.STANDARD)
        for each in (style.color, style.bgcolor)
    )
    return style + Style.from_color(*low)


def _short(colour: RichColor | None) -> RichColor | None:
    """Return `colour` by its number among the 240 that are the same everywhere, if it is one: half the bytes."""
    number = None if colour is None or colour.triplet is None else _NUMBERS.get(colour.triplet)
    return colour if number is None else RichColor.from_ansi(number)


def _of_256(colour: RichColor | None) -> RichColor | None:
    """Return the nearest of the 240 colours that are the same everywhere; Rich's own choice makes dark ones bright."""
    if colour is None or colour.triplet is None:
        return colour
    red, green, blue = colour.triplet

    def distance(number: int) -> int:
        other = RichColor.from_ansi(number).get_truecolor()
        return 2 * (other.red - red) ** 2 + 4 * (other.green - green) ** 2 + 3 * (other.blue - blue) ** 2

    return RichColor.from_ansi(min(range(16, 256), key=distance))


def _without_colour(style: Style) -> Style:
    """Keep only the attributes; dark text on a light background (cursor, selection) becomes reverse."""
    plain = style.without_color
    if style.color is None or style.bgcolor is None:
        return plain
    text, ground = style.color.triplet, style.bgcolor.triplet
    if text is None or ground is None or sum(ground) <= sum(text):
        return plain
    return plain + REVERSE
