"""The few bytes that turn one frame on a terminal into another.

Strokes are ordered so that moves and style changes cost little. The pen after a shared frame is the same for everybody,
so that terminals can share the next difference, too.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from cartino_tui.draw.ansi import (
    UNKNOWN_POSITION,
    CellPosition,
    Ink,
    blank_ground,
    ink_for_blanks,
    move_cursor,
    style_change,
)
from cartino_tui.draw.canvas import Frame, Row, Run
from cartino_tui.draw.text import FILL

LOOKAHEAD: Final = 16
"""The cheapest of the next strokes, in reading order, is written next."""
MAX_ORDERED: Final = 64
"""More strokes are written in reading order or ink after ink."""


class Stroke(NamedTuple):
    """Neighbouring characters of one ink from (x, y) on."""

    x: int
    y: int
    text: str
    ink: Ink


class Pen(NamedTuple):
    """A terminal's cursor position and ink, None if unknown."""

    at: CellPosition
    ink: Ink | None


UNKNOWN_PEN: Final = Pen(UNKNOWN_POSITION, None)


def write_strokes(strokes: Sequence[Stroke], pen: Pen, width: int, own: bool = False) -> tuple[str, Pen]:
    """Return the bytes that write `strokes`, and the pen afterwards.

    Unless the frame is one's `own`, the pen afterwards doesn't depend on `pen`: all who see the frame share what
    follows.
    """
    end = len(strokes) if own else -1
    many, last = list(_with_blanks(strokes[:end])), strokes[end:]
    if len(many) <= MAX_ORDERED:
        return _written(_cheapest_order((*many, *last), pen, width, own), pen, width)
    text, pen = _written_by_ink(many, pen, width)
    end_text, pen = _written(last, pen, width)
    return text + end_text, pen


def _written(strokes: Iterable[Stroke], pen: Pen, width: int) -> tuple[str, Pen]:
    """Return the bytes that write `strokes` in this order, and the pen afterwards."""
    pieces: list[str] = []
    at, ink = pen
    for stroke in strokes:
        x, y, text, next_ink = stroke
        if (x, y) != at:
            pieces.append(move_cursor(at, (x, y)))
        if next_ink is not ink:
            pieces.append(style_change(ink, next_ink))
            ink = next_ink
        pieces.append(text.replace(FILL, ""))
        at = _position_after(stroke, width)
    return "".join(pieces), Pen(at, ink)


def _written_by_ink(strokes: Sequence[Stroke], pen: Pen, width: int) -> tuple[str, Pen]:
    """Return the bytes that write `strokes` ink after ink, those of one ink in reading order, and the pen afterwards.

    Blanks are written in any ink that looks the same. Inks of few strokes come first: a short gap between two of them
    is written as blanks, which is cheaper than a move, where another ink follows there.
    """
    pieces: list[str] = []
    at, ink = pen
    groups = _by_ink(strokes)
    turns = [bytearray(width) for _ in range(max(stroke.y for stroke in strokes) + 1)]
    for turn, (_, group) in enumerate(groups, 1):
        for x, y, text, _ in group:
            turns[y][x : x + len(text)] = bytes((min(turn, 255),)) * len(text)
    for turn, (own_ink, group) in enumerate(groups, 1):
        blank = all(text.isspace() for _, _, text, _ in group)
        next_ink = ink_for_blanks(ink, own_ink) if ink is not None and blank else own_ink
        pieces.append(style_change(ink, next_ink))
        ink = next_ink
        for stroke in group:
            x, y, text, _ = stroke
            gap = x - at[0]
            if at[1] == y and 0 <= gap <= _MOVE_COST and (not gap or min(turns[y][at[0] : x]) > turn):
                pieces.append(" " * gap)
            else:
                pieces.append(move_cursor(at, (x, y)))
            pieces.append(text.replace(FILL, ""))
            at = _position_after(stroke, width)
    return "".join(pieces), Pen(at, ink)


def _with_blanks(strokes: Iterable[Stroke]) -> Iterator[Stroke]:
    """Join blanks with their neighbour, where that has the same background: a blank's text colour isn't seen."""
    last: Stroke | None = None
    for stroke in strokes:
        if last is not None and (last.x + len(last.text), last.y) == stroke[:2]:
            ink = _joint_ink(last, stroke)
            if ink is not None:
                last = Stroke(last.x, last.y, last.text + stroke.text, ink)
                continue
        if last is not None:
            yield last
        last = stroke
    if last is not None:
        yield last


def _joint_ink(left: Stroke, right: Stroke) -> Ink | None:
    """Return the ink in which both look as in their own; None if there is none."""
    if left.ink is right.ink:
        return left.ink
    ground = blank_ground(left.ink)
    if ground is None or ground != blank_ground(right.ink):
        return None
    return left.ink if right.text.isspace() else right.ink if left.text.isspace() else None


