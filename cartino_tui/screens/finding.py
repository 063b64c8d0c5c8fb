"""Where words stand in lines of text, across the ends of lines too; capitals and accents make no difference."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from cartino_tui.draw.text import plain

_NOWHERE: Final = -1
"""The cell of the blank that the end of a line is."""


class Span(NamedTuple):
    """Cells of a line in which something was found."""

    line: int
    x: int
    width: int


Hit = tuple[Span, ...]
"""A place where the words stand: a span, or one a line where they are broken."""


def hits(lines: Sequence[str], sought: str) -> tuple[Hit, ...]:
    """Every place in `lines` where `sought` stands, in order; none for nothing.

    Blanks are one blank, and so is the end of a line.
    """
    wanted = folded(" ".join(sought.split()))
    if not wanted:
        return ()
    text, cells = _flat(lines)
    found: list[Hit] = []
    start = text.find(wanted)
    while start >= 0:
        found.append(_spans(cells[start : start + len(wanted)]))
        start = text.find(wanted, start + len(wanted))
    return tuple(found)


def first_from(found: Sequence[Hit], line: int) -> int:
    """The number of the first hit in or below `line`; of the first one of all where there is none."""
    return next((number for number, hit in enumerate(found) if hit[0].line >= line), 0)


def _flat(lines: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """All of `lines` as one text, and for each of its characters the line and the cell where it stands."""
    chars: list[str] = []
    cells: list[tuple[int, int]] = []
    for number, line in enumerate(lines):
        for x, char in enumerate(folded(line)):
            if char != " " or (chars and chars[-1] != " "):
                chars.append(char)
                cells.append((number, x))
        if chars and chars[-1] != " ":
            chars.append(" ")
            cells.append((number, _NOWHERE))
    return "".join(chars), cells


def _spans(cells: Sequence[tuple[int, int]]) -> Hit:
    of_line: dict[int, list[int]] = {}
    for line, x in cells:
        if x != _NOWHERE:
            of_line.setdefault(line, []).append(x)
    return tuple(Span(line, xs[0], xs[-1] - xs[0] + 1) for line, xs in of_line.items())


def folded(text: str) -> str:
    """`text` without capitals and accents, as many characters as before."""
    return "".join((plain(char).casefold() or " ")[:1] for char in text)
