"""Draw text with roles on a canvas, cell by cell; the result is an immutable `Frame`.

A role says what a text is ("hint", "cursor"); a theme says how that looks. Each character takes one cell, or two with a
`FILL`. Text from people has to pass `draw.text` first.
"""

import re
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import groupby
from typing import Final, Generic, NamedTuple, Self, TypeVar

from cartino_tui.draw.text import FILL, paired, unarmed, wrap

LTR_BLANK: Final = "\u2800"
"""Looks like a blank, but is a left-to-right letter for the bidirectional algorithm."""
_RTL_CLASSES: Final = frozenset({"R", "AL", "AN"})
_CHAT_ROLES: Final = frozenset({"chat", "input"})
"""Roles of whole sentences by people, which keep their own word order."""

has_rtl = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
).search
"""Finds right-to-left letters; most rows have none."""


def isolate_rtl(chars: list[str], roles: list[str]) -> list[str]:
    """Return the characters of a row with an `LTR_BLANK` after right-to-left text, so that the rest isn't reordered.

    Right-to-left words with one blank between them stay together.
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
    """Return whether the text before `blank` and the text at `after` belong together."""
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
        """Return the characters, rows joined by newlines, without blanks at the right."""
        return "\n".join("".join(text for text, _ in row).rstrip() for row in self.rows)


class _Line(NamedTuple):
    """A row being drawn: the character and the role of every cell."""

    chars: list[str]
    roles: list[str]


class Canvas:
    """A grid to draw on; what falls outside is dropped.

    An untouched row costs nothing and is the very same object in the frame, so comparing frames is cheap.
    """

    def __init__(
        self, width: int, height: int, role: str = "ground", rows: Sequence[Row] | None = None
    ) -> None:
        self.width = width
        self.height = height
        self._rows: Sequence[Row] = (((" " * width, role),),) * height if rows is None else rows
        self._lines: list[_Line | None] = [None] * height
        self._wide = False
        """Whether wide letters stand in touched rows: drawing may leave one half of them."""

    @classmethod
    def over(cls, frame: Frame) -> Self:
        """Return a canvas with `frame` on it."""
        return cls(frame.width, frame.height, rows=frame.rows)

    def put(self, x: int, y: int, text: str, role: str) -> int:
        """Write `text` from (x, y) to the right; return the x after it."""
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
        """Change the role of `width` cells from (x, y); the characters stay."""
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
        """Return what has been drawn."""
        rows = (
            row if line is None else _runs(_with_whole_letters(line) if self._wide else line)
            for row, line in zip(self._rows, self._lines, strict=True)
        )
        return Frame(self.width, self.height, tuple(rows))

    def _open(self, y: int) -> _Line:
        """Return row `y` to draw on."""
        row = self._rows[y]
        text = "".join([text for text, _ in row])
        self._wide = self._wide or FILL in text
        line = self._lines[y] = _Line(list(text), [role for text, role in row for _ in text])
        return line


def _with_whole_letters(line: _Line) -> _Line:
    """Return `line` with no half of a wide letter, and both halves in one role."""
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
"""More than any sentence takes."""


def row_width(row: Sequence[Run]) -> int:
    """Return the width of `row` in cells."""
    return sum(len(text) for text, _ in row)


def flow_labels(labels: Iterable[Sequence[Run]], between: Run, cells: int) -> list[Row]:
    """Put `labels` side by side with `between` them, in rows of `cells`; no label is broken."""
    rows: list[Row] = []
    for label in labels:
        last = rows[-1] if rows else ()
        if last and row_width(last) + len(between[0]) + row_width(label) <= cells:
            rows[-1] = (*last, between, *label)
        else:
            rows.append(tuple(label))
    return rows


def wrap_rows(text: str, role: str, cells: int, *, ascii: bool = False) -> list[Row]:
    """Wrap `text` into rows of `cells`."""
    return [((part, role),) for part in wrap(text, cells, MAX_ROWS, ascii=ascii)]


def put_row(canvas: Canvas, x: int, y: int, row: Iterable[Run]) -> int:
    """Draw `row` from (x, y) on; return the x after it."""
    for text, role in row:
        x = canvas.put(x, y, text, role)
    return x


def put_rows(canvas: Canvas, x: int, y: int, rows: Iterable[Iterable[Run]]) -> int:
    """Draw `rows` below each other from (x, y) on; return the y after them."""
    for row in rows:
        put_row(canvas, x, y, row)
        y += 1
    return y


def first_that_fits(texts: Sequence[str], cells: int) -> str:
    """Return the first of `texts`, ordered from long to short, that fits `cells`; "" for none."""
    return next((text for text in texts if len(text) <= cells), "")


Value = TypeVar("Value")


class IdentityCache(Generic[Value]):
    """Caches the newest values by the identity of the objects they were made from.

    The objects are held, so that no other one can get the same identity.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[Hashable, tuple[tuple[object, ...], Value]] = OrderedDict()

    def get(self, made_from: tuple[object, ...], also: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value made from the objects `made_from` and the value `also`; call `make` if it isn't cached."""
        key = (*map(id, made_from), also)
        known = self._known.get(key)
        if known is not None:
            self._known.move_to_end(key)
            return known[1]
        value = make()
        self._known[key] = (made_from, value)
        if len(self._known) > self._most:
            self._known.popitem(last=False)
        return value
