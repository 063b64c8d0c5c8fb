"""Where the items and choices of a declared table stand: on a sheet as long as it takes, of which a part is shown."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from cartino_games.kit.arrangement import Box
from cartino_games.kit.bars import FOOT_ROWS, TITLE_ROWS
from cartino_games.kit.card_names import is_playing_card
from cartino_games.kit.generic_description import Sayer
from cartino_games.kit.marks import signed
from cartino_games.kit.players import SEAT_ROLES
from cartino_games.kit.result import Page
from cartino_games.kit.scene import TableScene
from cartino_protocol.declared import Area, Card, Choice, DeclaredView, Grid, Piles, Ref
from cartino_tui.games.screen import Look

BESIDE: Final = 100
"""The columns from which players, moves and talk stand at the right of the table."""
PANEL: Final = 40
"""The columns that they have there."""
_TEXT: Final = 2
"""The least number of rows for moves and talk."""
_APART: Final = 2

Target = Ref | str
"""What the cursor stands on: an item of an area, or the word of a choice."""


class GenericPointer(msgspec.Struct, frozen=True):
    """The cursor, the items picked so far (a choice uses all of them), and a page once the game is over."""

    cursor: Target | None = None
    picked: tuple[Ref, ...] = ()
    page: Page = "result"


class Spot(NamedTuple):
    """A piece of the sheet: text with a blank on either side where it is a target, and the suit of a card."""

    x: int
    y: int
    text: str
    role: str
    target: Target | None = None
    suit: str = ""


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


class Plan(NamedTuple):
    """The places of the parts on the screen; without a `panel` the players have a row each, or half of one."""

    players: Box
    sheet: Box
    moves: Box
    talk: Box
    panel: bool


def plan_of(look: Look, seats: int, rows: int) -> Plan:
    """Return the places for `look`, with a sheet of so many `rows`."""
    top, end = TITLE_ROWS, look.height - FOOT_ROWS
    if look.width >= BESIDE:
        left = look.width - PANEL
        players = Box(left, top + 1, PANEL, min(2 * seats + 1, end - top - 8))
        below = players.y + players.height + 1
        half = max((end - below - 2) // 2, 1)
        moves, talk = (
            Box(left, below, PANEL, half),
            Box(left, below + half + 1, PANEL, end - below - half - 1),
        )
        return Plan(players, Box(1, top + 1, left - 2, end - top - 1), moves, talk, panel=True)
    players = Box(0, top, look.width, -(-seats // _in_a_row(seats)))
    sheet = Box(1, top + players.height, look.width - 2, end - top - players.height - _TEXT)
    if rows < sheet.height:
        sheet = sheet._replace(height=max(rows, sheet.height - 8))
    text = Box(0, sheet.y + sheet.height, look.width, end - sheet.y - sheet.height)
    half = text.height // 2
    return Plan(
        players,
        sheet,
        text._replace(height=text.height - half),
        text._replace(y=text.y + text.height - half, height=half),
        panel=False,
    )


def _in_a_row(seats: int) -> int:
    return 1 if seats <= 3 else 2


def player_box(plan: Plan, seat: int, seats: int) -> Box:
    """Return where the line of a player begins, and its width."""
    box = plan.players
    if plan.panel:
        return Box(box.x, box.y + 2 * seat, box.width, 2)
    columns = _in_a_row(seats)
    width = box.width // columns
    return Box(box.x + seat % columns * width, box.y + seat // columns, width, 1)


def sheet_width(look: Look) -> int:
    """Return the columns of the sheet."""
    return look.width - 2 - (PANEL if look.width >= BESIDE else 0)


def sheet_of(scene: GenericScene) -> list[Spot]:
    """Return all areas, then the choices, from (0, 0) on."""
    width, spots, y = sheet_width(scene.look), list[Spot](), 0
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
    if is_playing_card(card.code):
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
        role = (
            "dim" if not text and of.seat is None else "text" if of.seat is None else SEAT_ROLES[of.seat % 4]
        )
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
