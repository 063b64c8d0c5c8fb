"""Shut the server down in order: warn, let play continue briefly, commit, close links, connections and stores.

Everything fits into the ten seconds that service managers allow.
"""

import asyncio
import os
from contextlib import suppress
from typing import Final, NoReturn, Protocol

import structlog

from cartino_protocol.exit_status import FAILURE
from cartino_protocol.text import EMPTY_MESSAGE, LazyMessage, lazy_gettext
from cartino_server.commands.console import err
from cartino_server.operations.log_output import close_queue
from cartino_server.operations.logs import flush_summaries
from cartino_server.ssh.connections import CLOSE_TIMEOUT
from cartino_server.store.port import JournalClosed

RESTART_MESSAGE: Final = lazy_gettext("Server restarting; your seat is kept. Connect again the same way.")
SHUTDOWN_SECONDS: Final = 9.5
"""Seconds for all of it; service managers begin to kill after ten."""
STORES_SECONDS: Final = 1.0
"""Seconds of these for closing the bot processes and the journal."""
WORKER_EXIT_SECONDS: Final = 1.0
"""Seconds that workers have to end when they have closed all connections."""
LOG_FLUSH_SECONDS: Final = 0.4
"""Seconds to write log lines when the process has to end at once."""
COMMIT_SECONDS: Final = 2.0
"""Seconds that tables have to write their last state."""
APP_EXIT_SECONDS: Final = 3.0
"""Seconds that apps have to say goodbye once the server has closed."""

_log = structlog.get_logger(__name__)


class ClosableServer(Protocol):
    """A `Server`, as far as it is closed here."""

    def warn(self) -> None:
        """Warn everybody online."""

    async def close(self) -> None:
        """Commit, then end links."""


class AsyncClosable(Protocol):
    """What is closed after the server: bot processes, journal, people database."""

    async def close(self) -> None:
        """Close it."""


class ClosableListener(Protocol):
    """A `Listener`, as far as it is closed here."""

    @property
    def is_used(self) -> bool:
        """Whether anybody is connected."""

    def shut(self) -> None:
        """Accept no more connections."""

    async def close(self, farewell: LazyMessage = EMPTY_MESSAGE, time_limit: float = 0) -> None:
        """End the connections."""


async def close_server(
    server: ClosableServer, listener: ClosableListener, grace: float, hurry: asyncio.Event
) -> bool:
    """Close `server` and `listener` after `grace` seconds of play unless `hurry` is set.

    It takes at most SHUTDOWN_SECONDS - STORES_SECONDS. Returns whether every table wrote its last state.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + SHUTDOWN_SECONDS - STORES_SECONDS
    _log.info("closing")
    listener.shut()
    if listener.is_used and not hurry.is_set():
        server.warn()
        with suppress(TimeoutError):
            async with asyncio.timeout(grace):
                await hurry.wait()
    saved = await _close_tables(server)
    left = end - loop.time() - CLOSE_TIMEOUT - WORKER_EXIT_SECONDS
    await listener.close(RESTART_MESSAGE, max(0.0, min(APP_EXIT_SECONDS, left)))
    _log.info("closed")
    flush_summaries()
    return saved


async def close_stores(bots: AsyncClosable, *stores: AsyncClosable) -> bool:
    """Close the bot processes and `stores` within STORES_SECONDS; return whether all `stores` have closed."""
    ends = [asyncio.create_task(each.close()) for each in (bots, *stores)]
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
    close_queue(LOG_FLUSH_SECONDS)
    # There may be no stderr.
    with suppress(OSError, ValueError):
        err(sentence)
    os._exit(FAILURE)


async def _close_tables(server: ClosableServer) -> bool:
    try:
        async with asyncio.timeout(COMMIT_SECONDS):
            await server.close()
    except TimeoutError:
        _log.error("the journal takes too long; the last moves of some tables were never confirmed")
        return False
    return True
