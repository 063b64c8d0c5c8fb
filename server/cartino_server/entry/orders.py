"""What a server's process is told from outside: to stop, to hurry, to read its settings again."""

import asyncio
import signal
from collections.abc import Callable

from cartino_protocol.marking import NOTHING, Sentence
from cartino_server.entry.hangups import Hangups


class Orders:
    """Waits for the system's signals. Construct it on a running event loop.

    SIGTERM and SIGINT set `stop`, a second one `hurry`; SIGHUP is for whom `reread_with` names. `failure` is a
    sentence once there is a reason to stop that is nobody's wish.
    """

    def __init__(self, hangups: Hangups) -> None:
        """Nothing was said yet, but for what `hangups` know of."""
        self.stop = asyncio.Event()
        self.hurry = asyncio.Event()
        self.failure = NOTHING
        self._hangups = hangups
        self._reread: Callable[[], object] = hangups.note

    def listen(self) -> None:
        """Obey signals from now on."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.told_to_stop)
        loop.add_signal_handler(signal.SIGHUP, self.told_to_reread)

    def reread_with(self, reread: Callable[[], object]) -> None:
        """Obey hangups with `reread` from now on, at once if one came before."""
        self._reread = reread
        if self._hangups.waiting:
            reread()

    def told_to_reread(self) -> None:
        """Read the settings again, or remember to."""
        self._reread()

    def told_to_stop(self) -> None:
        """Stop; and when that was said before, at once."""
        if self.stop.is_set():
            self.hurry.set()
        self.stop.set()

    def fail(self, sentence: Sentence) -> None:
        """Stop at once for the reason in `sentence`; the first one counts."""
        self.failure = self.failure if self.failure.text else sentence
        self.stop.set()
        self.hurry.set()
