"""The colours of each look, as values. What is drawn in which of them says `draw.theme`.

All but those named by a word are of the 256-colour palette, so that a terminal with only those shows what was meant.
A word names one of the sixteen colours that every terminal gives its own shade, `default` its own text and ground.
"""

from collections.abc import Callable
from typing import Final

import msgspec


class Deck(msgspec.Struct, frozen=True):
    """The ink of each suit, and of a joker, on one ground."""

    spade: str
    heart: str
    diamond: str
    club: str
    joker: str

    def two_coloured(self) -> "Deck":
        """The deck as it is printed everywhere: clubs like spades, diamonds like hearts."""
        return msgspec.structs.replace(self, diamond=self.heart, club=self.spade)

    def inks(self) -> dict[str, str]:
        """The inks by the letters that the roles of cards end with, `*` for a joker."""
        return {"S": self.spade, "H": self.heart, "D": self.diamond, "C": self.club, "*": self.joker}


class Fill(msgspec.Struct, frozen=True):
    """A filled piece: its `ground`, and the `ink` of what stands on it."""

    ground: str
    ink: str


class Palette(msgspec.Struct, frozen=True):
    """The colours of a look.

    `strong` is for titles and names, `dim` for what matters little, `accent` for what is to be seen first (whose turn
    it is, points, the cursor), `heading` and `wood_line` for what belongs to the table, `rule` and `rule_strong` for
    lines. `wood` and `picked` are a stone's ground and that of the one that is up; `deck` are the suits on the ground
    of the screen, `wood_deck` those on both of a stone's.
    """

    ground: str
    text: str
    strong: str
    dim: str
    facts: str
    rule: str
    rule_strong: str
    heading: str
    wood_line: str
    accent: str
    chips: str
    error: str
    key: str
    chat_name: str
    field: str
    wood: str
    picked: str
    late: Fill
    button: Fill
    selected: Fill
    deck: Deck
    wood_deck: Deck

    def two_coloured(self) -> "Palette":
        """The same with a deck of two colours."""
        return msgspec.structs.replace(
            self, deck=self.deck.two_coloured(), wood_deck=self.wood_deck.two_coloured()
        )


_INKS_ON_WOOD: Final = Deck("#121212", "#af0000", "#0000ff", "#005f5f", "#870087")

DARK: Final = Palette(
    ground="#121212",
    text="#d0d0d0",
    strong="#ffffff",
    dim="#949494",
    facts="#a8a8a8",
    rule="#6c6c6c",
    rule_strong="#af875f",
    heading="#d7af87",
    wood_line="#d7af87",
    accent="#ffd75f",
    chips="#ffaf5f",
    error="#ff8787",
    key="#ffd7af",
    chat_name="#87afd7",
    field="#303030",
    wood="#ffd7af",
    picked="#ffd75f",
    late=Fill("#ff8787", "#121212"),
    button=Fill("#d7af87", "#121212"),
    selected=Fill("#ffd7af", "#121212"),
    deck=Deck("#eeeeee", "#d75f5f", "#5f87ff", "#5fff00", "#ff87ff"),
    wood_deck=_INKS_ON_WOOD,
)
"""A calm dark ground, stones like maple."""

LIGHT: Final = Palette(
    ground="#eeeeee",
    text="#262626",
    strong="#000000",
    dim="#626262",
    facts="#585858",
    rule="#808080",
    rule_strong="#875f00",
    heading="#5f5f00",
    wood_line="#875f00",
    accent="#875f00",
    chips="#870087",
    error="#af0000",
    key="#005f87",
    chat_name="#005faf",
    field="#ffffff",
    wood="#ffd787",
    picked="#ffff5f",
    late=Fill("#af0000", "#ffffff"),
    button=Fill("#875f00", "#ffffff"),
    selected=Fill("#005f87", "#ffffff"),
    deck=Deck("#121212", "#af0000", "#0000ff", "#005f5f", "#870087"),
    wood_deck=_INKS_ON_WOOD,
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
    wood_line="#ffffff",
    accent="#ffff5f",
    chips="#ffff5f",
    error="#ffafaf",
    key="#5fffff",
    chat_name="#5fffff",
    field="#00005f",
    wood="#ffffff",
    picked="#ffff5f",
    late=Fill("#ffafaf", "#000000"),
    button=Fill("#5fffff", "#000000"),
    selected=Fill("#ffff5f", "#000000"),
    deck=Deck("#ffffff", "#ff5f87", "#5fafff", "#afff5f", "#ff87ff"),
    wood_deck=Deck("#000000", "#870000", "#0000ff", "#005f5f", "#870087"),
)
"""Black and white, and at least seven to one everywhere."""

DARK_OF_16: Final = Palette(
    ground="black",
    text="white",
    strong="bright_white",
    dim="white",
    facts="white",
    rule="white",
    rule_strong="yellow",
    heading="bright_yellow",
    wood_line="white",
    accent="bright_yellow",
    chips="bright_yellow",
    error="bright_red",
    key="bright_cyan",
    chat_name="bright_cyan",
    field="black",
    wood="bright_white",
    picked="bright_yellow",
    late=Fill("bright_red", "black"),
    button=Fill("white", "black"),
    selected=Fill("bright_white", "black"),
    deck=Deck("bright_white", "bright_red", "bright_blue", "bright_green", "bright_magenta"),
    wood_deck=Deck("black", "red", "blue", "black", "magenta"),
)
"""The dark one where there are sixteen colours. None of their greens can be read on white, so there clubs are black."""

LIGHT_OF_16: Final = Palette(
    ground="white",
    text="black",
    strong="black",
    dim="black",
    facts="black",
    rule="black",
    rule_strong="black",
    heading="black",
    wood_line="black",
    accent="black",
    chips="black",
    error="black",
    key="blue",
    chat_name="blue",
    field="white",
    wood="bright_yellow",
    picked="bright_white",
    late=Fill("black", "bright_yellow"),
    button=Fill("blue", "bright_white"),
    selected=Fill("black", "bright_white"),
    deck=Deck("black", "red", "blue", "black", "black"),
    wood_deck=Deck("black", "red", "blue", "black", "black"),
)
"""The light one of sixteen colours; hardly more than the blue and the red can be read on their white."""


def _own(ink: Callable[[str], str], club: str, joker: str) -> Palette:
    """The terminal's text on its ground, filled pieces in reverse; `ink` gives one of its colours a shade."""
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
        wood_line="default",
        accent="default",
        chips="default",
        error=ink("red"),
        key="default",
        chat_name="default",
        field="default",
        wood="default",
        picked="default",
        late=filled,
        button=filled,
        selected=filled,
        deck=Deck("default", ink("red"), ink("blue"), club, joker),
        # Of a terminal's own text colour nobody knows what can be read on it, but for its ground.
        wood_deck=Deck(*["default"] * 5),
    )


OWN_ON_DARK: Final = _own("bright_{}".format, "bright_green", "bright_magenta")
"""The terminal's own colours; its suits are the brighter ones, for a ground that is dark or that nobody knows."""
OWN_ON_LIGHT: Final = _own(str, "magenta", "default")
"""The same on a light ground, where hardly any terminal's green can be read."""
