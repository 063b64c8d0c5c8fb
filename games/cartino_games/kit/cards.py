"""Cards and tiles: their faces, flat or as blocks with an edge and large pictures, and rows of them with a cursor."""

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

import msgspec

from cartino_games.kit.arrangement import Box
from cartino_games.kit.card_roles import PAPER, Skin
from cartino_games.kit.marks import JOKER, Marks
from cartino_games.kit.scene import TableScene
from cartino_tui.draw.canvas import Canvas

FULL_WIDTH: Final = 11
"""The cells of the widest rank beside the picture of its suit."""

_DOTS: Final = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}

_RANKS: Final = {
    "A": ".##. #..# #..# #### #..# #..#",
    "K": "#..# #.#. ##.. ##.. #.#. #..#",
    "Q": ".##. #..# #..# #..# #.## .###",
    "J": "..## ...# ...# ...# #..# .##.",
    "R": "###. #..# #..# ###. #.#. #..#",
    "D": "###. #..# #..# #..# #..# ###.",
    "V": "#..# #..# #..# #..# .##. .##.",
    "B": "###. #..# ###. #..# #..# ###.",
    "10": "#.### #.#.# #.#.# #.#.# #.#.# #.###",
    "9": ".##. #..# #..# .### ...# .##.",
    "8": ".##. #..# .##. #..# #..# .##.",
    "7": "#### ...# ..#. ..#. .#.. .#..",
    "6": ".##. #... ###. #..# #..# .##.",
    "5": "#### #... ###. ...# ...# ###.",
    "4": "...# ..## .#.# #..# #### ...#",
    "3": "###. ...# .##. ...# ...# ###.",
    "2": ".##. #..# ...# ..#. .#.. ####",
}
_SUITS: Final = {
    "S": "..#.. .###. ##### #.#.# ..#.. .###.",
    "H": ".#.#. ##### ##### .###. .###. ..#..",
    "D": "..#.. .###. ##### ##### .###. ..#..",
    "C": ".###. .###. ##.## ##### ..#.. .###.",
    JOKER: "..#.. ..#.. ##### .###. .###. #...#",
}
"""Each six lines of dots, top to bottom."""
PICTURED: Final = frozenset(rank for rank in _RANKS if rank.isdigit())
"""The numbers that have a picture."""


@cache
def picture(dots: str, times: int = 1) -> tuple[str, ...]:
    """Lines of dots as rows of characters, two lines a row, `times` as high and as wide."""
    lines = [
        [dot == "#" for dot in line for _ in range(times)] for line in dots.split() for _ in range(times)
    ]
    pairs = zip(lines[::2], lines[1::2], strict=True)
    return tuple("".join(_DOTS[pair] for pair in zip(*rows, strict=True)) for rows in pairs)


def draw_large(
    canvas: Canvas, marks: Marks, stone: str, x: int, y: int, width: int, role: str, times: int = 1
) -> None:
    """Draw the stone's rank and suit in the middle of `width` cells, the rank alone where both have no room.

    Instead of a stone it may be one of `PICTURED`. They are `times` as large as usual, which is 3 rows.
    """
    if stone == JOKER:
        _draw(canvas, (picture(_SUITS[JOKER], times),), x, y, width, role)
        return
    if stone in PICTURED:
        _draw(canvas, (picture(_RANKS[stone], times),), x, y, width, role)
        return
    rank, suit = picture(_RANKS[marks.rank(stone)], times), picture(_SUITS[stone[-1]], times)
    _draw(canvas, (rank, suit) if width >= times * FULL_WIDTH else (rank,), x, y, width, role)


def _draw(canvas: Canvas, pictures: Sequence[Sequence[str]], x: int, y: int, width: int, role: str) -> None:
    """Pictures side by side in the middle of `width` cells."""
    rows = [" ".join(row) for row in zip(*pictures, strict=True)]
    left = x + (width - len(rows[0]) + 1) // 2
    for line, row in enumerate(rows, y):
        canvas.put(left, line, row, role)


LARGE: Final = 7
"""The rows of a box from which a card is drawn large."""
HUGE: Final = 10
"""The rows of a box from which its picture is twice as large."""
NUMBERS: Final = "123456789"
"""The labels of a row of cards that are picked by number."""
_TEXT: Final = 3
"""The cells of a card's name, the longest of which is a ten's."""
_ROOMY: Final = 8
"""From this width on what stands in the corners of a card has a margin."""
_THICK: Final = 4
"""The rows of a piece from which its edge is a whole row."""
_APART: Final = 2
"""The most cells between centred cards."""


class Face(NamedTuple):
    """What is seen of a card or tile.

    `text`: its name, usually at most 3 cells; `role`: how the text looks; `fill`: how the rest of its box looks;
    `picked`: it stands between marks. In boxes of 3 rows and more `note` stands in the upper right corner; from 7 rows
    on `picture` is drawn large, a card by name or a number ("" for none). `edge` is the role of the lower edge, ""
    for none.
    """

    text: str
    role: str
    fill: str = "ground"
    picked: bool = False
    note: str = ""
    picture: str = ""
    edge: str = ""


def card_face(
    marks: Marks,
    name: str,
    *,
    picked: bool = False,
    playable: bool = True,
    note: str = "",
    skin: Skin = PAPER,
) -> Face:
    """Return the face of the card `name` (`10S`, `*` for a joker), dark if it can't be played now."""
    suit = JOKER if name == JOKER else name[-1]
    text = f" {marks.joker} " if name == JOKER else f"{marks.card(name):>{_TEXT}}"
    state = skin.picked if picked else skin.playable if playable else skin.closed
    return Face(text, f"{state}-{suit}", f"fill-{state}-{suit}", picked, note, name, f"{state}-edge-{suit}")


