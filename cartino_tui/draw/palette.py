"""The colours of each theme: 256-colour palette values, or names of the terminal's own sixteen."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

import msgspec

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


DARK: Final = Palette(
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
)
"""Calm and dark."""

LIGHT: Final = Palette(
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
)
"""Paper, for a bright room."""

CONTRAST: Final = Palette(
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
)
"""Black and white, with a contrast of at least seven to one."""

DARK_OF_16: Final = Palette(
    ground="black",
    text="white",
    strong="bright_white",
    dim="white",
    facts="white",
    rule="white",
    rule_strong="yellow",
    heading="bright_yellow",
    accent="bright_yellow",
    error="bright_red",
    key="bright_cyan",
    chat_name="bright_cyan",
    field="black",
    late=Fill("bright_red", "black"),
    button=Fill("white", "black"),
    selected=Fill("bright_white", "black"),
    seats=("bright_white", "bright_red", "bright_red", "bright_green"),
)
"""Dark in sixteen colours.

The shades are the terminal's own, so only those readable in all usual ones are used: no blue on black, no green on
white. Any two are equal or distinguishable by everybody.
"""

LIGHT_OF_16: Final = Palette(
    ground="bright_white",
    text="black",
    strong="black",
    dim="black",
    facts="black",
    rule="black",
    rule_strong="black",
    heading="black",
    accent="black",
    error="red",
    key="blue",
    chat_name="blue",
    field="white",
    late=Fill("black", "bright_yellow"),
    button=Fill("blue", "bright_white"),
    selected=Fill("black", "bright_white"),
    seats=("black", "red", "blue", "black"),
)
"""Light in sixteen colours, on bright white: on the other white not even red is readable everywhere."""

CONTRAST_OF_16: Final = msgspec.structs.replace(
    DARK_OF_16,
    rule_strong="bright_white",
    text="bright_white",
    strong="bright_white",
    error="bright_yellow",
    late=Fill("bright_yellow", "black"),
    seats=("bright_white", "bright_white", "bright_white", "bright_green"),
)
"""A contrast of seven to one in sixteen colours; no red reaches that."""


def _terminal_palette(red: str, third: str, fourth: str) -> Palette:
    """Return the terminal's own text colours, reverse blocks, and its colours that are readable there."""
    filled = Fill("default", "default")
    return Palette(
        ground="default",
        text="default",
        strong="default",
        dim="default",
        facts="default",
        rule="default",
        rule_strong="default",
        heading="default",
        accent="default",
        error=red,
        key="default",
        chat_name="default",
        field="default",
        late=filled,
        button=filled,
        selected=filled,
        seats=("default", red, third, fourth),
    )


OWN_ON_DARK: Final = _terminal_palette("bright_red", third="bright_red", fourth="bright_green")
"""The terminal's own bright colours, for a dark or unknown background."""
OWN_ON_LIGHT: Final = _terminal_palette("red", third="blue", fourth="default")
"""The same on a light background, where hardly any terminal's green is readable."""

PALETTES: Final[Mapping[PaletteKind, Palette]] = MappingProxyType(
    {
        "dark": DARK,
        "light": LIGHT,
        "contrast": CONTRAST,
        "dark-16": DARK_OF_16,
        "light-16": LIGHT_OF_16,
        "contrast-16": CONTRAST_OF_16,
        "own-on-dark": OWN_ON_DARK,
        "own-on-light": OWN_ON_LIGHT,
    }
)
"""The frame's palette of each kind."""
