"""The base class of apps that share a process with others or have a terminal of their own."""

import io
import os
from collections.abc import Sequence
from typing import ClassVar, Self

from rich.console import Console
from textual import events, on
from textual.app import ReturnType
from textual.driver import Driver
from textual.filter import LineFilter

from cartino_tui.draw.theme import Deck, Ground, LookName, RoleSet, Theme, theme_of
from cartino_tui.preferences import Preferences
from cartino_tui.terminal.colour_depth import FILTERS, ColourDepth, colour_depth_of
from cartino_tui.terminal.drivers import ChannelDriver, LocalDriver
from cartino_tui.terminal.painter import Painter
from cartino_tui.terminal.probe import ResponseTime
from cartino_tui.terminal.textual_internals import PaintingApp
from cartino_tui.terminal.window import TerminalWindow


class SessionApp(PaintingApp[ReturnType]):
    """An app that takes nothing from the process's environment but what it is told of its own terminal.

    Without `depth` it asks the environment (TERM, COLORTERM, NO_COLOR): right for the process's own terminal.
    Without `driver_class` it has the driver for this machine's terminal. When it has crashed, `crash` says why.
    With `PAINTS` its screens are frames that a `Painter` sends, and Textual draws nothing, but where there is no
    terminal (tests, screenshots).
    """

    PAINTS: ClassVar[bool] = False
    is_slow: bool = False
    """Whether what only looks well when it comes at once had better be left out, as far as is known."""
    _painter: Painter | None = None

    ENABLE_COMMAND_PALETTE: ClassVar[bool] = False

    def __init__(
        self,
        *,
        depth: ColourDepth | None = None,
        driver_class: type[Driver] | None = None,
        ascii: bool = False,
        ground: Ground | None = None,
        roles: tuple[RoleSet, ...] = (),
    ) -> None:
        """An app for a terminal of `depth`, on `driver_class`; `ascii` where it shows no more than that.

        `ground`: the terminal's own, None where nobody knows. `roles`: those of the games that are drawn.
        """
        super().__init__(driver_class=driver_class or LocalDriver)
        self.session_ascii = ascii
        self.session_depth: ColourDepth = depth or colour_depth_of(os.environ.get("TERM", ""), os.environ)
        self.session_ground = ground
        self.session_roles = roles
        self.session_theme: Theme = self._theme(ground or "dark", deck="four")
        self.no_color = self.session_depth == "mono"
        self.animation_level = "none"
        # Always truecolor: the escape text of a style is shared by all apps (see `depth`).
        self.console = Console(
            color_system="truecolor",
            file=io.StringIO(),
            force_terminal=True,
            legacy_windows=False,
            highlight=False,
            emoji=False,
            safe_box=False,
            _environ={},
        )
        # What Textual would print after the end; `crash` has what matters of it.
        self.error_console = Console(file=io.StringIO(), markup=False, highlight=False, _environ={})

    @property
    def paints(self) -> bool:
        """Whether the app paints by itself."""
        return self.PAINTS and not self.is_headless

    @property
    def painter(self) -> Painter | None:
        """Who paints this app's frames; None where Textual draws them."""
        if self._painter is None and self.paints:
            self._painter = Painter(self.session_theme, self.session_depth, self._send, self._takes)
        return self._painter

    @property
    def window(self) -> TerminalWindow | None:
        """The window of this app's terminal; None where there is none."""
        terminal = self.terminal
        return terminal.window if isinstance(terminal, ChannelDriver | LocalDriver) else None

    def worked(self, seconds: float) -> None:
        """The app's own tasks have worked so many seconds; who shares the process with others is charged for it."""
        if isinstance(self.terminal, ChannelDriver):
            self.terminal.worked(seconds)

    @property
    def answer_time(self) -> ResponseTime | None:
        """How long the terminal takes to answer; None for the process's own."""
        terminal = self.terminal
        return terminal.answer_time if isinstance(terminal, ChannelDriver) else None

    def dress(self, wanted: Preferences) -> None:
        """Look as is `wanted` from now on; a screen that Textual draws does when it is drawn next."""
        self.session_theme = self._theme(wanted.look, deck=wanted.deck)
        if self._painter is not None:
            self._painter.dress(self.session_theme)

    def _theme(self, look: LookName, *, deck: Deck) -> Theme:
        if self.session_depth == "mono":
            # All that is left of a theme are its attributes, which all have alike.
            return theme_of("dark", roles=self.session_roles)
        return theme_of(
            look,
            deck=deck,
            sixteen=self.session_depth == "16",
            ground=self.session_ground or "dark",
            roles=self.session_roles,
        )

    def refresh(self, *, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Draw again, and send what a terminal that took nothing for a while has missed."""
        super().refresh(repaint=repaint, layout=layout, recompose=recompose)
        if self._painter is not None:
            self._painter.catch_up()
        return self

    @on(events.Resize)
    def _was_resized(self, event: events.Resize) -> None:
        """Trust nothing that is shown: the terminal may have had another size that no screen heard of.

        Nor will one hear of this size, if it is the one that the app has.
        """
        if self._painter is None:
            return
        if event.size == self.size:
            self._painter.repaint()
        else:
            self._painter.forget()

    @on(Driver.SignalResume)
    def _resumed(self) -> None:
        """Paint again on a terminal that somebody else had while the process was stopped (Ctrl-Z, `fg`)."""
        if self._painter is not None:
            self._painter.repaint()

    def _send(self, text: str) -> None:
        if self.terminal is not None:
            self.terminal.write(text)

    def _takes(self) -> bool:
        terminal = self.terminal
        return terminal is not None and not (isinstance(terminal, ChannelDriver) and terminal.holds)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Only the filter for the session's depth, none where all colours are shown."""
        found = FILTERS[self.session_depth]
        return (found,) if found.enabled else ()
