"""Line charts of text characters, readable without colour.

Every line has a stroke and a mark of its own, and crossings are drawn as such.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from cartino_tui.draw.canvas import Canvas

UP, RIGHT, DOWN, LEFT = 8, 4, 2, 1
HORIZONTAL: Final = RIGHT | LEFT

_CROSSINGS: Final = " ╴╷╮╶─╭┬╵╯│┤╰┴├┼"
"""The characters by the arms that they have."""
_ASCII_CROSSINGS: Final = " -|.--.+|'|+'+++"

_STROKES: Final = ("─│╭╮╰╯", "╌╎╭╮╰╯", "═║╔╗╚╝", "━┃┏┓┗┛")
_ASCII_STROKES: Final = ("-|..''", "=|..''", "~:..''", "_!..''")
_SHAPES: Final = (HORIZONTAL, UP | DOWN, RIGHT | DOWN, DOWN | LEFT, UP | RIGHT, UP | LEFT)
"""The arms that a stroke's characters have, in their order: level, upright, the four bends."""

CellArms = Mapping[tuple[int, int], int]
"""The arms of one line by the cell (column, row)."""


class ChartCell(NamedTuple):
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
            arms[column, row] = HORIZONTAL
            continue
        for between in range(min(before, row) + 1, max(before, row)):
            arms[column, between] = UP | DOWN
        leaves, comes = (UP, DOWN) if row < before else (DOWN, UP)
        arms[column, before] = LEFT | leaves
        arms[column, row] = RIGHT | comes
    return arms


def draw_crossings(lines: Sequence[CellArms], *, ascii: bool = False) -> dict[tuple[int, int], ChartCell]:
    """What stands in every cell, the last of `lines` on top; it has the first stroke."""
    strokes, crossings = (_ASCII_STROKES, _ASCII_CROSSINGS) if ascii else (_STROKES, _CROSSINGS)
    found: dict[tuple[int, int], list[int]] = {}
    for number, line in enumerate(lines):
        for cell in line:
            found.setdefault(cell, []).append(number)
    drawn: dict[tuple[int, int], ChartCell] = {}
    for cell, numbers in found.items():
        top = numbers[-1]
        all_arms = 0
        for number in numbers:
            all_arms |= lines[number][cell]
        alone = all_arms == lines[top][cell] == lines[numbers[0]][cell]
        stroke = strokes[(len(lines) - 1 - top) % len(strokes)]
        char = stroke[_SHAPES.index(all_arms)] if alone else crossings[all_arms]
        drawn[cell] = ChartCell(char, top, alone)
    return drawn


LEAST_WIDTH: Final = 30
LEAST_HEIGHT: Final = 5
"""What a chart needs besides the cells of its longest name: fewer show nothing but noise. Four lines fit in it."""

_STEPS: Final = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)
_ROWS_A_TICK: Final = 3
_MARK_EVERY: Final = 12
_MARK_SHIFT: Final = 3
"""So the marks of several lines seldom stand over each other."""


class ChartLine(NamedTuple):
    """One line: what it is called, its values from first to last (at least one), its mark of one cell, its role."""

    name: str
    values: tuple[int, ...]
    mark: str
    role: str


class Plot(NamedTuple):
    """Where the lines of a chart stand: the first cell, and how many there are."""

    left: int
    cells: int

    def column(self, step: int, last: int) -> int:
        """The cell in which the value after `step` of `last` steps stands."""
        return self.left + round(step * (self.cells - 1) / max(last, 1))


_AXIS: Final = ("│", "┤")
_ASCII_AXIS: Final = ("|", "+")
"""The scale's line, and a tick on it."""


