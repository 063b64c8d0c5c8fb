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


class _Stroke(NamedTuple):
    """What is drawn on the cells from `x` to before `end`: `text`, or only a role where that is None."""

    x: int
    end: int
    text: str | None
    role: str


_FEW: Final = 4
"""Strokes up to which a row is drawn by splitting its runs; above that, by its cells."""


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
        self._strokes: list[list[_Stroke] | None] = [None] * height
        self._wide = False
        """Whether wide letters were drawn: drawing may leave one half of them."""

    @classmethod
    def from_frame(cls, frame: Frame) -> Self:
        """Return a canvas with `frame` on it."""
        return cls(frame.width, frame.height, rows=frame.rows)

    def put(self, x: int, y: int, text: str, role: str) -> int:
        """Write `text` from (x, y) to the right; return the x after it."""
        end = x + len(text)
        if FILL in text:
            self._wide = True
        if x >= 0 and end <= self.width:  # nearly always, and a table is hundreds of puts
            self._draw(y, _Stroke(x, end, text, role))
        else:
            first, last = max(x, 0), min(end, self.width)
            self._draw(y, _Stroke(first, last, text[first - x : max(last - x, 0)], role))
        return end

    def paint(self, x: int, y: int, width: int, role: str) -> None:
        """Change the role of `width` cells from (x, y); the characters stay."""
        self._draw(y, _Stroke(max(x, 0), min(x + width, self.width), None, role))

    def fill(self, x: int, y: int, width: int, height: int, role: str, char: str = " ") -> None:
        """Fill a rectangle with one character and role."""
        for line in range(y, y + height):
            self.put(x, line, char * width, role)

    def frame(self) -> Frame:
        """Return what has been drawn."""
        rows = [
            row if strokes is None else _drawn(row, strokes, wide=self._wide)
            for row, strokes in zip(self._rows, self._strokes, strict=True)
        ]
        return Frame(self.width, self.height, tuple(rows))

    def _draw(self, y: int, stroke: _Stroke) -> None:
        if 0 <= y < self.height and stroke.x < stroke.end:
            strokes = self._strokes[y]
            if strokes is None:
                self._strokes[y] = [stroke]
            else:
                strokes.append(stroke)


def _drawn(row: Row, strokes: Sequence[_Stroke], *, wide: bool) -> Row:
    """Return `row` with `strokes` on it, safe to show; `wide`: halves of wide letters may be among them."""
    before = "".join([text for text, _ in row])
    wide = wide or FILL in before
    if len(strokes) <= _FEW and not wide:
        drawn = _split(row, strokes)
        text = "".join([text for text, _ in drawn])
        if text.isprintable() and not has_rtl(text):
            return drawn
    line = _Line(list(before), [role for text, role in row for _ in text])
    for x, end, written, role in strokes:
        if written is not None:
            line.chars[x:end] = written
        line.roles[x:end] = [role] * (end - x)
    return _runs(_with_whole_letters(line) if wide else line)


def _split(row: Row, strokes: Iterable[_Stroke]) -> Row:
    """Return `row` with `strokes` on it by splitting its runs, which is quicker than going through its cells."""
    runs = list(row)
    for x, end, written, role in strokes:
        first = at = 0
        while at + len(runs[first][0]) <= x:
            at += len(runs[first][0])
            first += 1
        text, old = runs[first]
        split = [(text[: x - at], old)] if at < x else []
        last = first
        while at + len(text) < end:
            if written is None:
                split.append((text[max(x - at, 0) :], role))
            at += len(text)
            last += 1
            text, old = runs[last]
        split.append((text[max(x - at, 0) : end - at] if written is None else written, role))
        if at + len(text) > end:
            split.append((text[end - at :], old))
        runs[first : last + 1] = split
    return _joined(runs)


def _joined(runs: Iterable[Run]) -> Row:
    """Return `runs` with neighbours of one role as one."""
    joined: list[Run] = []
    text, last = "", ""
    for more, role in runs:
        if role == last:
            text += more
        else:
            if text:
                joined.append((text, last))
            text, last = more, role
    joined.append((text, last))
    return tuple(joined)


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
