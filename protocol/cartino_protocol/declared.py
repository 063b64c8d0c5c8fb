"""A table described as data, so that any client can draw and speak it, even without the game installed.

A game declares a `DeclaredView`: areas (grids, rows of cards, piles), the viewer's choices, a log and facts per seat.
Sizes are bounded when a view is decoded.
"""

import re
from collections.abc import Callable
from typing import Annotated, Final, TypeVar

import msgspec

from cartino_protocol.base import Message, Part, Row

MAX_LOG_LINES: Final = 12

CHOICE_WORD_PATTERN: Final = "^(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9-]{0,23}$"
"""A choice's word on a command line, in any case; has a letter, because a number alone counts the choices."""

_T = TypeVar("_T")
_Short = Annotated[str, msgspec.Meta(max_length=4)]
_Label = Annotated[str, msgspec.Meta(max_length=12)]
_Count = Annotated[int, msgspec.Meta(ge=0, le=9999)]
_Number = Annotated[int, msgspec.Meta(ge=-(10**6), le=10**6)]
_Seat = Annotated[int, msgspec.Meta(ge=0, le=15)]
_Few = Annotated[tuple[_T, ...], msgspec.Meta(max_length=16)]
ChoiceWord = Annotated[str, msgspec.Meta(pattern=CHOICE_WORD_PATTERN)]


class Card(Row, frozen=True, tag="card"):
    """A card: `7C`, `10H` and `KS` are playing cards, "" is face down, other codes are shown as they are.

    `name`: the English name of other codes.
    """

    code: _Short
    name: _Label = ""


class Player(Row, frozen=True, tag="player"):
    """The name of the player at `seat`."""

    seat: _Seat


class Text(Row, frozen=True):
    """An English sentence with `{places}`, translated where a catalogue has it; with `many`, it counts `n` things.

    Unlike a `LazyMessage` it may be hostile: places have no format specifications and hold no other texts.
    """

    text: Annotated[str, msgspec.Meta(max_length=200)]
    places: Annotated[
        dict[_Label, Annotated[str, msgspec.Meta(max_length=40)] | _Number | Card | Player],
        msgspec.Meta(max_length=8),
    ] = msgspec.field(default_factory=dict)
    many: Annotated[str, msgspec.Meta(max_length=200)] = ""
    n: _Number = 0


TextPlace = str | int | Card | Player
NO_TEXT: Final = Text("")


def say(text: str, /, **places: TextPlace) -> Text:
    """Return the sentence `text` with its places."""
    return Text(text, places)


def count(one: str, many: str, n: int, /, **places: TextPlace) -> Text:
    """Return `one` or `many` with `{n}` things."""
    return Text(one, places, many, n)


def fill_places(text: str, place: Callable[[str], str]) -> str:
    """Replace each `{name}` in `text` with `place(name)`."""
    return _PLACE.sub(lambda found: place(found[1]), text)


_PLACE: Final = re.compile(r"\{(\w{1,12})\}")


class Cell(Row, frozen=True):
    """A cell of a grid: its content, "" for none, and whose it is."""

    text: _Short = ""
    seat: _Seat | None = None


class Grid(Part, frozen=True, tag="grid"):
    """A grid of cells, row by row; a cell is called by the labels of its column and row ("b3")."""

    title: Text
    columns: Annotated[tuple[_Short, ...], msgspec.Meta(min_length=1, max_length=26)]
    rows: Annotated[tuple[_Short, ...], msgspec.Meta(min_length=1, max_length=26)]
    cells: Annotated[tuple[Cell, ...], msgspec.Meta(max_length=676)]


class CardRow(Part, frozen=True, tag="cards"):
    """Cards side by side: a hand, or those on the table."""

    title: Text
    cards: Annotated[tuple[Card, ...], msgspec.Meta(max_length=110)]


class Pile(Row, frozen=True):
    """Stacked cards, with the `top` one if it is face up."""

    title: Text
    cards: _Count
    top: Card | None = None


class Piles(Part, frozen=True, tag="piles"):
    """Piles side by side, such as stock and discard pile."""

    title: Text
    piles: _Few[Pile]


Area = Grid | CardRow | Piles


class Ref(Row, frozen=True):
    """An item on the table: its area, and its index there, from 0."""

    area: _Count
    item: _Count


class Choice(Part, frozen=True):
    """An available choice: its word, its sentence (the word if empty), its points.

    `uses`: cells, cards and piles that pick it.
    """

    word: ChoiceWord
    text: Text = NO_TEXT
    points: _Number | None = None
    uses: Annotated[tuple[Ref, ...], msgspec.Meta(max_length=52)] = ()


class Column(Part, frozen=True):
    """A column of the result: its heading and a number per seat."""

    title: Text
    values: _Few[_Number]


class DeclaredView(Message, frozen=True):
    """A table as one audience sees it. A game fills in `areas`, `facts`, `status` and `columns`, the kit the rest.

    `status` says what the viewer has to do or wait for; `facts` are short, one per seat ("3 cards"); `totals` are their
    points; `choices` are the viewer's; `log` has the last of `logged` lines; `columns` stand before the totals at the
    end.
    """

    areas: Annotated[tuple[Area, ...], msgspec.Meta(max_length=12)] = ()
    facts: _Few[Annotated[tuple[Text, ...], msgspec.Meta(max_length=4)]] = ()
    status: Text = NO_TEXT
    columns: Annotated[tuple[Column, ...], msgspec.Meta(max_length=6)] = ()
    totals: _Few[_Number] = ()
    on_turn: _Few[_Seat] = ()
    choices: Annotated[tuple[Choice, ...], msgspec.Meta(max_length=400)] = ()
    log: Annotated[tuple[Text, ...], msgspec.Meta(max_length=MAX_LOG_LINES)] = ()
    logged: Annotated[int, msgspec.Meta(ge=0)] = 0

    def chosen(self, word: str) -> Choice | None:
        """Return the choice called `word` in any case, None for none."""
        return find_choice(self.choices, word)


def find_choice(choices: tuple[Choice, ...], word: str) -> Choice | None:
    """Return that of `choices` called `word` in any case, None for none."""
    folded = word.casefold()
    return next((each for each in choices if each.word.casefold() == folded), None)


class Choose(Message, frozen=True):
    """Make the choice called `word`."""

    word: ChoiceWord


_views = msgspec.msgpack.Decoder(DeclaredView)


def decode_declared(raw: bytes | msgspec.Raw) -> DeclaredView:
    """Return the view in `raw`. Raises msgspec.DecodeError if it is none or too large."""
    try:
        view = _views.decode(raw)
    except (UnicodeDecodeError, RecursionError) as error:
        raise msgspec.DecodeError(str(error)) from None
    areas = view.areas
    if any(
        isinstance(each, Grid) and len(each.cells) != len(each.columns) * len(each.rows) for each in areas
    ):
        raise msgspec.ValidationError("a grid without a cell for each row and column")
    if any(
        ref.area >= len(areas) or ref.item >= item_count(areas[ref.area])
        for each in view.choices
        for ref in each.uses
    ):
        raise msgspec.ValidationError("a choice that uses what is not there")
    if any(seat >= len(view.totals) for seat in view.on_turn):
        raise msgspec.ValidationError("a seat on turn that is not there")
    return view


def item_count(area: Area) -> int:
    """Return the number of items in `area`."""
    match area:
        case Grid():
            return len(area.cells)
        case CardRow():
            return len(area.cards)
        case Piles():
            return len(area.piles)
