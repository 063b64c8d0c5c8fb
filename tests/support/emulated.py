"""A terminal emulator fed by hand, and what it ought to show of a frame."""

import re
from collections.abc import Sequence
from functools import lru_cache

import pyte
from pyte.screens import Char

from cartino_tui.draw.ansi import Ink, style_change
from cartino_tui.draw.canvas import Frame
from cartino_tui.draw.diff import InkLookup
from cartino_tui.draw.text import FILL

_RGB = re.compile("[0-9a-f]{6}").fullmatch


class _Strict(pyte.Screen):
    """A screen that fails where a frame's text runs over the end of a line, unless it is made `lenient`."""

    lenient = False

    def draw(self, data: str) -> None:
        assert self.lenient or self.cursor.x + len(data) <= self.columns, (
            f"{data!r} runs over the end of line {self.cursor.y}"
        )
        super().draw(data)


class Emulated:
    """A terminal of `width` by `height` cells that doesn't wrap its lines, as ours are told not to."""

    def __init__(self, width: int, height: int) -> None:
        self._screen = _Strict(width, height)
        self._stream = pyte.ByteStream(self._screen)
        self._stream.feed(b"\x1b[?7l")
        self.sizes: list[int] = []
        """How many bytes each sending had."""

    def send(self, text: str) -> None:
        data = text.encode()
        self.sizes.append(len(data))
        self._stream.feed(data)

    def resize(self, width: int, height: int) -> None:
        self._screen.resize(height, width)

    def is_lenient(self, lenient: bool) -> None:
        """Take text for a wider terminal too, as one must who was resized and hasn't been heard of yet."""
        self._screen.lenient = lenient

    @property
    def display(self) -> list[str]:
        """The characters alone."""
        return [str(line) for line in self._screen.display]

    def rows(self) -> list[list[Char]]:
        """Every cell as it is seen."""
        return [[_seen(line[x]) for x in range(self._screen.columns)] for line in self._lines()]

    def _lines(self) -> list[dict[int, Char]]:
        return [self._screen.buffer[y] for y in range(self._screen.lines)]


def _seen(cell: Char) -> Char:
    """The cell, or of a blank its background alone: in which colour it was written isn't seen.

    A reversed one of the sixteen colours stays as it is: bold may change it.
    """
    named = cell.reverse and not _RGB(cell.fg)
    if cell.data != " " or cell.underscore or cell.strikethrough or named:
        return cell
    return Char(" ", bg=cell.fg if cell.reverse else cell.bg)


def rows_of(frame: Frame, ink_of: InkLookup) -> list[list[Char]]:
    """The cells of a terminal that shows `frame`, however it came to that."""
    return [[cell for text, role in row for cell in _cells(text, ink_of(role))] for row in frame.rows]


@lru_cache(maxsize=4096)
def _cells(text: str, ink: Ink) -> Sequence[Char]:
    like = _like(ink)
    # What has two cells stands in the first, and the second is empty.
    return [_seen(like._replace(data="" if char == FILL else char)) for char in text]


@lru_cache(maxsize=4096)
def _like(ink: Ink) -> Char:
    """A cell written in `ink` by a terminal of which nothing was known."""
    alone = Emulated(1, 1)
    alone.send(f"{style_change(None, ink)}x")
    return alone.rows()[0][0]