def _by_ink(strokes: Sequence[Stroke]) -> list[tuple[Ink, list[Stroke]]]:
    """Return the strokes of each ink, those of few strokes first; blanks with those that have their background."""
    groups: dict[Ink, list[Stroke]] = {}
    inks: dict[str, Ink] = {}
    for stroke in strokes:
        if not stroke.text.isspace():
            groups.setdefault(stroke.ink, [])
    for ink in groups:
        ground = blank_ground(ink)
        if ground is not None:
            inks.setdefault(ground, ink)
    for stroke in strokes:
        ink = stroke.ink
        if ink not in groups and stroke.text.isspace():
            ground = blank_ground(ink)
            if ground is not None:
                ink = inks.setdefault(ground, ink)
        groups.setdefault(ink, []).append(stroke)
    for group in groups.values():
        if 2 * sum(len(text) == 1 for _, _, text, _ in group) > len(group):
            group.sort(key=lambda stroke: stroke[:2])  # many columns between other cells
    return sorted(groups.items(), key=lambda group: len(group[1]))


def _cheapest_order(strokes: Sequence[Stroke], pen: Pen, width: int, own: bool) -> Iterator[Stroke]:
    """Return `strokes` ordered so that each is near the one before, in place and ink."""
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
        gap = stroke.x - at[0]
        if 0 < gap <= _MOVE_COST and stroke.y == at[1] and _covers((*left, *strokes[end:]), at, gap):
            stroke = Stroke(*at, " " * gap + stroke.text, stroke.ink)
        at, ink = _position_after(stroke, width), stroke.ink
        yield stroke
    yield from strokes[end:]


def _covers(strokes: Iterable[Stroke], at: CellPosition, cells: int) -> bool:
    """Return whether `strokes` will cover the next `cells` cells from `at` on."""
    x, y = at
    overlaps = (
        min(left + len(text), x + cells) - max(left, x) for left, line, text, _ in strokes if line == y
    )
    return sum(overlap for overlap in overlaps if overlap > 0) == cells


def _position_after(stroke: Stroke, width: int) -> CellPosition:
    """Return the cursor position after `stroke`; past the last column terminals differ."""
    x = stroke.x + len(stroke.text)
    return (x, stroke.y) if x < width else UNKNOWN_POSITION


InkLookup = Callable[[str], Ink]

_MIN_SCROLL_ROWS: Final = 4
"""Fewer rows are repainted: most of their cells often stay."""
_MOVE_COST: Final = 3
"""Up to this many cells, writing them takes no more bytes than moving over them."""


def difference(
    old: Frame | None, new: Frame, ink_of: InkLookup, pen: Pen = UNKNOWN_PEN, *, own: bool = False
) -> tuple[str, Pen]:
    """Return what turns a terminal that shows `old` (None: unknown) to `new`, and its pen then.

    `own`: no other terminal shows `new` (see `write_strokes`). The terminal doesn't wrap lines.
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
    """Return the rows that differ. Most equal rows are the very same object."""
    pairs = enumerate(zip(there, wanted, strict=True))
    return [y for y, (before, row) in pairs if before is not row and before != row]


def _scroll(there: list[Row | None], wanted: Sequence[Row]) -> str:
    """Scroll rows that only moved up or down by one, as in a scrolled list; `there` is updated."""
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
            # Inside a scroll region; a line feed in its last row, or a reverse one in its first, moves it.
            feed = "\n" if step > 0 else "\x1bM"
            return f"\x1b[{top + 1};{bottom}r\x1b[{edge + 1}H{feed}\x1b[r"
    return ""


def _longest_run(flags: Iterable[bool]) -> tuple[int, int]:
    """Return the longest stretch of true flags: (first, after the last)."""
    best, start = (0, 0), 0
    for at, flag in enumerate(flags):
        if not flag:
            start = at + 1
        elif at + 1 - start > best[1] - best[0]:
            best = (start, at + 1)
    return best


def _changed(y: int, old: Row | None, new: Row, ink_of: InkLookup) -> Iterator[Stroke]:
    """Return the strokes that change row `y`, joined where that is cheaper."""
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
    """Return how many runs are equal at the left, and how many of the rest at the right."""
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
    """Return the stretches of a run that differ from the cells `before`: (first cell, cell after the last).

    Equal cells between are included where stepping over them would cost more.
    """
    start = end = -1
    for at, (char, (there, its_ink)) in enumerate(zip(text, before, strict=True)):
        if there == char and its_ink is ink:
            continue
        if start >= 0 and at - end > _MOVE_COST:
            yield start, end
            start = -1
        if start < 0:
            # A wide letter can only be written whole; both halves are in one run.
            start = at - (char == FILL)
        end = at + 1 + (text[at + 1 : at + 2] == FILL)
    if start >= 0:
        yield start, end
