"""What is to be written on a terminal, piece by piece, and in which order that takes the fewest bytes."""

import sys
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from cartino_tui.draw.ink import Ink, change
from cartino_tui.draw.moving import NOWHERE, Place, move
from cartino_tui.draw.text import FILL

IN_SIGHT: Final = 16
"""Of so many strokes that come next in reading order, the cheapest is written next."""
MOST_ORDERED: Final = 64
"""More strokes are written as they come: much is new then, and the order saves little of it."""


class Stroke(NamedTuple):
    """Characters of one ink that stand side by side, from the cell (x, y) on."""

    x: int
    y: int
    text: str
    ink: Ink


class Pen(NamedTuple):
    """Where a terminal's cursor stands, and what it writes in; None where nobody knows."""

    at: Place
    ink: Ink | None


UNKNOWN: Final = Pen(NOWHERE, None)
"""The pen of a terminal that somebody else has written on."""


def written(strokes: Sequence[Stroke], pen: Pen, width: int, own: bool = False) -> tuple[str, Pen]:
    """What writes `strokes` on a terminal so many cells wide, and the pen afterwards.

    Where it isn't one's `own`, the pen afterwards is the same whatever `pen` is: the last stroke stays the last, and
    all who see the same share what is sent from there on. Where it is, a change of ink is saved.
    """
    pieces: list[str] = []
    at, ink = pen
    for stroke in strokes if len(strokes) > MOST_ORDERED else _ordered(strokes, pen, width, own):
        x, y, text, next_ink = stroke
        if (x, y) != at:
            pieces.append(move(at, (x, y)))
        if next_ink is not ink:
            pieces.append(change(ink, next_ink))
            ink = next_ink
        pieces.append(text.replace(FILL, ""))
        at = _after(stroke, width)
    return "".join(pieces), Pen(at, ink)


def _ordered(strokes: Sequence[Stroke], pen: Pen, width: int, own: bool) -> Iterator[Stroke]:
    """`strokes` in an order in which each is near the one before, in place and in ink."""
    end = len(strokes) if own else len(strokes) - 1
    left = list(strokes[:end])
    at, ink = pen
    while left:
        nearest, least = 0, sys.maxsize
        for number, stroke in enumerate(left[:IN_SIGHT]):
            cost = len(move(at, stroke[:2])) + len(change(ink, stroke.ink))
            if cost < least:
                nearest, least = number, cost
        stroke = left.pop(nearest)
        at, ink = _after(stroke, width), stroke.ink
        yield stroke
    yield from strokes[end:]


def _after(stroke: Stroke, width: int) -> Place:
    """Where the cursor stands when `stroke` is written; past the last column terminals disagree about that."""
    x = stroke.x + len(stroke.text)
    return (x, stroke.y) if x < width else NOWHERE
