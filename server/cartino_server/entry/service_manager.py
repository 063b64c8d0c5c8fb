"""What the service manager that started a house is told: that it is ready, that its loop lives, that it ends.

That is systemd's protocol, see sd_notify(3): a datagram of `NAME=value` lines to the socket that it names. Where
nobody asks, nothing is said, and no timer runs.
"""

import asyncio
import faulthandler
import os
import socket
import sys
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from typing import Final

import structlog

FIRST_WORD: Final = 5.0
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
            self._socket.settimeout(FIRST_WORD)
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


def manager_in(environ: MutableMapping[str, str], pid: int) -> ServiceManager:
    """Whom `environ` names to the process `pid`. It is taken out of there: no process that we start speaks for us."""
    address = environ.pop("NOTIFY_SOCKET", "")
    microseconds = environ.pop("WATCHDOG_USEC", "")
    watched = environ.pop("WATCHDOG_PID", "") or str(pid)
    if not address.startswith(("/", "@")):
        return ServiceManager()
    is_ours = watched == str(pid) and microseconds.isascii() and microseconds.isdecimal()
    return ServiceManager(address, int(microseconds) / 1_000_000 if is_ours else 0.0)


def own_manager() -> ServiceManager:
    """This process's. One that gives up whoever hangs ends it with SIGABRT: then stderr has where each thread was."""
    manager = manager_in(os.environ, os.getpid())
    if manager.watches:
        # There may be no stderr.
        with suppress(RuntimeError, OSError, ValueError, AttributeError):
            faulthandler.enable(sys.stderr)
    return manager
