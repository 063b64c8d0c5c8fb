"""The colours of each look, as values. What is drawn in which of them says `draw.theme`.

All but those named by a word are of the 256-colour palette, so that a terminal with only those shows what was meant.
A word names one of the sixteen colours that every terminal gives its own shade, `default` its own text and ground.
"""

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


_DARK_INKS: Final = Deck("#121212", "#af005f", "#0000ff", "#5f5f00", "#5f005f")
"""For paper and for wood. Without one kind of cone a pure red is a club's, and a blue-green a diamond's."""

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
    deck=Deck("#eeeeee", "#d75f5f", "#5f87ff", "#5fff00", "#ffafff"),
    wood_deck=_DARK_INKS,
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
    picked="#87ffff",
    late=Fill("#af0000", "#ffffff"),
    button=Fill("#875f00", "#ffffff"),
    selected=Fill("#005f87", "#ffffff"),
    deck=_DARK_INKS,
    wood_deck=_DARK_INKS,
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
    deck=Deck("#ffffff", "#ff5f5f", "#00afd7", "#87ff00", "#ffd7af"),
    wood_deck=Deck("#000000", "#870000", "#5f00af", "#005f5f", "#5f005f"),
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
    deck=Deck("bright_white", "bright_red", "bright_red", "bright_green", "bright_white"),
    wood_deck=Deck("black", "red", "blue", "black", "black"),
)
"""The dark one where there are sixteen colours.

They are the terminal's own shades, so inks are chosen that can be read whichever are usual, and that everybody tells
apart or that are the same. No blue can be read on their black and no green on their white: so a suit has the colour
that it has in one of the two decks, on the ground perhaps of the one and on wood of the other.
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
    wood_line="black",
    accent="black",
    chips="black",
    error="red",
    key="blue",
    chat_name="blue",
    field="white",
    wood="bright_yellow",
    picked="bright_cyan",
    late=Fill("black", "bright_yellow"),
    button=Fill("blue", "bright_white"),
    selected=Fill("black", "bright_white"),
    deck=Deck("black", "red", "blue", "black", "black"),
    wood_deck=Deck("black", "red", "blue", "black", "black"),
)
"""The light one of sixteen colours: on their brighter white, as not even red can be read on every terminal's other."""

CONTRAST_OF_16: Final = msgspec.structs.replace(
    DARK_OF_16,
    rule_strong="bright_white",
    wood_line="bright_white",
    text="bright_white",
    strong="bright_white",
    error="bright_yellow",
    late=Fill("bright_yellow", "black"),
    deck=Deck("bright_white", "bright_white", "bright_white", "bright_green", "bright_white"),
    wood_deck=Deck("black", "black", "blue", "black", "black"),
)
"""Seven to one in sixteen colours. No red reaches that, on black or on white: the signs tell the other suits."""


def _own(red: str, diamond: str, club: str) -> Palette:
    """The terminal's text on its ground, filled pieces in reverse, and those of its colours that can be read there."""
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
        error=red,
        key="default",
        chat_name="default",
        field="default",
        wood="default",
        picked="default",
        late=filled,
        button=filled,
        selected=filled,
        deck=Deck("default", red, diamond, club, "default"),
        # Of a terminal's own text colour nobody knows what can be read on it, but for its ground.
        wood_deck=Deck(*["default"] * 5),
    )


OWN_ON_DARK: Final = _own("bright_red", diamond="bright_red", club="bright_green")
"""The terminal's own colours; its suits are the brighter ones, for a ground that is dark or that nobody knows."""
OWN_ON_LIGHT: Final = _own("red", diamond="blue", club="default")
"""The same on a light ground, where hardly any terminal's green can be read."""
