"""Signals, the service manager (sd_notify) and garbage-collector tuning for server processes.

SIGTERM and SIGINT stop, as does the end of the window that the server runs in; a second signal skips the grace period.
SIGHUP reloads settings once the server listens. systemd is told READY, WATCHDOG and STOPPING; nothing is
sent when NOTIFY_SOCKET isn't set.
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
from cartino_tui.terminal.hangup import open_window, watch_terminal


class ProcessSignals:
    """Handles the system's signals.

    SIGTERM, SIGINT and the end of the server's window set `stop`, a second one `hurry`. `failure` says why the server
    stops if nobody asked for it.
    """

    def __init__(self) -> None:
        self.stop = asyncio.Event()
        self.hurry = asyncio.Event()
        self.failure = EMPTY_MESSAGE

    def listen(self, *, hangups_ignored: bool) -> None:
        """Handle signals from now on; `hangups_ignored`: the process was started so, as by nohup."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.request_stop)
        window = open_window(hangups_ignored=hangups_ignored)
        if window is not None:
            watch_terminal(lambda: loop.call_soon_threadsafe(self.request_stop), window)

    def on_reload(self, reread: Callable[[], object]) -> None:
        """Call `reread` on SIGHUP from now on."""
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, reread)

    def request_stop(self) -> None:
        """Stop; the second time, at once."""
        if self.stop.is_set():
            self.hurry.set()
        self.stop.set()

    def fail(self, sentence: LazyMessage) -> None:
        """Stop at once because of `sentence`; the first one counts."""
        self.failure = self.failure if self.failure.text else sentence
        self.stop.set()
        self.hurry.set()


READY_TIMEOUT: Final = 5.0
"""Seconds in which the manager must take READY; without it, it would end the server."""

_log = structlog.get_logger(__name__)


class ServiceManager:
    """Tells the service manager, if one started this process, how the server is."""

    def __init__(self, address: str = "", watchdog: float = 0.0) -> None:
        """Send to the socket `address`; "" for no manager, an abstract socket begins with @.

        The manager kills the process after `watchdog` seconds without a message; 0: never.
        """
        self.watches = bool(address) and watchdog > 0
        """Whether it expects messages regularly."""
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        self._every = watchdog / 2
        self._socket: socket.socket | None = None
        self._status: Callable[[], str] = str
        self._told = ""
        self._next: asyncio.TimerHandle | None = None

    def ready(self, status: Callable[[], str]) -> None:
        """Report that the server is ready, and from now on regularly that the running loop is alive.

        `status()` returns one short line in English, which is sent whenever it has changed.
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
        # Later messages never block; a missed one is repeated.
        self._socket.setblocking(False)
        if self.watches:
            self._live()

    def stopping(self) -> None:
        """Report that the server ends, and send nothing more."""
        if self._next is not None:
            self._next.cancel()
        self._say("STOPPING=1", "STATUS=closing")
        self._hang_up()

    def _live(self) -> None:
        # Whatever breaks in one status, the next message is due.
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
    """Return the manager that `environ` names to the process `pid`; take it out, so that children don't report."""
    address = environ.pop("NOTIFY_SOCKET", "")
    microseconds = environ.pop("WATCHDOG_USEC", "")
    watched = environ.pop("WATCHDOG_PID", "") or str(pid)
    if not address.startswith(("/", "@")):
        return ServiceManager()
    is_ours = watched == str(pid) and microseconds.isascii() and microseconds.isdecimal()
    return ServiceManager(address, int(microseconds) / 1_000_000 if is_ours else 0.0)


def find_service_manager() -> ServiceManager:
    """Return this process's manager. A watchdog ends the process with SIGABRT; print the threads' stacks then."""
    manager = manager_from_environment(os.environ, os.getpid())
    if manager.watches:
        # There may be no stderr.
        with suppress(RuntimeError, OSError, ValueError, AttributeError):
            faulthandler.enable(sys.stderr)
    return manager


def tune_garbage_collector() -> None:
    """Collect less often (about once in thirty sessions), and never what was there before the first.

    A full collection walks all sessions, and stops everything meanwhile.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 10, 5)
