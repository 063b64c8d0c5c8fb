"""Shut the server down in order: warn, let play continue briefly, commit, close links, connections and stores.

Everything fits into the ten seconds that service managers allow.
"""

import asyncio
import os
from contextlib import suppress
from typing import Final, NoReturn, Protocol

import structlog

from cartino_protocol.text import EMPTY_MESSAGE, LazyMessage, lazy_gettext
from cartino_server.commands.console import FAILURE, err
from cartino_server.operations.log_output import close_queue
from cartino_server.operations.logs import flush_summaries
from cartino_server.ssh.connections import CLOSE_TIMEOUT
from cartino_server.store.port import JournalClosed

RESTART_MESSAGE: Final = lazy_gettext("Back in a moment, your seat is kept: connect again the same way.")
SHUTDOWN_SECONDS: Final = 9.5
"""Seconds for all of it; service managers begin to kill after ten."""
STORES_SECONDS: Final = 1.0
"""Seconds of these in which, at the end, the bots' processes and the journal are put away."""
WORKER_EXIT_SECONDS: Final = 1.0
"""Seconds that worker processes have to end themselves when they have closed all connections."""
LOG_FLUSH_SECONDS: Final = 0.4
"""Seconds that log lines have to go out when the process has to end at once."""
COMMIT_SECONDS: Final = 2.0
"""Seconds that tables have to write their last state."""
APP_EXIT_SECONDS: Final = 3.0
"""Seconds that apps have to take leave by themselves once the house has closed."""

_log = structlog.get_logger(__name__)


class ClosableServer(Protocol):
    """A house that can be closed; see `rooms.house.House`."""

    def warn(self) -> None:
        """Tell everybody."""

    async def close(self) -> None:
        """End commits, then links."""


class AsyncClosable(Protocol):
    """What is put away when the house has closed: the mind of its bots, its journal, its register."""

    async def close(self) -> None:
        """End it."""


class ClosableListener(Protocol):
    """A door that can be shut, and then closed; see `ssh.listener.Door`."""

    @property
    def is_used(self) -> bool:
        """Whether somebody is in."""

    def shut(self) -> None:
        """Let nobody in any more."""

    async def close(self, farewell: LazyMessage = EMPTY_MESSAGE, patience: float = 0) -> None:
        """End what is left."""


async def close_server(
    house: ClosableServer, door: ClosableListener, grace: float, hurry: asyncio.Event
) -> bool:
    """Close `house` and `door`, with `grace` seconds of play for who is in unless `hurry` is set.

    It takes at most WITHIN - REST_WAIT seconds in all. Whether every table wrote its last state.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + SHUTDOWN_SECONDS - STORES_SECONDS
    _log.info("closing")
    door.shut()
    if door.is_used and not hurry.is_set():
        house.warn()
        await _wait_or_hurry(hurry, grace)
    saved = await _close_tables(house)
    left = end - loop.time() - CLOSE_TIMEOUT - WORKER_EXIT_SECONDS
    await door.close(RESTART_MESSAGE, max(0.0, min(APP_EXIT_SECONDS, left)))
    _log.info("closed")
    flush_summaries()
    return saved


async def close_stores(mind: AsyncClosable, *stores: AsyncClosable) -> bool:
    """End the bots' processes and what is kept on disk, within REST_WAIT seconds. Whether all `stores` have ended."""
    ends = [asyncio.create_task(each.close()) for each in (mind, *stores)]
    ended, _ = await asyncio.wait(ends, timeout=STORES_SECONDS)
    for end in ended:
        with suppress(JournalClosed):
            end.result()
    if ends[0] not in ended:
        # They were killed, and their pipes end with us.
        _log.warning("the processes of bots take too long to end")
    return ended.issuperset(ends[1:])


def exit_now(sentence: LazyMessage) -> NoReturn:
    """End the process with `sentence` and exit code 1, whatever its threads still wait for."""
    # There is no more time than this, where the disk has taken the rest.
    close_queue(LOG_FLUSH_SECONDS)
    # Nor does it live on where nobody can be told.
    with suppress(OSError, ValueError):
        err(sentence)
    os._exit(FAILURE)


async def _wait_or_hurry(hurry: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await hurry.wait()
    except TimeoutError:
        return


async def _close_tables(house: ClosableServer) -> bool:
    try:
        async with asyncio.timeout(COMMIT_SECONDS):
            await house.close()
    except TimeoutError:
        _log.error("the journal takes too long; the last moves of some tables were never confirmed")
        return False
    return True
