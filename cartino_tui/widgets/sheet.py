"""The one widget that every screen is drawn on: it shows a `Frame`.

Where its app paints on the terminal by itself (see `driver.painter`), the frame goes there and Textual draws nothing;
elsewhere, in tests and screenshots, Textual draws it by the Line API, only the cells that changed.
"""

from collections.abc import Iterator
from functools import lru_cache

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from cartino_tui.draw.canvas import Frame, Row
from cartino_tui.draw.theme import DARK, Theme
from cartino_tui.driver.painter import Painter
from cartino_tui.driver.session_app import SessionApp

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


@lru_cache(maxsize=512)
def _blank(width: int) -> Strip:
    return Strip.blank(width)


def blank_lines(crop: Region) -> list[Strip]:
    """As many empty lines as `crop` is high, the same ones for all who ask."""
    return [_blank(crop.width)] * crop.height


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
        painter = self._painter
        if painter is not None:
            painter.show(frame)
            return
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

    def repaint(self) -> None:
        """Send every cell again, for a terminal whose picture was disturbed."""
        painter = self._painter
        if painter is not None:
            painter.repaint()
        else:
            self.refresh()

    @property
    def _painter(self) -> Painter | None:
        app = self.app
        return app.painter if isinstance(app, SessionApp) else None

    def forget(self) -> None:
        """Nobody sees this sheet for now."""
        self.shown = Frame(0, 0, ())
        self._strips.clear()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows in `crop`; where Textual doesn't draw, nothing that would be kept for every session."""
        return super().render_lines(crop) if self._painter is None else blank_lines(crop)

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
