"""Keep track of what a terminal shows, and send each new frame as a difference."""

from collections.abc import Callable
from typing import Final

from cartino_tui.draw.ansi import Ink, ink_of
from cartino_tui.draw.cache import IdentityCache
from cartino_tui.draw.canvas import Frame
from cartino_tui.draw.diff import UNKNOWN_PEN, Pen, difference
from cartino_tui.draw.theme import Theme
from cartino_tui.terminal.colour_depth import RESETS_ATTRIBUTES_SINGLY, ColourDepth, convert_style


class Painter:
    """One terminal's picture. Frames that come while it takes nothing are skipped, but for the newest."""

    def __init__(
        self, theme: Theme, depth: ColourDepth, send: Callable[[str], None], takes: Callable[[], bool]
    ) -> None:
        """Paint in `theme` for a terminal of `depth`: `send` writes to it, `takes` is whether it can be written to."""
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
        """Return whether the terminal accepts no output; if so, skip drawing now and call `draw` once it does."""
        takes = self._takes()
        self._draw = None if takes else draw
        return not takes

    def show(self, frame: Frame, *, own: bool = False) -> None:
        """Make the terminal show `frame`, now or as soon as it takes anything; `own`: no other terminal shows it."""
        if self._newest is not None and self._newest[:2] != frame[:2]:
            self.forget()
        self._newest, self._own = frame, own
        self.catch_up()

    def catch_up(self) -> None:
        """Show the newest frame, if it isn't shown yet."""
        if not self._takes():
            return
        if self._draw is not None:
            draw, self._draw = self._draw, None
            draw()
            return
        if self._newest is None or self._newest is self._shown:
            return
        step = self._shown, self._newest, self._inks, self._pen
        text, self._pen = difference(*step, own=True) if self._own else _shared_difference(*step)
        self._shown = self._newest
        if text:
            self._send(text)

    def dress(self, theme: Theme) -> None:
        """Paint in `theme` from now on, and what is shown already."""
        dressed = inks(theme, self._depth)
        if dressed is not self._inks:
            self._inks = dressed
            self.repaint()

    def repaint(self) -> None:
        """Somebody disturbed the picture: send every cell of it."""
        self.forget()
        self.catch_up()

    def forget(self) -> None:
        """Nobody knows any more what the terminal shows: it has another size, or had one for a moment.

        What is shown next is sent whole.
        """
        self._shown = None
        self._pen = UNKNOWN_PEN


class Inks:
    """The ink of every role in one theme at one depth. Equal only to itself: all painters of a look share one."""

    def __init__(self, theme: Theme, depth: ColourDepth) -> None:
        """The inks of `theme` at `depth`, worked out when they are first asked for."""
        self._theme = theme
        self._depth = depth
        self._known: dict[str, Ink] = {}

    def __call__(self, role: str) -> Ink:
        """The ink of `role`."""
        ink = self._known.get(role)
        if ink is None:
            ink = self._known[role] = ink_of(
                convert_style(self._theme.style(role), self._depth),
                singly=self._depth in RESETS_ATTRIBUTES_SINGLY,
            )
        return ink


_INKS: Final[dict[tuple[int, ColourDepth], Inks]] = {}


def inks(theme: Theme, depth: ColourDepth) -> Inks:
    """The inks that every painter of `theme` at `depth` shares."""
    found = _INKS.get((id(theme), depth))
    if found is None:
        found = _INKS[id(theme), depth] = Inks(theme, depth)
    return found


_differences: Final[IdentityCache[tuple[str, Pen]]] = IdentityCache(64)
"""Nobody asks again once all who look on have been sent it: these are of frames that are on their way now."""


def _shared_difference(old: Frame | None, new: Frame, ink: Inks, pen: Pen) -> tuple[str, Pen]:
    """The difference, worked out once for all who see the same frame after the same one, with the same pen."""
    return _differences.get((old, new, ink), pen, lambda: difference(old, new, ink, pen))
