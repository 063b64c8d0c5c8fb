"""The few bytes that turn one frame on a terminal into another.

Strokes are ordered so that moves and style changes cost little. The pen after a shared frame is the same for everybody,
so that many terminals can share the next difference too.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from cartino_tui.draw.ansi import UNKNOWN_POSITION, CellPosition, Ink, move_cursor, style_change
from cartino_tui.draw.canvas import Frame, Row, Run
from cartino_tui.draw.text import FILL

LOOKAHEAD: Final = 16
"""Of so many strokes that come next in reading order, the cheapest is written next."""
MAX_ORDERED: Final = 64
"""More strokes are written as they come: much is new then, and the order saves little of it."""


class Stroke(NamedTuple):
    """Characters of one ink that stand side by side, from the cell (x, y) on."""

    x: int
    y: int
    text: str
    ink: Ink


class Pen(NamedTuple):
    """Where a terminal's cursor stands, and what it writes in; None where nobody knows."""

    at: CellPosition
    ink: Ink | None


UNKNOWN_PEN: Final = Pen(UNKNOWN_POSITION, None)
"""The pen of a terminal that somebody else has written on."""


def write_strokes(strokes: Sequence[Stroke], pen: Pen, width: int, own: bool = False) -> tuple[str, Pen]:
    """What writes `strokes` on a terminal so many cells wide, and the pen afterwards.

    Where it isn't one's `own`, the pen afterwards is the same whatever `pen` is: the last stroke stays the last, and
    all who see the same share what is sent from there on. Where it is, a change of ink is saved.
    """
    pieces: list[str] = []
    at, ink = pen
    for stroke in strokes if len(strokes) > MAX_ORDERED else _cheapest_order(strokes, pen, width, own):
        x, y, text, next_ink = stroke
        if (x, y) != at:
            pieces.append(move_cursor(at, (x, y)))
        if next_ink is not ink:
            pieces.append(style_change(ink, next_ink))
            ink = next_ink
        pieces.append(text.replace(FILL, ""))
        at = _position_after(stroke, width)
    return "".join(pieces), Pen(at, ink)


def _cheapest_order(strokes: Sequence[Stroke], pen: Pen, width: int, own: bool) -> Iterator[Stroke]:
    """`strokes` in an order in which each is near the one before, in place and in ink."""
    end = len(strokes) if own else len(strokes) - 1
    left = list(strokes[:end])
    at, ink = pen
    while left:
        nearest, least = 0, sys.maxsize
        for number, stroke in enumerate(left[:LOOKAHEAD]):
            cost = len(move_cursor(at, stroke[:2])) + len(style_change(ink, stroke.ink))
            if cost < least:
                nearest, least = number, cost
        stroke = left.pop(nearest)
        at, ink = _position_after(stroke, width), stroke.ink
        yield stroke
    yield from strokes[end:]


def _position_after(stroke: Stroke, width: int) -> CellPosition:
    """Where the cursor stands when `stroke` is written; past the last column terminals disagree about that."""
    x = stroke.x + len(stroke.text)
    return (x, stroke.y) if x < width else UNKNOWN_POSITION


InkLookup = Callable[[str], Ink]
"""The ink of a role."""

_MIN_SCROLL_ROWS: Final = 4
"""Fewer rows are painted anew: most of a row's cells often stay."""
_MOVE_COST: Final = 3
"""Stepping over so many cells takes as many bytes as writing them."""


def difference(
    old: Frame | None, new: Frame, ink_of: InkLookup, pen: Pen = UNKNOWN_PEN, *, own: bool = False
) -> tuple[str, Pen]:
    """What to send to a terminal that shows `old` (None: nobody knows what) so that it shows `new`; and its pen then.

    `pen` is the one that it has; `own` is whether nobody else is shown `new` (see `written`). Its lines don't wrap by
    themselves.
    """
    there: list[Row | None] = [None] * new.height
    moved = ""
    if old is not None and (old.width, old.height) == (new.width, new.height):
        there = list(old.rows)
    rows = _differing(there, new.rows)
    if old is not None and len(rows) >= _MIN_SCROLL_ROWS and (moved := _scroll(there, new.rows)):
        rows = _differing(there, new.rows)
    strokes = [stroke for y in rows for stroke in _changed(y, there[y], new.rows[y], ink_of)]
    text, pen = write_strokes(strokes, Pen(UNKNOWN_POSITION, pen.ink) if moved else pen, new.width, own)
    return moved + text, pen


