"""The base of an app that may share its process with hundreds of others, or have a terminal of its own."""

import io
import os
from collections.abc import Sequence
from typing import ClassVar

from rich.console import Console
from textual.app import ReturnType
from textual.driver import Driver
from textual.filter import LineFilter

from cartino_tui.driver.depth import FILTERS, Depth, depth_of
from cartino_tui.driver.inside import CrashApp


class SessionApp(CrashApp[ReturnType]):
    """An app that takes nothing from the process's environment but what it is told of its own terminal.

    Without `depth` it asks the environment (TERM, COLORTERM, NO_COLOR): right for the process's own terminal.
    Without `driver_class` it has Textual's driver for this machine. When it has crashed, `crash` says why.
    """

    ENABLE_COMMAND_PALETTE: ClassVar[bool] = False

    def __init__(self, *, depth: Depth | None = None, driver_class: type[Driver] | None = None) -> None:
        """An app for a terminal of `depth`, on `driver_class`."""
        super().__init__(driver_class=driver_class)
        self.session_depth: Depth = depth or depth_of(os.environ.get("TERM", ""), os.environ)
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

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Only the filter for the session's depth, none where all colours are shown."""
        found = FILTERS[self.session_depth]
        return (found,) if found.enabled else ()
