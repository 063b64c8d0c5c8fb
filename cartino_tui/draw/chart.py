"""Line charts of text characters, readable without colour: each line has its own stroke and mark."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from cartino_tui.draw.canvas import Canvas

UP, RIGHT, DOWN, LEFT = 8, 4, 2, 1
HORIZONTAL: Final = RIGHT | LEFT

_CROSSINGS: Final = " ╴╷╮╶─╭┬╵╯│┤╰┴├┼"
"""The characters by the set of their arms."""
_ASCII_CROSSINGS: Final = " -|.--.+|'|+'+++"

_STROKES: Final = ("─│╭╮╰╯", "╌╎╭╮╰╯", "═║╔╗╚╝", "━┃┏┓┗┛")
_ASCII_STROKES: Final = ("-|..''", "=|..''", "~:..''", "_!..''")
_SHAPES: Final = (HORIZONTAL, UP | DOWN, RIGHT | DOWN, DOWN | LEFT, UP | RIGHT, UP | LEFT)
"""The arms of a stroke's characters: level, upright, the four bends."""

CellArms = Mapping[tuple[int, int], int]
"""The arms of one line by (column, row)."""


class ChartCell(NamedTuple):
    """A character, the number of the line on top, and whether no other line has arms in the cell."""

    char: str
    line: int
    alone: bool


def arms_of(rows: Sequence[int]) -> dict[tuple[int, int], int]:
    """Return the arms of a line through `rows`, one per column from the left."""
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
    """Return what stands in every cell, with the last of `lines` on top."""
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
"""Cells besides the longest name; in fewer a chart is noise. Four lines fit in."""

_STEPS: Final = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)
_ROWS_A_TICK: Final = 3
_MARK_EVERY: Final = 12
_MARK_SHIFT: Final = 3
"""Offsets the marks of lines, so that they seldom stand over each other."""


class ChartLine(NamedTuple):
    """A line: its name, its values from first to last (at least one), its one-cell mark, its role."""

    name: str
    values: tuple[int, ...]
    mark: str
    role: str


class Plot(NamedTuple):
    """Where the lines of a chart stand: the first cell, and the number of cells."""

    left: int
    cells: int

    def column(self, step: int, last: int) -> int:
        """Return the cell of the value after `step` of `last` steps, at least one."""
        return self.left + round(step * (self.cells - 1) / last)


_AXIS: Final = ("│", "┤")
_ASCII_AXIS: Final = ("|", "+")
"""Axis and tick."""


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
    """Draw `courses` in `width` by `height` cells from (x, y), the last one on top, above a row of step numbers.

    Returns where the lines stand. Names are safe to draw, and are whole from LEAST_WIDTH plus the longest one on.
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
    """Maps values from `low` to `high` to rows, from 0 at the top."""

    low: int
    high: int
    rows: int

    def row(self, value: int) -> int:
        return self.rows - 1 - round((value - self.low) * (self.rows - 1) / (self.high - self.low))

    def ticks(self) -> Iterator[tuple[int, int]]:
        """Yield (row, value) of round values, as many as can be told apart."""
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
    """Return the row of the line in each of `cells` columns."""
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
    """Draw the lines with a mark now and then, but on no crossing."""
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
    """Return each line with the row of its name: its end, or as near as the others allow."""
    order = sorted(courses, key=lambda course: -course.values[-1])
    rows: list[int] = []
    for course in order:
        rows.append(max(scale.row(course.values[-1]), rows[-1] + 1 if rows else 0))
    below = scale.rows
    for at in range(len(rows) - 1, -1, -1):
        rows[at] = below = min(rows[at], below - 1)
    return zip(order, rows, strict=True)
