"""The Textual side of every screen: when to draw a frame, and sending it to the app's painter.

The screens have no widgets: each widget costs a task, a queue and ten kilobytes a session.
"""

from typing import Final

from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.game_port.screen import Look
from cartino_tui.terminal.painter import Painter
from cartino_tui.terminal.probe import rounded_milliseconds
from cartino_tui.terminal.session_app import SessionApp
from cartino_tui.terminal.textual_internals import PaintedScreen
from cartino_tui.widgets.layout import draw_too_small, too_small

NO_FRAME: Final = Frame(0, 0, ())
"""What a screen under another one shows."""


class FrameScreen(PaintedScreen[None]):
    """A screen that is one frame of text; a subclass draws it."""

    AUTO_FOCUS = ""

    def __init__(self, context: AppContext) -> None:
        """Create the screen without drawing it."""
        super().__init__()
        self.context = context
        self.quiet = False
        """Whether to draw nothing: the visit only passes through on its way to a table."""
        self._shown = NO_FRAME
        self._look = Look(0, 0)
        self._look_made_from: tuple[object, ...] = ()

    def draw(self, look: Look) -> Frame:
        """Return the frame for `look`, which is large enough; blank unless overridden."""
        return Canvas(look.width, look.height).frame()

    def draw_overlay(self, frame: Frame, look: Look) -> Frame:
        """Return `frame` with any overlay on it; called for terminals of every size."""
        return frame

    @property
    def look(self) -> Look:
        """The current size, character set and language."""
        wanted = self.context.preferences
        width, height = self.app.size
        # A key asks ten times.
        made_from = width, height, wanted.settings, wanted.own_language, wanted.own_ascii
        if made_from != self._look_made_from:
            self._look = Look(width, height, wanted.ascii, wanted.translator, wanted.letters, wanted.keymap)
            self._look_made_from = made_from
        return self._look

    @property
    def is_private(self) -> bool:
        """Whether no other session ever shows the same frame, so caching it is useless."""
        return False

    @property
    def in_front(self) -> bool:
        """Whether this screen is on top of the stack."""
        # `is_current` also holds for a screen that is drawn under the top one.
        return self.app.screen is self

    @property
    def shown(self) -> Frame:
        """The frame shown now."""
        return self._shown

    @property
    def link_time(self) -> str:
        """The terminal's response time as text, "" where it is unknown."""
        found = self.app.answer_time if isinstance(self.app, SessionApp) else None
        if found is None or found.seconds is None:
            return ""
        return self.look.translator.gettext("{n} ms", n=rounded_milliseconds(found.seconds))

    def redraw(self) -> None:
        """Draw the current state; a covered screen does nothing until it is on top again."""
        look = self.look
        if self.quiet or not (self.is_mounted and look.width and look.height and self.in_front):
            return
        painter = self._painter
        if painter is not None and painter.waits(self.redraw):
            return
        self._shown = self.draw_overlay(draw_too_small(look) if too_small(look) else self.draw(look), look)
        if painter is not None:
            painter.show(self._shown, own=self.is_private)

    def repaint(self) -> None:
        """Send every cell again, for a terminal whose picture was disturbed."""
        if self._painter is not None:
            self._painter.repaint()

    @property
    def _painter(self) -> Painter | None:
        app = self.app
        return app.painter if isinstance(app, SessionApp) else None

    # Called by Textual.

    def on_mount(self) -> None:
        """Draw for the first time."""
        self.redraw()

    def on_resize(self) -> None:
        """Draw for the new size."""
        self.redraw()

    def on_screen_resume(self) -> None:
        """Measure the response time again, if the last measurement is old."""
        found = self.app.answer_time if isinstance(self.app, SessionApp) else None
        if found is not None:
            found.ask()

    def on_screen_suspend(self) -> None:
        """Forget the frame: another screen covers it."""
        self._shown = NO_FRAME
