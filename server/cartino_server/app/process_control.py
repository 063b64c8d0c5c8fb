"""Signals, the service manager (sd_notify) and garbage-collector tuning for server processes.

SIGTERM and SIGINT stop, a second one skips the grace period, SIGHUP reloads settings, even one that arrives during
start-up. systemd is told READY, WATCHDOG and STOPPING; nothing is sent when NOTIFY_SOCKET isn't set.
"""

import asyncio
import faulthandler
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from typing import Final

import structlog

from cartino_protocol.text import EMPTY_MESSAGE, LazyMessage


class EarlyHangup:
    """Whether there was a hangup that nobody has obeyed yet."""

    def __init__(self) -> None:
        """There was none."""
        self.waiting = False

    def listen(self) -> None:
        """From now on a hangup no longer ends the process, which the system would have it do."""
        signal.signal(signal.SIGHUP, lambda *_: self.note())

    def note(self) -> None:
        """There was one."""
        self.waiting = True


class ProcessSignals:
    """Waits for the system's signals. Construct it on a running event loop.

    SIGTERM and SIGINT set `stop`, a second one `hurry`; SIGHUP is for whom `on_reload` names. `failure` is a
    sentence once there is a reason to stop that is nobody's wish.
    """

    def __init__(self, hangups: EarlyHangup) -> None:
        """Nothing was said yet, but for what `hangups` know of."""
        self.stop = asyncio.Event()
        self.hurry = asyncio.Event()
        self.failure = EMPTY_MESSAGE
        self._hangups = hangups
        self._reread: Callable[[], object] = hangups.note

    def listen(self) -> None:
        """Obey signals from now on."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.request_stop)
        loop.add_signal_handler(signal.SIGHUP, self.request_reload)

    def on_reload(self, reread: Callable[[], object]) -> None:
        """Obey hangups with `reread` from now on, at once if one came before."""
        self._reread = reread
        if self._hangups.waiting:
            reread()

    def request_reload(self) -> None:
        """Read the settings again, or remember to."""
        self._reread()

    def request_stop(self) -> None:
        """Stop; and when that was said before, at once."""
        if self.stop.is_set():
            self.hurry.set()
        self.stop.set()

    def fail(self, sentence: LazyMessage) -> None:
        """Stop at once for the reason in `sentence`; the first one counts."""
        self.failure = self.failure if self.failure.text else sentence
        self.stop.set()
        self.hurry.set()


READY_TIMEOUT: Final = 5.0
"""Seconds in which the manager has to take that the house is ready: without that word it would end the house."""

_log = structlog.get_logger(__name__)


class ServiceManager:
    """The one that started this process, or nobody."""

    def __init__(self, address: str = "", watchdog: float = 0.0) -> None:
        """It listens at the socket `address`, "" for nobody, one that begins with @ being an abstract one.

        It gives the process up after `watchdog` seconds without a sign of life; 0: it waits for none.
        """
        self.watches = bool(address) and watchdog > 0
        """Whether it waits for signs of life."""
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        self._every = watchdog / 2
        self._socket: socket.socket | None = None
        self._status: Callable[[], str] = str
        self._told = ""
        self._next: asyncio.TimerHandle | None = None

    def ready(self, status: Callable[[], str]) -> None:
        """The house is open. From now on the running loop gives signs of life, where somebody waits for them.

        `status()` is one short line about the house, in English; with each sign it is told where it has changed.
        """
        if not self._address:
            return
        try:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self._socket.settimeout(READY_TIMEOUT)
            self._socket.connect(self._address)
        except (OSError, ValueError) as error:
            _log.warning("the service manager can't be told anything", why=str(error))
            self._hang_up()
            return
        self._status = status
        self._say("READY=1")
        self._say_status()
        # Later words hold nobody up: what the manager misses, it hears the next time.
        self._socket.setblocking(False)
        if self.watches:
            self._live()

    def stopping(self) -> None:
        """The house ends, and has its own time for that: there are no more signs of life."""
        if self._next is not None:
            self._next.cancel()
        self._say("STOPPING=1", "STATUS=closing")
        self._hang_up()

    def _live(self) -> None:
        # The loop itself has to come by here. Whatever breaks at one status, there is another sign.
        self._next = asyncio.get_running_loop().call_later(self._every, self._live)
        self._say("WATCHDOG=1")
        self._say_status()

    def _say_status(self) -> None:
        status = self._status()
        if status != self._told:
            self._told = status
            self._say(f"STATUS={status}")

    def _say(self, *lines: str) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.send("\n".join(lines).encode())

    def _hang_up(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def manager_from_environment(environ: MutableMapping[str, str], pid: int) -> ServiceManager:
    """Whom `environ` names to the process `pid`. It is taken out of there: no process that we start speaks for us."""
    address = environ.pop("NOTIFY_SOCKET", "")
    microseconds = environ.pop("WATCHDOG_USEC", "")
    watched = environ.pop("WATCHDOG_PID", "") or str(pid)
    if not address.startswith(("/", "@")):
        return ServiceManager()
    is_ours = watched == str(pid) and microseconds.isascii() and microseconds.isdecimal()
    return ServiceManager(address, int(microseconds) / 1_000_000 if is_ours else 0.0)


def find_service_manager() -> ServiceManager:
    """This process's. One that gives up whoever hangs ends it with SIGABRT: then stderr has where each thread was."""
    manager = manager_from_environment(os.environ, os.getpid())
    if manager.watches:
        # There may be no stderr.
        with suppress(RuntimeError, OSError, ValueError, AttributeError):
            faulthandler.enable(sys.stderr)
    return manager


def tune_garbage_collector() -> None:
    """Look for garbage less often (about once for thirty sessions), and never among what was there before the first.

    A full collection walks everything that every session holds, and stops everybody while it does.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 10, 5)
