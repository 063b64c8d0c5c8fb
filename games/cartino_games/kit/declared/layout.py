"""Where the items and choices of a declared table stand: on a sheet as long as it takes, of which a part is shown."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from cartino_games.kit.arrangement import FOOT_ROWS, TITLE_ROWS, Box, arrange
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
_TEXT_MOST: Final = 8
"""The most rows that they get where the sheet needs no more."""
_ROW: Final = 3
"""More players than that share rows where there is no panel."""

Target = Ref | str
"""What the cursor stands on: an item of an area, or the word of a choice."""


class GenericPointer(TablePointer, frozen=True, kw_only=True):
    """The cursor, and the items picked so far, all of which one choice uses."""

    cursor: Target | None = None
    picked: tuple[Ref, ...] = ()


class Spot(NamedTuple):
    """A piece of the sheet: text with a blank on either side where it is a target, and the suit of a card."""

    x: int
    y: int
    text: str
    role: str
    target: Target | None = None
    suit: str = ""


class Plan(NamedTuple):
    """The places of the parts on the screen; without a `panel` the players have a row each, or half of one."""

    players: Box
    sheet: Box
    moves: Box
    talk: Box
    panel: bool


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


def plan_of(scene: GenericScene) -> Plan:
    """Return the places of a table; they don't depend on the pointer."""
    look, seats = scene.look, len(scene.view.totals)
    found = arrange(look, seats)
    if look.width >= PANEL and 2 * seats <= found.players.height:
        x, y, width, height = found.main
        return Plan(
            found.players, Box(x + 1, y + 1, width - 2, height - 1), found.moves, found.talk, panel=True
        )
    top, end = TITLE_ROWS, look.height - FOOT_ROWS
    players = Box(0, top, look.width, -(-seats // in_a_row(seats)))
    top += players.height
    still = msgspec.structs.replace(scene, pointer=GenericPointer())
    sheet = min(height_of(sheet_of(still, look.width - 2)), end - top - _TEXT)
    sheet = max(sheet, end - top - _TEXT_MOST)
    moves = end - top - sheet - (end - top - sheet) // 2
    return Plan(
        players,
        Box(1, top, look.width - 2, sheet),
        Box(0, top + sheet, look.width, moves),
        Box(0, top + sheet + moves, look.width, end - top - sheet - moves),
        panel=False,
    )


def in_a_row(seats: int) -> int:
    """Return how many players stand in a row where there is no panel."""
    return 1 if seats <= _ROW else 2


def sheet_of(scene: GenericScene, width: int) -> list[Spot]:
    """Return all areas, then the choices, from (0, 0) on, in rows of `width` cells."""
    spots: list[Spot] = []
    y = 0
    for number, area in enumerate(scene.view.areas):
        spots += _area(scene, number, area, y, width)
        y = height_of(spots)
    return [*spots, *_choices(scene, y, width)]


def height_of(spots: Sequence[Spot]) -> int:
    """Return how many rows `spots` take."""
    return max((spot.y for spot in spots), default=-1) + 1


def first_row(spots: Sequence[Spot], cursor: Target | None, rows: int) -> int:
    """Return the first row to show where there is room for so many `rows`: that of the cursor is among them."""
    most = max(height_of(spots) - rows, 0)
    at = next((spot.y for spot in spots if cursor is not None and spot.target == cursor), 0)
    return min(max(at - rows // 2, 0), most)


def _area(scene: GenericScene, number: int, area: Area, y: int, width: int) -> Iterator[Spot]:
    title = scene.fit(scene.sayer.text(area.title), width - 1)
    yield Spot(0, y, title, "heading")
    match area:
        case Grid():
            yield from _grid(scene, number, area, y + 1, width)
            return
        case Piles():
            tiles = [
                [
                    Spot(0, 0, scene.safe(f"{scene.sayer.text(pile.title)} {pile.cards}"), "text"),
                    *([] if pile.top is None else [_card(scene, pile.top)]),
                ]
                for pile in area.piles
            ]
            # The name of a pile is clicked like its card.
            texts = [
                [part._replace(text=f" {part.text} " if not part.suit else part.text) for part in tile]
                for tile in tiles
            ]
        case _:
            texts = [[_card(scene, card)] for card in area.cards]
    x = min(len(title) + 1, width // 2)
    left = x
    for item, tile in enumerate(texts):
        size = sum(len(part.text) for part in tile)
        if x + size > width and x > left:
            x, y = left, y + 1
        for part in tile:
            yield part._replace(x=x, y=y, target=Ref(number, item))
            x += len(part.text)
        x += len(tile) > 1


def _card(scene: GenericScene, card: Card) -> Spot:
    """A card with a blank on either side."""
    if card.code in CARDS:
        return Spot(0, 0, f" {scene.marks.card(card.code)} ", "name", suit=card.code[-1])
    return Spot(0, 0, f" {scene.safe(card.code) or '##'} ", "name" if card.code else "dim")


def _grid(scene: GenericScene, number: int, grid: Grid, y: int, width: int) -> Iterator[Spot]:
    columns = len(grid.columns)
    side = max(len(scene.safe(row)) for row in grid.rows) + 1
    texts = [scene.safe(cell.text) for cell in grid.cells]
    wanted = max(len(text) for text in (*texts, *grid.columns)) + 2
    cell = max(min(wanted, (width - side) // columns), 1)
    for column, label in enumerate(grid.columns):
        yield Spot(side + column * cell, y, scene.safe(label)[:cell].center(cell), "dim")
    for row, label in enumerate(grid.rows):
        yield Spot(0, y + 1 + row, scene.safe(label).rjust(side - 1), "dim")
    for item, (text, of) in enumerate(zip(texts, grid.cells, strict=True)):
        shown = text or (scene.marks.dot if of.seat is None else scene.marks.seats[of.seat % 4])
        role = "dim" if not text and of.seat is None else "text" if of.seat is None else SEATS[of.seat % 4]
        x, line = side + item % columns * cell, y + 1 + item // columns
        yield Spot(x, line, shown[:cell].center(cell), role, Ref(number, item))


def _choices(scene: GenericScene, y: int, width: int) -> Iterator[Spot]:
    """The choices with their numbers, in as many columns as there is room for."""
    texts = []
    for number, choice in enumerate(scene.open, 1):
        gain = "" if choice.points is None else f" {signed(choice.points, scene.marks)}"
        said = scene.sayer.choice(choice).rstrip(".")
        texts.append(f" {number} {scene.fit(said, width - 5 - len(gain) - len(str(number)))}{gain} ")
    cell = max(map(len, texts), default=1) + 1
    columns = max(width // cell, 1)
    rows = -(-len(texts) // columns)
    for at, (text, choice) in enumerate(zip(texts, scene.open, strict=True)):
        yield Spot(at // rows * cell, y + at % rows, text.ljust(cell - 1), "text", choice.word)
