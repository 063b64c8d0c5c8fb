"""A canvas of characters with roles, and the finished frame that a `Sheet` shows.

A role says what a piece of text is ("heart", "hint", "cursor"); a theme says how that looks. Every character
drawn is one cell wide, or two with a `FILL`: callers pass names and chat through `draw.text` first.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple, Self

from cartino_tui.draw.bidi import has_turning, held
from cartino_tui.draw.text import FILL, paired

Run = tuple[str, str]
"""Neighbouring characters of one role: (text, role)."""

Row = tuple[Run, ...]


class Frame(NamedTuple):
    """A whole screen: `rows` of runs, each row exactly `width` cells."""

    width: int
    height: int
    rows: tuple[Row, ...]

    def text(self) -> str:
        """The characters alone, rows joined by newlines, blanks at the right cut: what tests compare."""
        return "\n".join("".join(text for text, _ in row).rstrip() for row in self.rows)


class _Line(NamedTuple):
    """A row that is being drawn upon: the character and the role of every cell."""

    chars: list[str]
    roles: list[str]


class Canvas:
    """Where a frame is drawn, cell by cell; what falls outside is dropped, so nothing can break the screen.

    A row that nothing is drawn upon costs nothing, and is the very same row in the frame that the canvas began with
    and in the one that comes of it: whoever compares the two need not look into it.
    """

    def __init__(
        self, width: int, height: int, role: str = "ground", rows: Sequence[Row] | None = None
    ) -> None:
        """A canvas of `width` by `height` cells on which `rows` are drawn already, or nothing: blanks in `role`."""
        self.width = width
        self.height = height
        self._rows: Sequence[Row] = (((" " * width, role),),) * height if rows is None else rows
        self._lines: list[_Line | None] = [None] * height
        self._wide = False
        """Whether letters of two cells stand in rows that are drawn upon: one half of them may be drawn over."""

    @classmethod
    def over(cls, frame: Frame) -> Self:
        """A canvas on which `frame` is drawn already."""
        return cls(frame.width, frame.height, rows=frame.rows)

    def put(self, x: int, y: int, text: str, role: str) -> int:
        """Write `text` from (x, y) to the right; returns the x after it."""
        end = x + len(text)
        if FILL in text:
            self._wide = True
        if 0 <= y < self.height:
            line = self._lines[y] or self._open(y)
            if x >= 0 and end <= self.width:  # nearly always, and a table is hundreds of puts
                line.chars[x:end] = text
                line.roles[x:end] = [role] * (end - x)
                return end
            first, last = max(x, 0), min(end, self.width)
            if first < last:
                line.chars[first:last] = text[first - x : last - x]
                line.roles[first:last] = [role] * (last - first)
        return end

    def paint(self, x: int, y: int, width: int, role: str) -> None:
        """Give `width` cells from (x, y) another role; the characters stay."""
        if 0 <= y < self.height:
            first, last = max(x, 0), min(x + width, self.width)
            if first < last:
                line = self._lines[y] or self._open(y)
                line.roles[first:last] = [role] * (last - first)

    def fill(self, x: int, y: int, width: int, height: int, role: str, char: str = " ") -> None:
        """Fill a rectangle with one character and role."""
        for line in range(y, y + height):
            self.put(x, line, char * width, role)

    def frame(self) -> Frame:
        """What has been drawn."""
        rows = (
            row if line is None else _runs(_whole(line) if self._wide else line)
            for row, line in zip(self._rows, self._lines, strict=True)
        )
        return Frame(self.width, self.height, tuple(rows))

    def _open(self, y: int) -> _Line:
        """Row `y`, to be drawn upon."""
        row = self._rows[y]
        text = "".join([text for text, _ in row])
        self._wide = self._wide or FILL in text
        line = self._lines[y] = _Line(list(text), [role for text, role in row for _ in text])
        return line


def _whole(line: _Line) -> _Line:
    """`line` with no half of a wide letter, and both halves in one role."""
    chars = list(paired("".join(line.chars)))
    roles = [line.roles[at - (char == FILL)] for at, char in enumerate(chars)]
    return _Line(chars, roles)


def _runs(line: _Line) -> Row:
    text = "".join(line.chars)
    if has_turning(text):
        text = "".join(held(line.chars, line.roles))
    runs: list[Run] = []
    start = 0
    for role, cells in groupby(line.roles):
        end = start + len(list(cells))
        runs.append((text[start:end], role))
        start = end
    return tuple(runs)
