"""The colours of each theme, for true colour, for 256 colours, and as names of the terminal's own sixteen."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, cast

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

    `strong`: titles and names; `dim`: minor text; `accent`: the turn, and what is picked or possible; `heading`:
    headings; `rule` and `rule_strong`: lines; `bar`: the ground of the first and the last row; `cells`: the two grounds
    of empty places on a board; `board`: the ground between its places; `open`: that of a place where something may go;
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


Rows = tuple[tuple[str, ...], ...]
"""A field of `Palette` and its colour in each kind; a field of several colours has a row for each."""

_MANY: Final[tuple[PaletteKind, ...]] = (
    "felt",
    "felt-256",
    "dark",
    "light",
    "contrast",
    "nord",
    "gruvbox",
    "catppuccin",
)
"""The columns of `_COLOURS`.

`felt`: a green felt in lamplight, on which the wood lies; with 256 colours there is one dark green, too bright for
text, so the felt is seen between the places of large boards. `dark`: calm. `light`: paper, for a bright room.
`contrast`: at least seven to one. `nord` and `gruvbox`: the colours of those themes, some brighter so that they can be
read. `catppuccin`: its mocha colours.
"""
_COLOURS: Final[Rows] = (
    ("ground", "#16302a", "#1c1c1c", "#121212", "#eeeeee", "#000000", "#2b303b", "#282828", "#1e1e2e"),
    ("text", "#dadada", "#dadada", "#d0d0d0", "#262626", "#ffffff", "#e5e9f0", "#ebdbb2", "#cdd6f4"),
    ("strong", "#ffffd7", "#ffffff", "#ffffff", "#000000", "#ffffff", "#eceff4", "#fbf1c7", "#f5f7ff"),
    ("dim", "#afafaf", "#9e9e9e", "#949494", "#626262", "#d0d0d0", "#aab4c6", "#bdae93", "#a6adc8"),
    ("facts", "#bcbcbc", "#b2b2b2", "#a8a8a8", "#585858", "#eeeeee", "#b8c1d1", "#d5c4a1", "#bac2de"),
    ("rule", "#5f875f", "#767676", "#6c6c6c", "#808080", "#a8a8a8", "#818da3", "#928374", "#7f849c"),
    ("rule_strong", "#af875f", "#af875f", "#af875f", "#875f00", "#ffffff", "#88c0d0", "#d79921", "#b4befe"),
    ("heading", "#ffd787", "#d7af87", "#d7af87", "#5f5f00", "#ffff5f", "#88c0d0", "#fabd2f", "#cba6f7"),
    ("accent", "#ffd75f", "#ffff5f", "#ffd75f", "#875f00", "#ffff5f", "#ebcb8b", "#fabd2f", "#f9e2af"),
    ("points", "#afd787", "#afd787", "#afff87", "#005f00", "#87ff87", "#a9d18e", "#b8bb26", "#a6e3a1"),
    ("status", "#ffd7af", "#ffd7af", "#ffd7af", "#5f0087", "#ffffff", "#d8dee9", "#ebdbb2", "#f5e0dc"),
    ("winner", "#ffd75f", "#ffff5f", "#ffff5f", "#870000", "#ffd75f", "#ebcb8b", "#fabd2f", "#fab387"),
    ("error", "#ff8787", "#ff8787", "#ff8787", "#af0000", "#ffafaf", "#f2a1a8", "#ff8478", "#f38ba8"),
    ("key", "#ffd75f", "#ffff5f", "#ffd7af", "#005f87", "#5fffff", "#88c0d0", "#8ec07c", "#89b4fa"),
    ("chat_name", "#87d7ff", "#87afd7", "#87afd7", "#005faf", "#5fffff", "#8fbcbb", "#83a598", "#74c7ec"),
    ("field", "#0f231f", "#303030", "#303030", "#ffffff", "#00005f", "#343b49", "#3c3836", "#313244"),
    ("bar", "#0a1815", "#080808", "#262626", "#e4e4e4", "#000000", "#242933", "#1d2021", "#11111b"),
    ("cells", "#1f3a33", "#303030", "#262626", "#e4e4e4", "#1c1c1c", "#242831", "#1d2021", "#181825"),
    ("cells", "#1a332d", "#262626", "#1c1c1c", "#dadada", "#121212", "#1f232b", "#1f2122", "#14141f"),
    ("board", "#0f231f", "#005f00", "#080808", "#d0d0d0", "#000000", "#191c22", "#151617", "#101018"),
    ("open", "#443a1a", "#3a3a3a", "#3a3a3a", "#ffffaf", "#1c1c1c", "#3a3a2e", "#443b1c", "#403a2c"),
    ("cursor", "#ffd75f", "#ffff5f", "#ffd75f", "#005f87", "#ffff5f", "#ebcb8b", "#fabd2f", "#f9e2af"),
    ("cursor", "#20180a", "#1c1c1c", "#121212", "#ffffff", "#000000", "#2b303b", "#282828", "#1e1e2e"),
    ("late", "#ff8787", "#ff8787", "#ff8787", "#af0000", "#ffafaf", "#f2a1a8", "#ff8478", "#f38ba8"),
    ("late", "#20100c", "#121212", "#121212", "#ffffff", "#000000", "#2b303b", "#282828", "#1e1e2e"),
    ("button", "#ffd787", "#d7af87", "#d7af87", "#875f00", "#5fffff", "#88c0d0", "#d79921", "#cba6f7"),
    ("button", "#20180a", "#121212", "#121212", "#ffffff", "#000000", "#2b303b", "#1d2021", "#1e1e2e"),
    ("selected", "#ffd7af", "#ffd7af", "#ffd7af", "#005f87", "#ffff5f", "#d8dee9", "#ebdbb2", "#f5e0dc"),
    ("selected", "#20180a", "#121212", "#121212", "#ffffff", "#000000", "#2b303b", "#282828", "#1e1e2e"),
    ("seats", "#afd7ff", "#afd7ff", "#eeeeee", "#121212", "#ffffff", "#8cc4d4", "#84a598", "#a5caeb"),
    ("seats", "#ff875f", "#ff875f", "#d75f5f", "#af005f", "#ff5f5f", "#d1866f", "#fd811c", "#efa370"),
    ("seats", "#af87ff", "#af87ff", "#5f87ff", "#0000ff", "#00afd7", "#a787ea", "#b77cb3", "#b088ff"),
    ("seats", "#ffff87", "#ffff87", "#5fff00", "#5f5f00", "#87ff00", "#efcf8f", "#ffec68", "#ffeec8"),
)

_SIXTEEN: Final[tuple[PaletteKind, ...]] = ("dark-16", "light-16", "contrast-16")
"""The columns of `_NAMED_COLOURS`.

