"""What a server's process is told from outside: to stop, to hurry, to read its settings again."""

import asyncio
import signal
from collections.abc import Callable


class Orders:
    """Waits for the system's signals. Construct it on a running event loop.

    SIGTERM and SIGINT set `stop`, a second one `hurry`; SIGHUP calls `reread`. `failure` is a sentence once there is
    a reason to stop that is nobody's wish.
    """

    def __init__(self) -> None:
        """Nothing was said yet."""
        self.stop = asyncio.Event()
        self.hurry = asyncio.Event()
        self.reread: Callable[[], object] = lambda: None
        self.failure = ""

    def listen(self) -> None:
        """Obey signals from now on."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.told_to_stop)
        loop.add_signal_handler(signal.SIGHUP, self.told_to_reread)

    def told_to_reread(self) -> None:
        """Read the settings again, by whatever does so now."""
        self.reread()

    def told_to_stop(self) -> None:
        """Stop; and when that was said before, at once."""
        if self.stop.is_set():
            self.hurry.set()
        self.stop.set()

    def fail(self, sentence: str) -> None:
        """Stop at once for the reason in `sentence`; the first one counts."""
        self.failure = self.failure or sentence
        self.stop.set()
        self.hurry.set()
