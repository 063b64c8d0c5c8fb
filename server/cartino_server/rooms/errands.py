"""What takes a while: whoever asked for it waits, and nobody else does."""

import asyncio
import contextvars
from collections.abc import Coroutine

import structlog

from cartino_protocol.commands import Command
from cartino_server.metering.figures import CRASHES
from cartino_server.rooms.accounts import account
from cartino_server.rooms.seat import HouseLink
from cartino_server.store.port import JournalDead, NotSaved

_log = structlog.get_logger(__name__)

Errand = Coroutine[None, None, None]


class Errands:
    """The tasks of a house that are no room's."""

    def __init__(self) -> None:
        """Nothing is under way."""
        self._tasks: set[asyncio.Task[None]] = set()

    def run(self, errand: Errand) -> None:
        """Begin `errand`; what can't be done of it is logged."""
        task = asyncio.create_task(_logged(errand), context=contextvars.Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def run_for(self, link: HouseLink, command: Command, errand: Errand) -> bool:
        """Begin `errand`, which is `command` of `link`; False, as `link.settled()` will be called when it is done."""
        self.run(_answered(link, command, errand))
        return False

    async def stop(self) -> None:
        """End what is under way."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _answered(link: HouseLink, command: Command, errand: Errand) -> None:
    try:
        await errand
    except (NotSaved, JournalDead):
        link.refuse(command, "not-saved")
    except Exception as error:
        CRASHES.add("errand")
        _log.error("errand_failed", command=type(command).__name__, where=account(error))
        link.refuse(command, "busy")
    finally:
        link.settled()


async def _logged(errand: Errand) -> None:
    try:
        await errand
    except (NotSaved, JournalDead) as error:
        _log.warning("errand_not_saved", why=str(error))
    except Exception as error:
        CRASHES.add("errand")
        _log.error("errand_failed", where=account(error))
