"""The base class of all apps, on a channel or on the process's own terminal."""

import io
import os
from typing import ClassVar, Self

from rich.console import Console
from textual import events, on
from textual.app import ReturnType
from textual.driver import Driver

from cartino_tui.draw.theme import Deck, Ground, LookName, RoleSet, Theme, theme_of
from cartino_tui.preferences import Preferences
from cartino_tui.terminal.colour_depth import ColourDepth, colour_depth_of
from cartino_tui.terminal.drivers import ChannelDriver, LocalDriver
from cartino_tui.terminal.painter import Painter
from cartino_tui.terminal.probe import ResponseTime
from cartino_tui.terminal.textual_internals import PaintingApp
from cartino_tui.terminal.window import TerminalWindow


class SessionApp(PaintingApp[ReturnType]):
    """An app that knows of its terminal only what it is told.

    Without `depth` it reads the environment (TERM, COLORTERM, NO_COLOR); without `driver_class` it uses this machine's
    terminal. A `Painter` sends its frames.
    """

    is_slow: bool = False
    """Whether to leave out animations, because output is slow."""
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
        """Create the app; `ascii`: no other characters can be shown.

        `ground`: the terminal's background, None if unknown. `roles`: those of the installed games.
        """
        self.session_ascii = ascii
        self.session_depth: ColourDepth = depth or colour_depth_of(os.environ.get("TERM", ""), os.environ)
        self.session_ground = ground
        self.session_roles = roles
        self.session_theme: Theme = self._theme(ground or "dark", deck="four")
        self.painter = Painter(self.session_theme, self.session_depth, self._send, self._takes)
        super().__init__(driver_class=driver_class or LocalDriver)
        self.animation_level = "none"
        # What Textual would print at the end; `crash` has it.
        self.error_console = Console(file=io.StringIO(), markup=False, highlight=False, _environ={})

    @property
    def window(self) -> TerminalWindow | None:
        """The window of this app's terminal, None without one."""
        terminal = self.terminal
        return terminal.window if isinstance(terminal, ChannelDriver | LocalDriver) else None

    def worked(self, seconds: float) -> None:
        """Charge `seconds` of the app's own tasks to its input."""
        if isinstance(self.terminal, ChannelDriver):
            self.terminal.worked(seconds)

    @property
    def answer_time(self) -> ResponseTime | None:
        """The terminal's response time; None for the process's own terminal."""
        terminal = self.terminal
        return terminal.answer_time if isinstance(terminal, ChannelDriver) else None

    def dress(self, wanted: Preferences) -> None:
        """Use the theme of `wanted`."""
        self.session_theme = self._theme(wanted.look, deck=wanted.deck)
        self.painter.dress(self.session_theme)

    def _theme(self, look: LookName, *, deck: Deck) -> Theme:
        if self.session_depth == "mono":
            # Only a theme's attributes are left, and all themes have the same.
            return theme_of("felt", roles=self.session_roles)
        return theme_of(
            look,
            deck=deck,
            depth=self.session_depth,
            ground=self.session_ground or "dark",
            roles=self.session_roles,
        )

    def refresh(self, *, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Draw again, and send what a stalled terminal has missed."""
        super().refresh(repaint=repaint, layout=layout, recompose=recompose)
        self.painter.catch_up()
        return self

    @on(events.Resize)
    def _was_resized(self, event: events.Resize) -> None:
        """Repaint: the terminal may have had another size in between that no screen heard of."""
        if event.size == self.size:
            self.painter.repaint()
        else:
            self.painter.forget()

    @on(Driver.SignalResume)
    def _resumed(self) -> None:
        """Repaint after the process was stopped (Ctrl-Z, `fg`)."""
        self.painter.repaint()

    def _send(self, text: str) -> None:
        if self.terminal is not None:
            self.terminal.write(text)

    def _takes(self) -> bool:
        terminal = self.terminal
        return terminal is not None and not (isinstance(terminal, ChannelDriver) and terminal.holds)
