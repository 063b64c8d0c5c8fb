"""Textual's driver for the process's own terminal, where an app paints on it by itself."""

from typing import Final

from textual.drivers.linux_driver import LinuxDriver

RESET: Final = "\x1b[m"


class OwnDriver(LinuxDriver):
    """A driver that leaves the terminal writing as it did before: the painter lays its pen down where it was used."""

    def stop_application_mode(self) -> None:
        """Leave the terminal as it was, for good or while the process is stopped."""
        self.write(RESET)
        super().stop_application_mode()
