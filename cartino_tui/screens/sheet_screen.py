"""A screen that is one sheet over the whole terminal, drawn anew when what it shows changes."""

from typing import Final

from textual.app import ComposeResult

from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.driver.answer_time import in_milliseconds
from cartino_tui.driver.inside import PaintedScreen
from cartino_tui.driver.painter import Painter
from cartino_tui.driver.session_app import SessionApp
from cartino_tui.games.screen import Look
from cartino_tui.screens.parts import draw_too_small, too_small
from cartino_tui.stage import Stage
from cartino_tui.widgets.sheet import Sheet

NOTHING: Final = Frame(0, 0, ())
"""What is seen of a screen that lies under another."""


class SheetScreen(PaintedScreen[None]):
    """The Textual side of every screen: size, what lies in front, when to draw. A subclass draws.

    Where its app paints by itself a `Painter` gets the frame, and elsewhere a `Sheet`: a widget is a task, a queue and
    some ten kilobytes, which a session that is painted has no use for.
    """

    AUTO_FOCUS = ""
    DEFAULT_CSS = "SheetScreen { background: #121212; overflow: hidden; }"

    def __init__(self, stage: Stage) -> None:
        """A screen on `stage`."""
        super().__init__()
        self.stage = stage
        self.quiet = False
        """Whether to draw nothing: somebody only passes through here on the way to a table."""
        self._shown = NOTHING
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
        return Look(size.width, size.height, wanted.ascii, wanted.tongue, wanted.letters, wanted.keymap)

    @property
    def is_own(self) -> bool:
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
        return self.look.tongue.say("{n} ms", n=in_milliseconds(found.seconds))

    def redraw(self) -> None:
        """Draw what there is to see now; a screen that others lie over waits until it is in front again."""
        look = self.look
        if self.quiet or not (self.is_mounted and look.width and look.height and self.in_front):
            return
        if self._painter is not None and self._painter.waits(self.redraw):
            return
        self._shown = self.over(draw_too_small(look) if too_small(look) else self.draw(look), look)
        if self._painter is not None:
            self._painter.show(self._shown, own=self.is_own)
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

    def distrust(self) -> None:
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
        self._shown = NOTHING
        if self._sheet is not None:
            self._sheet.forget()
