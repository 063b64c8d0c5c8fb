"""Textual's driver for the process's own terminal, where an app paints on it by itself."""

import os
from typing import Any, Final

from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

from cartino_tui.driver.window import Window

RESET: Final = "\x1b[m"


class OwnDriver(LinuxDriver):
    """A driver that leaves the terminal writing as it did before: the painter lays its pen down where it was used."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        """A driver of `app` on this process's terminal."""
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self.window = Window(os.environ.get("TERM", ""), self.write)
        self._title = ""
        """The title that the window had when the process was stopped."""

    def start_application_mode(self) -> None:
        """Take the terminal, for the first time or again."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self.window.entitle(self._title)

    def stop_application_mode(self) -> None:
        """Leave the terminal as it was, for good or while the process is stopped."""
        self._title = self.window.title
        self.window.entitle("")
        self.write(RESET)
        super().stop_application_mode()
