"""Show one frame of text as a whole screen.

`SheetScreen` is the Textual side of every screen. On a terminal the frame goes to the app's painter; where Textual
draws (tests, screenshots) it goes to a `Sheet`, the only widget, because a widget costs a task, a queue and ten
kilobytes a session. Only changed cells are repainted.
"""

from collections.abc import Iterator
from typing import Final

from rich.segment import Segment
from textual.app import ComposeResult
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame, Row
from cartino_tui.draw.theme import DARK, Theme
from cartino_tui.game_port.screen import Look
from cartino_tui.terminal.painter import Painter
from cartino_tui.terminal.probe import rounded_milliseconds
from cartino_tui.terminal.session_app import SessionApp
from cartino_tui.terminal.textual_internals import PaintedScreen
from cartino_tui.widgets.layout import draw_too_small, too_small

MERGE_GAP = 8
"""Changed cells this close are repainted in one piece: moving the terminal's cursor costs as many bytes."""


def changed_spans(old: Row, new: Row) -> Iterator[tuple[int, int]]:
    """Where two rows of the same width differ: (first cell, cell after the last), left to right."""
    before, after = _cells(old), _cells(new)
    start = end = -1
    for x, (one, other) in enumerate(zip(before, after, strict=True)):
        if one == other:
            continue
        if start >= 0 and x - end >= MERGE_GAP:
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
                regions += [Region(start, y, end - start, 1) for start, end in changed_spans(before, after)]
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


NO_FRAME: Final = Frame(0, 0, ())
"""What is seen of a screen that lies under another."""


class SheetScreen(PaintedScreen[None]):
    """The Textual side of every screen: size, what lies in front, when to draw. A subclass draws.

    Where its app paints by itself a `Painter` gets the frame, and elsewhere a `Sheet`: a widget is a task, a queue and
    some ten kilobytes, which a session that is painted has no use for.
    """

    AUTO_FOCUS = ""
    DEFAULT_CSS = "SheetScreen { background: #121212; overflow: hidden; }"

    def __init__(self, stage: AppContext) -> None:
        """A screen on `stage`."""
        super().__init__()
        self.stage = stage
        self.quiet = False
        """Whether to draw nothing: somebody only passes through here on the way to a table."""
        self._shown = NO_FRAME
        self._sheet: Sheet | None = None

    def draw(self, look: Look) -> Frame:
        """The frame for `look`, which is large enough; an empty one until a subclass draws."""
        return Canvas(look.width, look.height).frame()

    def over(self, frame: Frame, look: Look) -> Frame:
        """`frame` with what lies over it, on any size of terminal."""
        return frame

    @property
    def look(self) -> Look:
        """The size now, which characters may be used, and in which language."""
        wanted = self.stage.preferences
        size = self.size
        return Look(size.width, size.height, wanted.ascii, wanted.translator, wanted.letters, wanted.keymap)

    @property
    def is_private(self) -> bool:
        """Whether nobody else is ever shown the same frame."""
        return False

    @property
    def in_front(self) -> bool:
        """Whether this is the screen that is seen."""
        # Not `is_current`: that also holds for a screen that is still drawn under the one in front.
        return self.app.screen is self

    @property
    def shown(self) -> Frame:
        """The frame that is seen now."""
        return self._shown

    @property
    def link_time(self) -> str:
        """How long the line to the person's terminal takes there and back, "" where nobody knows."""
        found = self.app.answer_time if isinstance(self.app, SessionApp) else None
        if found is None or found.seconds is None:
            return ""
        return self.look.translator.gettext("{n} ms", n=rounded_milliseconds(found.seconds))

    def redraw(self) -> None:
        """Draw what there is to see now; a screen that others lie over waits until it is in front again."""
        look = self.look
        if self.quiet or not (self.is_mounted and look.width and look.height and self.in_front):
            return
        if self._painter is not None and self._painter.waits(self.redraw):
            return
        self._shown = self.over(draw_too_small(look) if too_small(look) else self.draw(look), look)
        if self._painter is not None:
            self._painter.show(self._shown, own=self.is_private)
        elif self._sheet is not None:
            if isinstance(self.app, SessionApp):
                self._sheet.dress(self.app.session_theme)
            self._sheet.show(self._shown)

    def repaint(self) -> None:
        """Send every cell again, for a terminal whose picture was disturbed."""
        if self._painter is not None:
            self._painter.repaint()
        elif self._sheet is not None:
            self._sheet.refresh()

    def mark_dirty(self) -> None:
        """The picture may be disturbed: what is shown next is sent whole."""
        if self._painter is not None:
            self._painter.forget()

    @property
    def _painter(self) -> Painter | None:
        app = self.app
        return app.painter if isinstance(app, SessionApp) else None

    # What Textual calls.

    def compose(self) -> ComposeResult:
        """The sheet that all is drawn on, where Textual draws."""
        if not self.is_painted:
            self._sheet = Sheet()
            yield self._sheet

    def on_mount(self) -> None:
        """Draw for the first time."""
        self.redraw()

    def on_resize(self) -> None:
        """Draw for the new size."""
        self.redraw()

    def on_screen_resume(self) -> None:
        """With a new screen on its way, the time that the line takes is measured, too, if that was long ago."""
        found = self.app.answer_time if isinstance(self.app, SessionApp) else None
        if found is not None:
            found.ask()

    def on_screen_suspend(self) -> None:
        """Another screen lies over this one now."""
        self._shown = NO_FRAME
        if self._sheet is not None:
            self._sheet.forget()
