"""Draw text with roles on a canvas, cell by cell; the result is an immutable `Frame`.

A role says what a text is ("hint", "cursor"); a theme says how that looks. Each character takes one cell, or two with a
`FILL`. Text from people has to pass `draw.text` first. Right-to-left letters are kept from reordering what follows
them in terminals that apply Unicode's bidirectional algorithm.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final, NamedTuple, Self

from cartino_tui.draw.text import FILL, paired, unarmed, wrap

LTR_BLANK: Final = "\u2800"
"""Is drawn as a blank, and counts as a letter that is written from left to right."""
_RTL_CLASSES: Final = frozenset({"R", "AL", "AN"})
_CHAT_ROLES: Final = frozenset({"chat", "input"})
"""Roles of what people say: whole sentences, whose words stay in their own order."""

has_rtl = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
).search
"""Whether there is such a letter in a text; for most of what is drawn that is all there is to find out."""


def isolate_rtl(chars: list[str], roles: list[str]) -> list[str]:
    """The characters of a row, by their `roles`, with such a blank behind all that would go on turning what follows.

    Words with one blank between them that are all written from right to left stay one name or sentence.
    """
    kept = list(chars)
    turns = False
    for at, char in enumerate(chars):
        direction = unicodedata.bidirectional(char)
        if direction in _RTL_CLASSES:
            turns = True
        elif direction == "L":
            turns = False
        elif turns and char == " ":
            after = next((next_at for next_at in range(at + 1, len(chars)) if chars[next_at] != " "), None)
            if after is None:
                break
            if not _same_text(chars, roles, at, after):
                kept[at] = LTR_BLANK
                turns = False
    return kept


def _same_text(chars: list[str], roles: list[str], blank: int, after: int) -> bool:
    """Whether what stands before the `blank` and what comes next, at `after`, are one text."""
    if roles[blank] == roles[after] and roles[after] in _CHAT_ROLES:
        return True
    beside = chars[blank - 1], chars[blank + 1]
    return all(unicodedata.bidirectional(char) in _RTL_CLASSES for char in beside)


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
            row if line is None else _runs(_with_whole_letters(line) if self._wide else line)
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


def _with_whole_letters(line: _Line) -> _Line:
    """`line` with no half of a wide letter, and both halves in one role."""
    chars = list(paired("".join(line.chars)))
    roles = [line.roles[at - (char == FILL)] for at, char in enumerate(chars)]
    return _Line(chars, roles)


def _runs(line: _Line) -> Row:
    text = unarmed("".join(line.chars))
    if has_rtl(text):
        text = "".join(isolate_rtl(list(text), line.roles))
    runs: list[Run] = []
    start = 0
    for role, cells in groupby(line.roles):
        end = start + len(list(cells))
        runs.append((text[start:end], role))
        start = end
    return tuple(runs)


MAX_ROWS = 99
"""More rows than any sentence takes."""


def row_width(row: Sequence[Run]) -> int:
    """How many cells `row` takes."""
    return sum(len(text) for text, _ in row)


def flow_labels(labels: Iterable[Sequence[Run]], between: Run, cells: int) -> list[Row]:
    """`labels` side by side with `between` them, on as many rows of `cells` as it takes; no label is broken."""
    rows: list[Row] = []
    for label in labels:
        last = rows[-1] if rows else ()
        if last and row_width(last) + len(between[0]) + row_width(label) <= cells:
            rows[-1] = (*last, between, *label)
        else:
            rows.append(tuple(label))
    return rows


def wrap_rows(text: str, role: str, cells: int, *, ascii: bool = False) -> list[Row]:
    """`text` in rows of `cells`, whole."""
    return [((part, role),) for part in wrap(text, cells, MAX_ROWS, ascii=ascii)]


def put_row(canvas: Canvas, x: int, y: int, row: Iterable[Run]) -> int:
    """Draw `row` from (x, y) on; the x after it."""
    for text, role in row:
        x = canvas.put(x, y, text, role)
    return x


def put_rows(canvas: Canvas, x: int, y: int, rows: Iterable[Iterable[Run]]) -> int:
    """Draw `rows` one below the other from (x, y) on; the y after them."""
    for row in rows:
        put_row(canvas, x, y, row)
        y += 1
    return y


def first_that_fits(texts: Sequence[str], cells: int) -> str:
    """The first of `texts`, which say less and less, that fits `cells`; "" where none does."""
    return next((text for text in texts if len(text) <= cells), "")
