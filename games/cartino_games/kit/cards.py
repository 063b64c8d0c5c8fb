"""Stones drawn large: rank and suit as pictures of three rows, two dots a row, for terminals with room for them."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from cartino_games.kit.marks import JOKER, Marks
from cartino_tui.draw.canvas import Canvas

ROWS: Final = 3
"""How high a picture is."""
FULL_WIDTH: Final = 11
"""The cells of the widest rank beside the picture of its suit."""
RANK_WIDTH: Final = 8
"""The cells of the widest rank beside a column of signs."""

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


@cache
def picture(dots: str) -> tuple[str, ...]:
    """Lines of dots as rows of characters, two lines a row."""
    lines = [[dot == "#" for dot in line] for line in dots.split()]
    pairs = zip(lines[::2], lines[1::2], strict=True)
    return tuple("".join(_DOTS[pair] for pair in zip(*rows, strict=True)) for rows in pairs)


def draw_large(canvas: Canvas, marks: Marks, stone: str, x: int, y: int, width: int, role: str) -> None:
    """The stone's rank and suit in the middle of `width` cells, the rank alone where both have no room."""
    if stone == JOKER:
        _draw(canvas, (picture(_SUITS[JOKER]),), x, y, width, role)
        return
    rank, suit = picture(_RANKS[marks.rank(stone)]), picture(_SUITS[stone[-1]])
    _draw(canvas, (rank, suit) if width >= FULL_WIDTH else (rank,), x, y, width, role)


def _draw(canvas: Canvas, pictures: Sequence[Sequence[str]], x: int, y: int, width: int, role: str) -> None:
    """Pictures side by side in the middle of `width` cells."""
    rows = [" ".join(row) for row in zip(*pictures, strict=True)]
    left = x + (width - len(rows[0]) + 1) // 2
    for line, row in enumerate(rows, y):
        canvas.put(left, line, row, role)