The shades are the terminal's own, so only those readable in all usual ones are used: no blue on black, no green on
white, and light on bright white, since on the other white not even red is readable everywhere. Any two are equal or
distinguishable by everybody. No red has a contrast of seven to one.
"""
_NAMED_COLOURS: Final[Rows] = (
    ("ground", "black", "bright_white", "black"),
    ("text", "white", "black", "bright_white"),
    ("strong", "bright_white", "black", "bright_white"),
    ("dim", "white", "black", "white"),
    ("facts", "white", "black", "white"),
    ("rule", "white", "black", "white"),
    ("rule_strong", "yellow", "black", "bright_white"),
    ("heading", "bright_yellow", "black", "bright_yellow"),
    ("accent", "bright_yellow", "black", "bright_yellow"),
    ("points", "bright_green", "black", "bright_green"),
    ("status", "bright_white", "black", "bright_white"),
    ("winner", "bright_yellow", "black", "bright_yellow"),
    ("error", "bright_red", "red", "bright_yellow"),
    ("key", "bright_cyan", "blue", "bright_cyan"),
    ("chat_name", "bright_cyan", "blue", "bright_cyan"),
    ("field", "black", "white", "black"),
    ("bar", "black", "bright_white", "black"),
    ("cells", "black", "bright_white", "black"),
    ("cells", "black", "bright_white", "black"),
    ("board", "black", "bright_white", "black"),
    ("open", "black", "bright_white", "black"),
    ("cursor", "bright_yellow", "black", "bright_yellow"),
    ("cursor", "black", "bright_white", "black"),
    ("late", "bright_red", "black", "bright_yellow"),
    ("late", "black", "bright_yellow", "black"),
    ("button", "white", "blue", "white"),
    ("button", "black", "bright_white", "black"),
    ("selected", "bright_white", "black", "bright_white"),
    ("selected", "black", "bright_white", "black"),
    ("seats", "bright_white", "black", "bright_white"),
    ("seats", "bright_red", "red", "black on bright_white"),
    ("seats", "bright_white on blue", "blue", "bright_white on blue"),
    ("seats", "bright_green", "black on green", "bright_green"),
)


def _palettes(kinds: Iterable[PaletteKind], rows: Rows) -> dict[PaletteKind, Palette]:
    """Return the palettes of `rows`, whose columns are `kinds`."""
    found: dict[PaletteKind, Palette] = {}
    for column, kind in enumerate(kinds, 1):
        colours: dict[str, list[str]] = {}
        for row in rows:
            colours.setdefault(row[0], []).append(row[column])
        fields: dict[str, Any] = {name: each[0] for name, each in colours.items()}
        fields |= {name: tuple(colours[name]) for name in ("cells", "seats")}
        fields |= {name: Fill(*colours[name]) for name in ("cursor", "late", "button", "selected")}
        found[kind] = Palette(**fields)
    return found


def _terminal_rows(red: str, third: str, fourth: str) -> Rows:
    """Return the terminal's own text colours, reverse blocks, and its colours that are readable there."""
    own = {"error": (red,), "seats": ("default", red, third, fourth)}
    names = [(name, len([row for row in _COLOURS if row[0] == name])) for name in Palette.__struct_fields__]
    return tuple((name, colour) for name, count in names for colour in own.get(name, ("default",) * count))


PALETTES: Final[Mapping[PaletteKind, Palette]] = MappingProxyType(
    _palettes(_MANY, _COLOURS)
    | _palettes(_SIXTEEN, _NAMED_COLOURS)
    # Bright colours for a dark or unknown background; on a light one hardly any terminal's green is readable.
    | _palettes(["own-on-dark"], _terminal_rows("bright_red", third="bright_cyan", fourth="bright_green"))
    | _palettes(["own-on-light"], _terminal_rows("red", third="blue", fourth="magenta"))
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
