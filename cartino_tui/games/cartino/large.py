"""Stones drawn large: rank and suit as pictures of three rows, two dots a row, for terminals with room for them."""

from functools import cache
from typing import Final

from cartino_protocol.games.cartino.board import JOKER
from cartino_tui.draw.canvas import Canvas
from cartino_tui.games.cartino.marks import Marks

ROWS: Final = 3
"""How high a picture is."""
FULL_WIDTH: Final = 12
"""The cells of the widest rank beside the picture of its suit."""
RANK_WIDTH: Final = 8
"""The cells of the widest rank beside the suit's sign."""

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
    "10": "#..##. #.#..# #.#..# #.#..# #.#..# #..##.",
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
    "S": "..#.. .###. ##### ##### ..#.. .###.",
    "H": ".#.#. ##### ##### .###. .###. ..#..",
    "D": "..#.. .###. ##### ##### .###. ..#..",
    "C": ".###. .###. ##### ##### ..#.. .###.",
    JOKER: "..#.. ..#.. ##### .###. .###. #...#",
}
"""Each six lines of dots, top to bottom."""


@cache
def picture(dots: str) -> tuple[str, ...]:
    """Lines of dots as rows of characters, two lines a row."""
    lines = [[dot == "#" for dot in line] for line in dots.split()]
    pairs = zip(lines[::2], lines[1::2], strict=True)
    return tuple("".join(_DOTS[pair] for pair in zip(*rows, strict=True)) for rows in pairs)


def draw_large(canvas: Canvas, marks: Marks, stone: str, x: int, y: int, width: int, role: str) -> None:
    """The stone's rank and suit in the middle of `width` cells; the suit as a sign where its picture has no room."""
    if stone == JOKER:
        _draw(canvas, _SUITS[JOKER], x + (width - 5) // 2, y, role)
        return
    rank, suit = _RANKS[marks.rank(stone)], _SUITS[stone[-1]]
    whole = width >= FULL_WIDTH
    cells = len(rank.split()[0]) + 1 + (len(suit.split()[0]) if whole else 1)
    left = x + (width - cells) // 2
    after = _draw(canvas, rank, left, y, role) + 1
    if whole:
        _draw(canvas, suit, after, y, role)
    else:
        canvas.put(after, y, marks.suits[stone[-1]], role)


def _draw(canvas: Canvas, dots: str, x: int, y: int, role: str) -> int:
    rows = picture(dots)
    for line, row in enumerate(rows):
        canvas.put(x, y + line, row, role)
    return x + len(rows[0])