def _differing(there: Sequence[Row | None], wanted: Sequence[Row]) -> list[int]:
    """The rows that differ. Most that don't are the very same object."""
    pairs = enumerate(zip(there, wanted, strict=True))
    return [y for y, (before, row) in pairs if before is not row and before != row]


def _scroll(there: list[Row | None], wanted: Sequence[Row]) -> str:
    """Let the terminal move rows that only went up or down by one, as a list does that is scrolled.

    `there` is what the terminal shows, and is brought up to date: nobody knows what comes in at the edge.
    """
    for step in (1, -1):
        first, last = _longest_run(
            0 <= y + step < len(wanted) and there[y + step] == row != there[y] for y, row in enumerate(wanted)
        )
        if last - first >= _MIN_SCROLL_ROWS:
            top, bottom = min(first, first + step), max(last, last + step)
            edge = bottom - 1 if step > 0 else top
            there[top:bottom] = (
                [*there[top + 1 : bottom], None] if step > 0 else [None, *there[top : bottom - 1]]
            )
            # Only inside these lines; a line feed at the lowest, or a reverse one at the highest, moves them.
            feed = "\n" if step > 0 else "\x1bM"
            return f"\x1b[{top + 1};{bottom}r\x1b[{edge + 1}H{feed}\x1b[r"
    return ""


def _longest_run(flags: Iterable[bool]) -> tuple[int, int]:
    """The longest stretch of true ones: (first, after the last)."""
    best, start = (0, 0), 0
    for at, flag in enumerate(flags):
        if not flag:
            start = at + 1
        elif at + 1 - start > best[1] - best[0]:
            best = (start, at + 1)
    return best


def _changed(y: int, old: Row | None, new: Row, ink_of: InkLookup) -> Iterator[Stroke]:
    """What of row `y` differs from what is there, joined where that is cheaper."""
    x = 0
    if old is None:
        for text, role in new:
            yield Stroke(x, y, text, ink_of(role))
            x += len(text)
        return
    first, after = _same_runs(old, new)
    x = sum(len(text) for text, _ in new[:first])
    before = _cells(old[first : len(old) - after], ink_of)
    at = 0
    for text, role in new[first : len(new) - after]:
        ink = ink_of(role)
        for start, end in _stretches(before[at : at + len(text)], text, ink):
            yield Stroke(x + at + start, y, text[start:end], ink)
        at += len(text)


def _same_runs(old: Row, new: Row) -> tuple[int, int]:
    """How many runs are the same at the left, and how many of the others at the right."""
    most = min(len(old), len(new))
    first = 0
    while first < most and old[first] == new[first]:
        first += 1
    after = 0
    while after < most - first and old[-1 - after] == new[-1 - after]:
        after += 1
    return first, after


def _cells(runs: Sequence[Run], ink_of: InkLookup) -> list[tuple[str, Ink]]:
    return [(char, ink) for text, role in runs for ink in (ink_of(role),) for char in text]


def _stretches(before: Sequence[tuple[str, Ink]], text: str, ink: Ink) -> Iterator[tuple[int, int]]:
    """The stretches of a run that differ from the cells `before`: (first cell, cell after the last).

    Cells of the same run that stay are sent along where stepping over them would cost more.
    """
    start = end = -1
    for at, (char, (there, its_ink)) in enumerate(zip(text, before, strict=True)):
        if there == char and its_ink is ink:
            continue
        if start >= 0 and at - end > _MOVE_COST:
            yield start, end
            start = -1
        if start < 0:
            # Nobody can write half of a wide letter. Both halves are in one run.
            start = at - (char == FILL)
        end = at + 1 + (text[at + 1 : at + 2] == FILL)
    if start >= 0:
        yield start, end
