"""How a server ends: everybody is warned, play goes on for a moment, then commits end, links, the door, the rest."""

import asyncio
import os
from contextlib import suppress
from typing import Final, NoReturn, Protocol

import structlog

from cartino_protocol.marking import NOTHING, Sentence, later
from cartino_server.entry.errors import FAILURE
from cartino_server.entry.log_stream import wait_no_more
from cartino_server.entry.logs import tell_sums
from cartino_server.entry.speaking import err, own_tongue
from cartino_server.ssh.connections import CLOSE_TIMEOUT
from cartino_server.store.port import JournalDead

FAREWELL: Final = later("Back in a moment, your seat is kept: connect again the same way.")
WITHIN: Final = 9.5
"""Seconds for all of it; service managers begin to kill after ten."""
REST_WAIT: Final = 1.0
"""Seconds of these in which, at the end, the bots' processes and the journal are put away."""
EXIT_WAIT: Final = 1.0
"""Seconds that worker processes have to end themselves when they have closed all connections."""
LAST_LINES: Final = 0.4
"""Seconds that log lines have to go out when the process has to end at once."""
COMMITS_WAIT: Final = 2.0
"""Seconds that tables have to write their last state."""
LAST_WORDS: Final = 3.0
"""Seconds that apps have to take leave by themselves once the house has closed."""

_log = structlog.get_logger(__name__)


class Closing(Protocol):
    """A house that can be closed; see `rooms.house.House`."""

    def warn(self) -> None:
        """Tell everybody."""

    async def close(self) -> None:
        """End commits, then links."""


class Ending(Protocol):
    """What is put away when the house has closed: the mind of its bots, its journal, its register."""

    async def close(self) -> None:
        """End it."""


class Shutting(Protocol):
    """A door that can be shut, and then closed; see `ssh.listener.Door`."""

    @property
    def is_used(self) -> bool:
        """Whether somebody is in."""

    def shut(self) -> None:
        """Let nobody in any more."""

    async def close(self, farewell: Sentence = NOTHING, patience: float = 0) -> None:
        """End what is left."""


async def close(house: Closing, door: Shutting, grace: float, hurry: asyncio.Event) -> bool:
    """Close `house` and `door`, with `grace` seconds of play for who is in unless `hurry` is set.

    It takes at most WITHIN - REST_WAIT seconds in all. Whether every table wrote its last state.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + WITHIN - REST_WAIT
    _log.info("closing")
    door.shut()
    if door.is_used and not hurry.is_set():
        house.warn()
        await _either(hurry, grace)
    saved = await _closed(house)
    left = end - loop.time() - CLOSE_TIMEOUT - EXIT_WAIT
    await door.close(FAREWELL, max(0.0, min(LAST_WORDS, left)))
    _log.info("closed")
    tell_sums()
    return saved


async def put_away(mind: Ending, *stores: Ending) -> bool:
    """End the bots' processes and what is kept on disk, within REST_WAIT seconds. Whether all `stores` have ended."""
    ends = [asyncio.create_task(each.close()) for each in (mind, *stores)]
    ended, _ = await asyncio.wait(ends, timeout=REST_WAIT)
    for end in ended:
        with suppress(JournalDead):
            end.result()
    if ends[0] not in ended:
        # They were killed, and their pipes end with us.
        _log.warning("the processes of bots take too long to end")
    return ended.issuperset(ends[1:])


def leave_at_once(sentence: Sentence) -> NoReturn:
    """End the process with `sentence` and exit code 1, whatever its threads still wait for."""
    # There is no more time than this, where the disk has taken the rest.
    wait_no_more(LAST_LINES)
    # Nor does it live on where nobody can be told.
    with suppress(OSError, ValueError):
        err(own_tongue().tell(sentence))
    os._exit(FAILURE)


async def _either(hurry: asyncio.Event, seconds: float) -> None:
    """Wait for the event, at most so long."""
    try:
        async with asyncio.timeout(seconds):
            await hurry.wait()
    except TimeoutError:
        return


async def _closed(house: Closing) -> bool:
    try:
        async with asyncio.timeout(COMMITS_WAIT):
            await house.close()
    except TimeoutError:
        _log.error("the journal takes too long; the last moves of some tables were never confirmed")
        return False
    return True
