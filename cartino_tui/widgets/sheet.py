"""The one widget that a screen is drawn on where Textual draws: tests, screenshots. It shows a `Frame`.

On a terminal there is none: the frame goes to the app's painter (see `driver.painter`).
"""

from collections.abc import Iterator

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from cartino_tui.draw.canvas import Frame, Row
from cartino_tui.draw.theme import DARK, Theme

GAP = 8
"""Changed cells this close are repainted in one piece: moving the terminal's cursor costs as many bytes."""


def changed(old: Row, new: Row) -> Iterator[tuple[int, int]]:
    """Where two rows of the same width differ: (first cell, cell after the last), left to right."""
    before, after = _cells(old), _cells(new)
    start = end = -1
    for x, (one, other) in enumerate(zip(before, after, strict=True)):
        if one == other:
            continue
        if start >= 0 and x - end >= GAP:
            yield start, end
            start = x
        elif start < 0:
            start = x
        end = x + 1
    if start >= 0:
        yield start, end


def _cells(row: Row) -> list[tuple[str, str]]:
    """The row's characters, each with its role."""
    return [(char, role) for text, role in row for char in text]


class Sheet(Widget):
    """A whole screen of characters. Mouse events bubble on with the cell as their x and y."""

    ALLOW_SELECT = False  # selecting text is the terminal's, and a double click here is a move
    DEFAULT_CSS = "Sheet { width: 100%; height: 100%; }"

    def __init__(self, theme: Theme = DARK, *, id: str | None = None) -> None:
        """An empty sheet that will look as `theme` says."""
        super().__init__(id=id)
        self.sheet_theme = theme
        self.shown = Frame(0, 0, ())
        self._strips: dict[int, Strip] = {}

    def show(self, frame: Frame) -> None:
        """Show `frame` from now on."""
        old, self.shown = self.shown, frame
        if (old.width, old.height) != (frame.width, frame.height):
            self._strips.clear()
            self.refresh()
            return
        regions: list[Region] = []
        for y, (before, after) in enumerate(zip(old.rows, frame.rows, strict=True)):
            if before != after:
                self._strips.pop(y, None)
                regions += [Region(start, y, end - start, 1) for start, end in changed(before, after)]
        if regions:
            self.refresh(*regions)

    def dress(self, theme: Theme) -> None:
        """Look as `theme` says from now on."""
        if theme is not self.sheet_theme:
            self.sheet_theme = theme
            self._strips.clear()
            self.refresh()

    def forget(self) -> None:
        """Nobody sees this sheet for now."""
        self.shown = Frame(0, 0, ())
        self._strips.clear()

    def render_line(self, y: int) -> Strip:
        """Row `y` of the frame; ground where the frame ends."""
        width = self.size.width
        strip = self._strips.get(y)
        if strip is None or strip.cell_length != width:
            ground = self.sheet_theme.style("ground")
            strip = (
                self._strip(self.shown.rows[y]).adjust_cell_length(width, ground)
                if y < self.shown.height
                else Strip.blank(width, ground)
            )
            self._strips[y] = strip
        return strip

    def _strip(self, row: Row) -> Strip:
        style = self.sheet_theme.style
        return Strip([Segment(text, style(role)) for text, role in row], self.shown.width)
