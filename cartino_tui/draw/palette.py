"""The colours of each theme, for true colour, for 256 colours, and as names of the terminal's own sixteen."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, cast

import msgspec

PaletteKind = Literal[
    "felt",
    "felt-256",
    "dark",
    "light",
    "contrast",
    "nord",
    "gruvbox",
    "catppuccin",
    "dark-16",
    "light-16",
    "contrast-16",
    "own-on-dark",
    "own-on-light",
]
"""A kind of look: `-256` and `-16` have so many colours, `own` the terminal's own on its dark or light background."""

PaletteFamily = Literal[
    "dark", "light", "contrast", "dark-16", "light-16", "contrast-16", "own-on-dark", "own-on-light"
]
"""Kinds that pieces of a game look alike in."""


class Fill(msgspec.Struct, frozen=True):
    """A filled block: its background and the colour of its text."""

    ground: str
    ink: str


class Palette(msgspec.Struct, frozen=True):
    """The colours of a look.

    `strong`: titles and names; `dim`: minor text; `accent`: what is picked or possible; `heading`: headings; `rule`
    and `rule_strong`: lines; `bar`: the ground of the first and the last row; `cells`: the two grounds of empty places
    on a board; `board`: the ground between its places; `open`: that of a place where something may go; `turn`,
    `points`, `status` and `winner`: text of that meaning; `cursor`: the place that Enter acts on; `seats`: the players,
    distinguishable by everybody.
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
    turn: str
    points: str
    status: str
    winner: str
    error: str
    key: str
    chat_name: str
    field: str
    bar: str
    cells: tuple[str, str]
    board: str
    open: str
    cursor: Fill
    late: Fill
    button: Fill
    selected: Fill
    seats: tuple[str, str, str, str]


FELT: Final = Palette(
    ground="#16302a",
    text="#dadada",
    strong="#ffffd7",
    dim="#afafaf",
    facts="#bcbcbc",
    rule="#5f875f",
    rule_strong="#af875f",
    heading="#ffd787",
    accent="#ffd75f",
    turn="#ffd75f",
    points="#afd787",
    status="#ffd7af",
    winner="#ffd75f",
    error="#ff8787",
    key="#ffd75f",
    chat_name="#87d7ff",
    field="#0f231f",
    bar="#0a1815",
    cells=("#1f3a33", "#1a332d"),
    board="#0f231f",
    open="#443a1a",
    cursor=Fill("#ffd75f", "#20180a"),
    late=Fill("#ff8787", "#20100c"),
    button=Fill("#ffd787", "#20180a"),
    selected=Fill("#ffd7af", "#20180a"),
    seats=("#afd7ff", "#ff875f", "#af87ff", "#ffff87"),
)
"""A green felt in lamplight; the wood lies on it."""

FELT_OF_256: Final = Palette(
    ground="#1c1c1c",
    text="#dadada",
    strong="#ffffff",
    dim="#9e9e9e",
    facts="#b2b2b2",
    rule="#767676",
    rule_strong="#af875f",
    heading="#d7af87",
    accent="#ffff5f",
    turn="#ffff5f",
    points="#afd787",
    status="#ffd7af",
    winner="#ffff5f",
    error="#ff8787",
    key="#ffff5f",
    chat_name="#87afd7",
    field="#303030",
    bar="#080808",
    cells=("#303030", "#262626"),
    board="#005f00",
    open="#3a3a3a",
    cursor=Fill("#ffff5f", "#1c1c1c"),
    late=Fill("#ff8787", "#121212"),
    button=Fill("#d7af87", "#121212"),
    selected=Fill("#ffd7af", "#121212"),
    seats=("#afd7ff", "#ff875f", "#af87ff", "#ffff87"),
)
"""The same where there is one dark green, too bright for text: the felt is seen between the places of large boards."""

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
    turn="#ffd75f",
    points="#afff87",
    status="#ffd7af",
    winner="#ffff5f",
    bar="#262626",
    cells=("#262626", "#1c1c1c"),
    board="#080808",
    open="#3a3a3a",
    cursor=Fill("#ffd75f", "#121212"),
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
    turn="#875f00",
    points="#005f00",
    status="#5f0087",
    winner="#870000",
    bar="#e4e4e4",
    cells=("#e4e4e4", "#dadada"),
    board="#d0d0d0",
    open="#ffffaf",
    cursor=Fill("#005f87", "#ffffff"),
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
    turn="#ffff5f",
    points="#87ff87",
    status="#ffffff",
    winner="#ffd75f",
    bar="#000000",
    cells=("#1c1c1c", "#121212"),
    board="#000000",
    open="#1c1c1c",
    cursor=Fill("#ffff5f", "#000000"),
    late=Fill("#ffafaf", "#000000"),
    button=Fill("#5fffff", "#000000"),
    selected=Fill("#ffff5f", "#000000"),
    seats=("#ffffff", "#ff5f5f", "#00afd7", "#87ff00"),
)
"""Black and white, with a contrast of at least seven to one."""

NORD: Final = Palette(
    ground="#2b303b",
    text="#e5e9f0",
    strong="#eceff4",
    dim="#aab4c6",
    facts="#b8c1d1",
    rule="#818da3",
    rule_strong="#88c0d0",
    heading="#88c0d0",
    accent="#ebcb8b",
    turn="#ebcb8b",
    points="#a9d18e",
    status="#d8dee9",
    winner="#ebcb8b",
    error="#f2a1a8",
    key="#88c0d0",
    chat_name="#8fbcbb",
    field="#343b49",
    bar="#242933",
    cells=("#242831", "#1f232b"),
    board="#191c22",
    open="#3a3a2e",
    cursor=Fill("#ebcb8b", "#2b303b"),
    late=Fill("#f2a1a8", "#2b303b"),
    button=Fill("#88c0d0", "#2b303b"),
    selected=Fill("#d8dee9", "#2b303b"),
    seats=("#8cc4d4", "#d1866f", "#a787ea", "#efcf8f"),
)
"""The colours of nordtheme.com, some brighter so that they can be read."""

GRUVBOX: Final = Palette(
    ground="#282828",
    text="#ebdbb2",
    strong="#fbf1c7",
    dim="#bdae93",
    facts="#d5c4a1",
    rule="#928374",
    rule_strong="#d79921",
    heading="#fabd2f",
    accent="#fabd2f",
    turn="#fabd2f",
    points="#b8bb26",
    status="#ebdbb2",
    winner="#fabd2f",
    error="#ff8478",
    key="#8ec07c",
    chat_name="#83a598",
    field="#3c3836",
    bar="#1d2021",
    cells=("#1d2021", "#1f2122"),
    board="#151617",
    open="#443b1c",
    cursor=Fill("#fabd2f", "#282828"),
    late=Fill("#ff8478", "#282828"),
    button=Fill("#d79921", "#1d2021"),
    selected=Fill("#ebdbb2", "#282828"),
    seats=("#84a598", "#fd811c", "#b77cb3", "#ffec68"),
)
"""The dark colours of gruvbox, its red brighter."""

CATPPUCCIN: Final = Palette(
    ground="#1e1e2e",
    text="#cdd6f4",
    strong="#f5f7ff",
    dim="#a6adc8",
    facts="#bac2de",
    rule="#7f849c",
    rule_strong="#b4befe",
    heading="#cba6f7",
    accent="#f9e2af",
    turn="#f9e2af",
    points="#a6e3a1",
    status="#f5e0dc",
    winner="#fab387",
    error="#f38ba8",
    key="#89b4fa",
    chat_name="#74c7ec",
    field="#313244",
    bar="#11111b",
    cells=("#181825", "#14141f"),
    board="#101018",
    open="#403a2c",
    cursor=Fill("#f9e2af", "#1e1e2e"),
    late=Fill("#f38ba8", "#1e1e2e"),
    button=Fill("#cba6f7", "#1e1e2e"),
    selected=Fill("#f5e0dc", "#1e1e2e"),
    seats=("#a5caeb", "#efa370", "#b088ff", "#ffeec8"),
)
"""The mocha colours of catppuccin."""

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
    turn="bright_yellow",
    points="bright_green",
    status="bright_white",
    winner="bright_yellow",
    bar="black",
    cells=("black", "black"),
    board="black",
    open="black",
    cursor=Fill("bright_yellow", "black"),
    late=Fill("bright_red", "black"),
    button=Fill("white", "black"),
    selected=Fill("bright_white", "black"),
    seats=("bright_white", "bright_red", "bright_white on blue", "bright_green"),
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
    turn="black",
    points="black",
    status="black",
    winner="black",
    bar="bright_white",
    cells=("bright_white", "bright_white"),
    board="bright_white",
    open="bright_white",
    cursor=Fill("black", "bright_white"),
    late=Fill("black", "bright_yellow"),
    button=Fill("blue", "bright_white"),
    selected=Fill("black", "bright_white"),
    seats=("black", "red", "blue", "black on green"),
)
"""Light in sixteen colours, on bright white: on the other white not even red is readable everywhere."""

CONTRAST_OF_16: Final = msgspec.structs.replace(
    DARK_OF_16,
    rule_strong="bright_white",
    text="bright_white",
    strong="bright_white",
    error="bright_yellow",
    late=Fill("bright_yellow", "black"),
    seats=("bright_white", "black on bright_white", "bright_white on blue", "bright_green"),
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
        turn="default",
        points="default",
        status="default",
        winner="default",
        error=red,
        key="default",
        chat_name="default",
        field="default",
        bar="default",
        cells=("default", "default"),
        board="default",
        open="default",
        cursor=filled,
        late=filled,
        button=filled,
        selected=filled,
        seats=("default", red, third, fourth),
    )


OWN_ON_DARK: Final = _terminal_palette("bright_red", third="bright_cyan", fourth="bright_green")
"""The terminal's own bright colours, for a dark or unknown background."""
OWN_ON_LIGHT: Final = _terminal_palette("red", third="blue", fourth="magenta")
"""The same on a light background, where hardly any terminal's green is readable."""

PALETTES: Final[Mapping[PaletteKind, Palette]] = MappingProxyType(
    {
        "felt": FELT,
        "felt-256": FELT_OF_256,
        "dark": DARK,
        "light": LIGHT,
        "contrast": CONTRAST,
        "nord": NORD,
        "gruvbox": GRUVBOX,
        "catppuccin": CATPPUCCIN,
        "dark-16": DARK_OF_16,
        "light-16": LIGHT_OF_16,
        "contrast-16": CONTRAST_OF_16,
        "own-on-dark": OWN_ON_DARK,
        "own-on-light": OWN_ON_LIGHT,
    }
)
"""The frame's palette of each kind."""


def family_of(kind: PaletteKind) -> PaletteFamily:
    """Return the kinds among which `kind` counts for what a game draws."""
    if kind in {"felt", "felt-256", "nord", "gruvbox", "catppuccin"}:
        return "dark"
    return cast(PaletteFamily, kind)


def mix(colour: str, other: str, share: float) -> str:
    """Return `colour`, both as `#rrggbb`, with that `share` of `other` in it."""
    parts = ((int(colour[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(one + (two - one) * share):02x}" for one, two in parts)
