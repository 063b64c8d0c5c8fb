"""The lines of a chart, cell by cell: which arms each has in a cell, and the character for all that meet there.

One line alone has its own stroke, so that it can be followed without colours; where lines meet there is a crossing.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

UP, RIGHT, DOWN, LEFT = 8, 4, 2, 1
LEVEL: Final = RIGHT | LEFT

_CROSSINGS: Final = " ╴╷╮╶─╭┬╵╯│┤╰┴├┼"
"""The characters by the arms that they have."""
_ASCII_CROSSINGS: Final = " -|.--.+|'|+'+++"

_STROKES: Final = ("─│╭╮╰╯", "╌╎╭╮╰╯", "═║╔╗╚╝", "━┃┏┓┗┛")
_ASCII_STROKES: Final = ("-|..''", "=|..''", "~:..''", "_!..''")
_SHAPES: Final = (LEVEL, UP | DOWN, RIGHT | DOWN, DOWN | LEFT, UP | RIGHT, UP | LEFT)
"""The arms that a stroke's characters have, in their order: level, upright, the four bends."""

Arms = Mapping[tuple[int, int], int]
"""The arms of one line by the cell (column, row)."""


class Cell(NamedTuple):
    """What stands in a cell: the character, the number of the line on top, and whether none has other arms there."""

    char: str
    line: int
    alone: bool


def arms_of(rows: Sequence[int]) -> dict[tuple[int, int], int]:
    """The arms of a line through `rows`, one a column, from the left: it rises and falls by a bend at either end."""
    arms: dict[tuple[int, int], int] = {}
    for column, row in enumerate(rows):
        before = rows[column - 1] if column else row
        if before == row:
            arms[column, row] = LEVEL
            continue
        for between in range(min(before, row) + 1, max(before, row)):
            arms[column, between] = UP | DOWN
        leaves, comes = (UP, DOWN) if row < before else (DOWN, UP)
        arms[column, before] = LEFT | leaves
        arms[column, row] = RIGHT | comes
    return arms


def met(lines: Sequence[Arms], *, ascii: bool = False) -> dict[tuple[int, int], Cell]:
    """What stands in every cell, the last of `lines` on top; it has the first stroke."""
    strokes, crossings = (_ASCII_STROKES, _ASCII_CROSSINGS) if ascii else (_STROKES, _CROSSINGS)
    found: dict[tuple[int, int], list[int]] = {}
    for number, line in enumerate(lines):
        for cell in line:
            found.setdefault(cell, []).append(number)
    drawn: dict[tuple[int, int], Cell] = {}
    for cell, numbers in found.items():
        top = numbers[-1]
        all_arms = 0
        for number in numbers:
            all_arms |= lines[number][cell]
        alone = all_arms == lines[top][cell] == lines[numbers[0]][cell]
        stroke = strokes[(len(lines) - 1 - top) % len(strokes)]
        char = stroke[_SHAPES.index(all_arms)] if alone else crossings[all_arms]
        drawn[cell] = Cell(char, top, alone)
    return drawn
