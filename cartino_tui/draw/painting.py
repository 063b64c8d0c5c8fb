"""The difference between two frames as the few bytes that turn one picture on a terminal into the other."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from cartino_tui.draw.canvas import Frame, Row
from cartino_tui.draw.ink import PLAIN, Ink, change

InkOf = Callable[[str], Ink]
"""The ink of a role."""

_LEAST_SCROLL: Final = 4
"""Fewer rows are painted anew: most of a row's cells often stay."""
_RESET: Final = "\x1b[m"
_UNKNOWN: Final = (-1, -1)


def difference(old: Frame | None, new: Frame, ink_of: InkOf) -> str:
    """What to send to a terminal that shows `old` (None: nobody knows what) so that it shows `new`.

    The terminal writes in the plain ink before and after. Its lines don't wrap by themselves.
    """
    there: list[Row | None] = [None] * new.height
    moved = ""
    if old is not None and (old.width, old.height) == (new.width, new.height):
        there = list(old.rows)
        moved = _scroll(there, new.rows)
    brush = _Brush()
    for y, (before, row) in enumerate(zip(there, new.rows, strict=True)):
        if before is not row and before != row:
            _paint_row(brush, y, before, row, ink_of)
    return moved + brush.done()


def _scroll(there: list[Row | None], wanted: Sequence[Row]) -> str:
    """Let the terminal move rows that only went up or down by one, as a list does that is scrolled.

    `there` is what the terminal shows, and is brought up to date: nobody knows what comes in at the edge.
    """
    for step in (1, -1):
        first, last = _longest_run(
            0 <= y + step < len(wanted) and there[y + step] == row != there[y] for y, row in enumerate(wanted)
        )
        if last - first >= _LEAST_SCROLL:
            top, bottom = min(first, first + step), max(last, last + step)
            edge = bottom - 1 if step > 0 else top
            there[top:bottom] = (
                [*there[top + 1 : bottom], None] if step > 0 else [None, *there[top : bottom - 1]]
            )
            # Only inside these lines; a line feed at the lowest, or a reverse one at the highest, moves them.
            feed = "\x1bD" if step > 0 else "\x1bM"
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


def _paint_row(brush: "_Brush", y: int, old: Row | None, new: Row, ink_of: InkOf) -> None:
    x = 0
    if old is None:
        for text, role in new:
            brush.put(x, y, text, ink_of(role))
            x += len(text)
        return
    before = _cells(old, ink_of)
    for text, role in new:
        ink = ink_of(role)
        for first, last in _changed(before, text, ink, x):
            brush.put(first, y, text[first - x : last - x], ink)
        x += len(text)


def _cells(row: Row, ink_of: InkOf) -> list[tuple[str, Ink]]:
    return [(char, ink) for text, role in row for ink in (ink_of(role),) for char in text]


def _changed(before: list[tuple[str, Ink]], text: str, ink: Ink, x: int) -> Iterator[tuple[int, int]]:
    """The stretches of a run at `x` that differ from what is there: (first cell, cell after the last).

    Cells of the same run that stay are sent along where stepping over them would cost more.
    """
    start = end = -1
    for at, char in enumerate(text, start=x):
        if before[at] == (char, ink):
            continue
        if start >= 0 and at - end > _STEP_COST:
            yield start, end
            start = -1
        if start < 0:
            start = at
        end = at + 1
    if start >= 0:
        yield start, end


_STEP_COST: Final = 4


class _Brush:
    """Gathers what is sent, and knows where the terminal's cursor stands and what it writes in."""

    def __init__(self) -> None:
        self._at = _UNKNOWN
        self._ink = PLAIN
        self._pieces: list[str] = []

    def put(self, x: int, y: int, text: str, ink: Ink) -> None:
        if (x, y) != self._at:
            self._pieces.append(self._move(x, y))
        if ink != self._ink:
            self._pieces.append(change(self._ink, ink))
            self._ink = ink
        self._pieces.append(text)
        # Past the last column terminals disagree about where the cursor is; but no text begins there.
        self._at = (x + len(text), y)

    def done(self) -> str:
        if self._ink != PLAIN:
            self._pieces.append(_RESET)
        return "".join(self._pieces)

    def _move(self, x: int, y: int) -> str:
        at_x, at_y = self._at
        if at_y == y and x > at_x:
            step = x - at_x
            return "\x1b[C" if step == 1 else f"\x1b[{step}C"
        column = f";{x + 1}" if x else ""
        return f"\x1b[{y + 1}{column}H"