def draw_chart(
    canvas: Canvas,
    x: int,
    y: int,
    width: int,
    height: int,
    courses: Sequence[ChartLine],
    *,
    ascii: bool = False,
) -> Plot:
    """`courses` in `width` by `height` cells from (x, y), the last one on top; the lowest row numbers the steps.

    Returns where the lines stand.

    Names are safe to draw, and stand whole if `width` is LEAST_WIDTH and the longest of them.
    """
    scale = _scale(courses, height - 1)
    labels = {row: str(value).replace("-", "-" if ascii else "−") for row, value in scale.ticks()}
    margin = max(map(len, labels.values()))
    gutter = max(len(_label(course)) for course in courses)
    left, cells = margin + 1, width - margin - 1 - gutter - 1
    line, tick = _ASCII_AXIS if ascii else _AXIS
    for row in range(scale.rows):
        canvas.put(x, y + row, labels.get(row, "").rjust(margin), "dim")
        canvas.put(x + margin, y + row, tick if row in labels else line, "rule")
    _draw_lines(
        canvas, x + left, y, [_line_rows(course, scale, cells) for course in courses], courses, ascii=ascii
    )
    for course, row in _label_rows(courses, scale):
        canvas.put(x + left + cells + 1, y + row, _label(course), course.role)
    steps = max(len(course.values) for course in courses) - 1
    canvas.put(x + left, y + scale.rows, "1", "dim")
    canvas.put(x + left + cells - len(str(steps)), y + scale.rows, str(steps), "dim")
    return Plot(x + left, cells)


class _Scale(NamedTuple):
    """Rows from 0 at the top for values from `low` to `high`."""

    low: int
    high: int
    rows: int

    def row(self, value: int) -> int:
        return self.rows - 1 - round((value - self.low) * (self.rows - 1) / (self.high - self.low))

    def ticks(self) -> Iterator[tuple[int, int]]:
        """(row, value) of round values, as many as can be told apart."""
        most = max(2, self.rows // _ROWS_A_TICK)
        step = next((step for step in _STEPS if (self.high - self.low) / step <= most), self.high - self.low)
        first = -(-self.low // step)
        for value in range(first * step, self.high + 1, step):
            yield self.row(value), value


def _scale(courses: Sequence[ChartLine], rows: int) -> _Scale:
    values = [value for course in courses for value in course.values]
    low = min(0, *values)
    return _Scale(low, max(low + 1, *values), rows)


def _label(course: ChartLine) -> str:
    return f"{course.mark} {course.name}"


def _line_rows(course: ChartLine, scale: _Scale, cells: int) -> list[int]:
    """The row of the line in each of so many columns."""
    last = len(course.values) - 1
    return [scale.row(course.values[round(column * last / max(cells - 1, 1))]) for column in range(cells)]


def _draw_lines(
    canvas: Canvas,
    x: int,
    y: int,
    rows: Sequence[Sequence[int]],
    courses: Sequence[ChartLine],
    *,
    ascii: bool,
) -> None:
    """The lines, and on each its mark now and then: also on a part that it shares, but on no crossing."""
    lines = [arms_of(each) for each in rows]
    cells = draw_crossings(lines, ascii=ascii)
    drawn = {at: (cell.char, courses[cell.line].role) for at, cell in cells.items()}
    for number, (course, line) in enumerate(zip(courses, lines, strict=True)):
        shift = _MARK_EVERY // 2 + number * _MARK_SHIFT
        for column, row in line:
            if (
                line[column, row] == HORIZONTAL
                and cells[column, row].alone
                and not (column - shift) % _MARK_EVERY
            ):
                drawn[column, row] = (course.mark, course.role)
    for (column, row), (char, role) in sorted(drawn.items()):
        canvas.put(x + column, y + row, char, role)


def _label_rows(courses: Sequence[ChartLine], scale: _Scale) -> Iterator[tuple[ChartLine, int]]:
    """Each course with the row of its name: where its line ends, or as near as the others leave room."""
    order = sorted(courses, key=lambda course: -course.values[-1])
    rows: list[int] = []
    for course in order:
        rows.append(max(scale.row(course.values[-1]), rows[-1] + 1 if rows else 0))
    below = scale.rows
    for at in range(len(rows) - 1, -1, -1):
        rows[at] = below = min(rows[at], below - 1)
    return zip(order, rows, strict=True)
