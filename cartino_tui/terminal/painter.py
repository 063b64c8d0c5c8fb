"""Keep track of what a terminal shows, and send each new frame as a difference."""

from collections.abc import Callable
from typing import Final

from cartino_tui.draw.ansi import Ink, ink_of
from cartino_tui.draw.canvas import Frame, IdentityCache
from cartino_tui.draw.diff import UNKNOWN_PEN, Pen, difference
from cartino_tui.draw.theme import Theme
from cartino_tui.terminal.colour_depth import RESETS_ATTRIBUTES_SINGLY, ColourDepth, convert_style


class Painter:
    """Sends frames to one terminal. While it accepts no output, only the newest frame is kept."""

    def __init__(
        self, theme: Theme, depth: ColourDepth, send: Callable[[str], None], takes: Callable[[], bool]
    ) -> None:
        """Create a painter; `send` writes to the terminal, `takes` returns whether it accepts output."""
        self._inks = inks(theme, depth)
        self._depth = depth
        self._send = send
        self._takes = takes
        self._shown: Frame | None = None
        self._newest: Frame | None = None
        self._own = False
        self._draw: Callable[[], object] | None = None
        self._pen = UNKNOWN_PEN

    def waits(self, draw: Callable[[], object]) -> bool:
        """Return whether the terminal accepts no output; if so, call `draw` once it does."""
        takes = self._takes()
        self._draw = None if takes else draw
        return not takes

    def show(self, frame: Frame, *, own: bool = False) -> None:
        """Show `frame` as soon as the terminal accepts output; `own`: no other terminal shows it."""
        if self._newest is not None and self._newest[:2] != frame[:2]:
            self.forget()
        self._newest, self._own = frame, own
        self.catch_up()

    def catch_up(self) -> None:
        """Show the newest frame, if it isn't shown yet."""
        if (self._draw is None and self._newest is self._shown) or not self._takes():
            return
        if self._draw is not None:
            draw, self._draw = self._draw, None
            draw()
            return
        if self._newest is None:
            return
        step = self._shown, self._newest, self._inks, self._pen
        if self._own:
            text, self._pen = difference(*step, own=True)
        else:
            # Computed once for all who see the same frames with the same pen.
            text, self._pen = _differences.get(step[:3], self._pen, lambda: difference(*step))
        self._shown = self._newest
        if text:
            self._send(text)

    def dress(self, theme: Theme) -> None:
        """Switch to `theme` and repaint."""
        dressed = inks(theme, self._depth)
        if dressed is not self._inks:
            self._inks = dressed
            self.repaint()

    def repaint(self) -> None:
        """Send every cell again, after the picture was disturbed."""
        self.forget()
        self.catch_up()

    def forget(self) -> None:
        """Send the next frame whole: the terminal's content is unknown, for example after a resize."""
        self._shown = None
        self._pen = UNKNOWN_PEN


class Inks:
    """The escape codes of every role in one theme at one depth; shared by all painters and compared by identity."""

    def __init__(self, theme: Theme, depth: ColourDepth) -> None:
        self._theme = theme
        self._depth = depth
        self._known: dict[str, Ink] = {}

    def __call__(self, role: str) -> Ink:
        """Return the ink of `role`."""
        ink = self._known.get(role)
        if ink is None:
            ink = self._known[role] = ink_of(
                convert_style(self._theme.style(role), self._depth),
                singly=self._depth in RESETS_ATTRIBUTES_SINGLY,
            )
        return ink


_INKS: Final[dict[tuple[int, ColourDepth], Inks]] = {}


def inks(theme: Theme, depth: ColourDepth) -> Inks:
    """Return the shared inks of `theme` at `depth`."""
    found = _INKS.get((id(theme), depth))
    if found is None:
        found = _INKS[id(theme), depth] = Inks(theme, depth)
    return found


_differences: Final[IdentityCache[tuple[str, Pen]]] = IdentityCache(64)
"""Small: once all spectators have been sent a difference, nobody needs it again."""