def draw_card(
    canvas: Canvas, scene: TableScene, box: Box, face: Face, label: str = "", *, cursor: bool = False
) -> None:
    """Draw a card in `box`: as a block one cell narrower from 3 rows on, else in one row.

    `label` is the key that picks it.

    At the cursor a mark stands before a flat card, instead of its label where the box is narrow, and at both sides
    of a box.
    """
    draw = _draw_flat if box.height < 3 else _draw_boxed
    draw(canvas, scene, box, face, label, cursor)


def _marked(scene: TableScene, face: Face) -> str:
    """Return the text, between marks when it is picked."""
    text = f"{face.text:^{_TEXT}}"
    return f"{scene.marks.left}{text}{scene.marks.right}" if face.picked else f" {text} "


def _draw_flat(canvas: Canvas, scene: TableScene, box: Box, face: Face, label: str, cursor: bool) -> None:
    text = _marked(scene, face)
    roomy = box.width >= len(text) + 3
    if cursor:
        canvas.put(box.x, box.y, scene.marks.left, "cursor")
    if roomy or not cursor:
        canvas.put(box.x + roomy, box.y, label, "key")
    canvas.put(box.x + 1 + 2 * roomy, box.y, text, face.role)


def draw_edge(canvas: Canvas, marks: Marks, piece: Box, role: str) -> None:
    """Draw the lower edge of a piece in its role `…-edge`: half of its last row, or of a high one all of it.

    Blanks are a third of the bytes of half blocks.
    """
    y = piece.y + piece.height - 1
    if piece.height >= _THICK:
        canvas.fill(piece.x, y, piece.width, 1, role.replace("-edge", "-foot"))
    else:
        canvas.put(piece.x, y, marks.edge * piece.width, role)


def _draw_boxed(canvas: Canvas, scene: TableScene, box: Box, face: Face, label: str, cursor: bool) -> None:
    marks, width, last = scene.marks, box.width - 1, box.y + box.height - 1
    large = bool(face.picture) and box.height >= LARGE and not scene.look.ascii
    canvas.fill(box.x, box.y, width, box.height, face.fill)
    margin = int(width >= _ROOMY)
    canvas.put(box.x + margin, box.y, label, face.role)
    if len(label) + len(face.note) < width:
        canvas.put(box.x + width - margin - len(face.note), box.y, face.note, face.role)
    if large:
        times = 1 + (box.height >= HUGE)
        draw_large(canvas, marks, face.picture, box.x, box.y + 2, width, face.role, times)
    text = _marked(scene, face)
    y = last - 1 if large else box.y + (box.height - 1) // 2
    canvas.put(box.x + (width - len(text)) // 2, y, text, face.role)
    if face.edge:
        draw_edge(canvas, marks, box._replace(width=width), face.edge)
    if cursor:
        canvas.put(box.x, y, marks.left, face.role)
        canvas.put(box.x + width - 1, y, marks.right, face.role)


class CardBoxes(msgspec.Struct, frozen=True):
    """Where the cards of a row stand: `boxes` are those of the cards from number `first` on, in one row or several."""

    boxes: tuple[Box, ...]
    first: int = 0

    def card_at(self, x: int, y: int) -> int | None:
        """Return the number of the card at the cell (x, y), None for none."""
        found = next((at for at, box in enumerate(self.boxes) if box.holds(x, y)), None)
        return None if found is None else found + self.first


def lay_row(
    box: Box,
    count: int,
    cursor: int = 0,
    *,
    text: int = _TEXT,
    highest: int = LARGE,
    centred: bool = False,
    least: int = 0,
) -> CardBoxes:
    """Return where `count` cards stand in `box`: as large as all have room, and side by side before one below another.

    `text` is the length of the longest text, `highest` the most rows of a card. Where even flat cards have no room,
    those around `cursor` are shown. `centred`: in the middle of `box`, in rows of about the same length, and apart.
    There is always room for `least` cards: so many or fewer stay where they are when others come or go behind them.
    """
    all_sizes = (
        (text + 21, HUGE),
        (text + 11, LARGE),
        (text + 6, 5),
        (text + 4, 3),
        (text + 5, 1),
        (text + 3, 1),
    )
    sizes = [size for size in all_sizes if size[1] <= highest]
    fitting = (
        size for size in sizes if (box.width // size[0]) * (box.height // size[1]) >= max(count, least)
    )
    width, height = next(fitting, sizes[-1])
    columns, rows = max(1, box.width // width), max(1, box.height // height)
    first_row = 0
    if columns * rows < count:
        last = -(-count // columns) - rows
        first_row = max(0, min(cursor // columns - rows // 2, last))
    first = first_row * columns
    shown = min(count - first, columns * rows)
    x, y, across, down = box.x, box.y, width, height
    if centred and shown == count:
        rows = max(1, -(-max(count, least) // columns))
        columns = max(1, -(-max(count, least) // rows))
        across += min(_APART, (box.width - columns * width) // columns)
        down += rows * (height + 1) <= box.height
        x += (box.width - columns * across + across - width) // 2
        y += (box.height - rows * down + down - height) // 2
    boxes = (Box(x + at % columns * across, y + at // columns * down, width, height) for at in range(shown))
    return CardBoxes(tuple(boxes), first)


def draw_row(
    canvas: Canvas,
    scene: TableScene,
    row: CardBoxes,
    faces: Sequence[Face],
    *,
    labels: str = NUMBERS,
    cursor: int | None = None,
) -> None:
    """Draw `faces` where `row`, of `lay_row`, has them; `labels` has a character a card, "" for none."""
    for at, box in enumerate(row.boxes, row.first):
        draw_card(canvas, scene, box, faces[at], labels[at : at + 1], cursor=at == cursor)
