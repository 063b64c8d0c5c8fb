"""Where the items and choices of a declared table stand: on a sheet as long as it takes, of which a part is shown."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from cartino_games.kit.arrangement import FOOT_ROWS, TITLE_ROWS, Box, arrange, in_column
from cartino_games.kit.cards import HUGE, LARGE
from cartino_games.kit.declared.description import Sayer
from cartino_games.kit.marks import CARDS, signed
from cartino_games.kit.scene import TableScene
from cartino_games.kit.screen import TablePointer
from cartino_protocol.declared import Area, Card, Choice, DeclaredView, Grid, Piles, Ref
from cartino_tui.draw.theme import SEATS

PANEL: Final = 100
"""The columns from which the players stand in a panel at the right of the table."""
_TEXT: Final = 2
"""The least number of rows for moves and talk."""
_TEXT_LARGE: Final = 4
"""The least that is left to them by large cards."""
_TEXT_MOST: Final = 8
"""The most rows that they get where the sheet needs no more."""
_ROW: Final = 3
"""More players than that share rows where there is no panel."""

_PITCH: Final = 2
"""The least rows of a player in the panel."""
_COLUMN: Final = 11
"""The least rows of moves and talk below them, with the frames."""
_SIZES: Final = (HUGE, LARGE, 5, 3)
"""The rows of a card, where all that is declared fits with such cards."""
_WIDTHS: Final = {HUGE: 23, LARGE: 13, 5: 8, 3: 6, 1: 0}
"""The cells of a card of three letters, by its rows."""

Target = Ref | str
"""What the cursor stands on: an item of an area, or the word of a choice."""


class GenericPointer(TablePointer, frozen=True, kw_only=True):
    """The cursor, and the items picked so far, all of which one choice uses."""

    cursor: Target | None = None
    picked: tuple[Ref, ...] = ()


class Spot(NamedTuple):
    """A piece of the sheet: text with a blank on either side where it is a target.

    It is written with `role` on the mat, or in a `slot`. `card` is what lies there, drawn as a block where `height` and
    `width` are those of one; "" where the card is hidden, None for anything else.
    """

    x: int
    y: int
    text: str
    role: str
    target: Target | None = None
    card: str | None = None
    slot: bool = False
    height: int = 1
    width: int = 0

    @property
    def suit(self) -> str:
        """The suit of a playing card, "" for anything else."""
        return self.card[-1] if self.card in CARDS else ""

    @property
    def area(self) -> int | None:
        """The area of an item, None for anything else."""
        return self.target.area if isinstance(self.target, Ref) else None

    def box(self, x: int, y: int) -> Box:
        """Return where it stands on a sheet that begins at (x, y)."""
        return Box(x + self.x, y + self.y, self.width or len(self.text), self.height)


class PartsLayout(NamedTuple):
    """The places of the parts on the screen; without a `panel` the players have a row each, or half of one.

    `size` is the number of rows of a card.
    """

    players: Box
    sheet: Box
    moves: Box
    talk: Box
    panel: bool
    size: int


class GenericScene(TableScene, frozen=True):
    """A declared table and who looks at it."""

    view: DeclaredView
    pointer: GenericPointer
    sayer: Sayer

    @property
    def open(self) -> tuple[Choice, ...]:
        """The choices that use all that is picked."""
        return open_choices(self.view, self.pointer.picked)


def open_choices(view: DeclaredView, picked: Sequence[Ref]) -> tuple[Choice, ...]:
    """Return those of the choices that use all of `picked`."""
    return tuple(choice for choice in view.choices if set(picked) <= set(choice.uses))


def plan_of(scene: GenericScene) -> PartsLayout:
    """Return the places of a table; they don't depend on the pointer."""
    look, seats = scene.look, max(1, len(scene.view.totals))
    still = msgspec.structs.replace(scene, pointer=GenericPointer())
    free = look.height - TITLE_ROWS - FOOT_ROWS
    if look.width >= PANEL and free >= _PITCH * seats + _COLUMN:
        column = arrange(look, seats).players
        sheet = Box(1, TITLE_ROWS + 1, column.x - 3, free - 1)
        size = next(
            (size for size in _SIZES if height_of(sheet_of(still, sheet.width, size)) <= sheet.height), 1
        )
        players, log, talk = in_column(look, column, seats, framed=True)
        return PartsLayout(players, sheet, log, talk, panel=True, size=size)
    top, end = TITLE_ROWS, look.height - FOOT_ROWS
    players = Box(0, top, look.width, -(-seats // in_a_row(seats)))
    top += players.height
    most = end - top - _TEXT_LARGE
    size = next((size for size in _SIZES if height_of(sheet_of(still, look.width - 2, size)) <= most), 1)
    height = min(height_of(sheet_of(still, look.width - 2, size)), end - top - _TEXT)
    height = max(height, end - top - _TEXT_MOST)
    moves = end - top - height - (end - top - height) // 2
    return PartsLayout(
        players,
        Box(1, top, look.width - 2, height),
        Box(0, top + height, look.width, moves),
        Box(0, top + height + moves, look.width, end - top - height - moves),
        panel=False,
        size=size,
    )


def in_a_row(seats: int) -> int:
    """Return how many players stand in a row where there is no panel."""
    return 1 if seats <= _ROW else 2


def sheet_of(scene: GenericScene, width: int, size: int = 1) -> list[Spot]:
    """Return all areas, then the choices, from (0, 0) on, in rows of `width` cells, with cards of `size` rows."""
    spots: list[Spot] = []
    y = 0
    for number, area in enumerate(scene.view.areas):
        spots += _area(scene, number, area, y, width, size)
        y = height_of(spots) + (size > 1)
    return [*spots, *_choices(scene, y, width)]


def height_of(spots: Sequence[Spot]) -> int:
    """Return how many rows `spots` take."""
    return max((spot.y + spot.height for spot in spots), default=0)


def first_row(spots: Sequence[Spot], cursor: Target | None, rows: int) -> int:
    """Return the first row to show where there is room for so many `rows`: that of the cursor is among them."""
    most = max(height_of(spots) - rows, 0)
    at = next((spot.y for spot in spots if cursor is not None and spot.target == cursor), 0)
    return min(max(at - rows // 2, 0), most)


def _area(scene: GenericScene, number: int, area: Area, y: int, width: int, size: int) -> Iterator[Spot]:
    title = scene.fit(scene.sayer.text(area.title), width - 1)
    yield Spot(0, y, title, "heading")
    match area:
        case Grid():
            yield from _grid(scene, number, area, y + 1, width, size)
            return
        case Piles():
            tiles = [
                [
                    Spot(0, 0, f" {scene.safe(f'{scene.sayer.text(pile.title)} {pile.cards}')} ", "text"),
                    *([_card(scene, pile.top or Card(""))] if pile.top or (pile.cards and size > 1) else []),
                ]
                for pile in area.piles
            ]
        case _:
            tiles = [[_card(scene, card)] for card in area.cards]
    left = 0 if size > 1 else min(len(title) + 1, width // 2)
    x, y = left, y + (size > 1)
    for item, tile in enumerate(tiles):
        # The name of a pile is clicked like its card, and stands above a large one.
        wide = [max(len(part.text), 0 if part.card is None else _WIDTHS[size]) for part in tile]
        taken = max(wide) if size > 1 else sum(wide)
        if x + taken > width and x > left:
            x, y = left, y + (size > 1) * (size + len(tile) - 1) + 1
        at = x
        for line, (part, cells) in enumerate(zip(tile, wide, strict=True)):
            height = 1 if part.card is None else size
            below = line * (size > 1)
            yield part._replace(x=at, y=y + below, target=Ref(number, item), height=height, width=cells)
            at += cells * (size == 1)
        x += taken + (size > 1 or len(tile) > 1)


def _card(scene: GenericScene, card: Card) -> Spot:
    """Return a card with a blank on either side."""
    if card.code in CARDS:
        return Spot(0, 0, f" {scene.marks.card(card.code)} ", "text", card=card.code)
    return Spot(0, 0, f" {scene.safe(card.code) or '##'} ", "text" if card.code else "dim", card=card.code)


def _grid(scene: GenericScene, number: int, grid: Grid, y: int, width: int, size: int) -> Iterator[Spot]:
    columns = len(grid.columns)
    side = max(len(scene.safe(row)) for row in grid.rows) + 1
    texts = [scene.safe(cell.text) for cell in grid.cells]
    wanted = max(len(text) for text in (*texts, *grid.columns)) + 2
    rows = max(size // 2, 1)
    cell = max(min(max(wanted, 2 * rows + 1), (width - side) // columns), 1)
    for column, label in enumerate(grid.columns):
        yield Spot(side + column * cell, y, scene.safe(label)[:cell].center(cell), "dim")
    for row, label in enumerate(grid.rows):
        yield Spot(0, y + 1 + row * rows + (rows - 1) // 2, scene.safe(label).rjust(side - 1), "dim")
    for item, (text, of) in enumerate(zip(texts, grid.cells, strict=True)):
        shown = text or (scene.marks.dot if of.seat is None else scene.marks.seats[of.seat % 4])
        role = "dim" if not text and of.seat is None else "text" if of.seat is None else SEATS[of.seat % 4]
        row, column = divmod(item, columns)
        slot = (row + column) % 2 == 0
        x, line = side + column * cell, y + 1 + row * rows
        yield Spot(
            x, line, shown[:cell].center(cell), role, Ref(number, item), slot=slot, height=rows, width=cell
        )


def _choices(scene: GenericScene, y: int, width: int) -> Iterator[Spot]:
    """Yield the choices with their numbers, in as many columns as there is room for."""
    texts = []
    for number, choice in enumerate(scene.open, 1):
        gain = "" if choice.points is None else f" {signed(choice.points, scene.marks)}"
        said = scene.sayer.choice(choice).rstrip(".")
        texts.append(f" {number} {scene.fit(said, width - 5 - len(gain) - len(str(number)))}{gain} ")
    cell = max(map(len, texts), default=1) + 1
    columns = max(width // cell, 1)
    rows = -(-len(texts) // columns)
    for at, (text, choice) in enumerate(zip(texts, scene.open, strict=True)):
        yield Spot(at // rows * cell, y + at % rows, text.ljust(cell - 1), "text", choice.word, slot=True)
