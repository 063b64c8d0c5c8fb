"""The register itself: a database in a thread of its own, one transaction after the other."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

import apsw
import structlog

from cartino_protocol.marking import later
from cartino_server.store.database import checkpoint_all, open_writer
from cartino_server.store.datadir import DataError, restore_command
from cartino_server.store.port import NotSaved
from cartino_server.store.register.schema import migrate

FILE: Final = "people.db"
_LARGEST_LOG: Final = 200
"""Pages of the log after which it is brought into the database."""

T = TypeVar("T")

_log = structlog.get_logger(__name__)


class Register:
    """Made by `open_register`. `do` may be called from any task of the loop; the work is done in the thread."""

    def __init__(self, connection: apsw.Connection) -> None:
        """`connection` has the tables, and is used by nobody else from now on."""
        self._connection = connection
        self._thread = ThreadPoolExecutor(1, "register")

    async def do(self, work: Callable[[apsw.Connection], T]) -> T:
        """What `work` returns, once all that it wrote is on disk. Raises NotSaved, with nothing changed.

        Whoever is cancelled here no longer hears of the work, but it is done.
        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._transact, work)

    def post(self, work: Callable[[apsw.Connection], object]) -> None:
        """Have `work` done behind what was given before, while nobody waits for it; what fails is logged."""
        self._thread.submit(self._transact, work).add_done_callback(_log_failure)

    async def close(self) -> None:
        """Finish what was given, bring the log into the file, and close it."""
        self._thread.submit(self._checkpoint)
        await asyncio.to_thread(self._thread.shutdown)
        self._connection.close()

    def _checkpoint(self) -> None:
        # A log left behind would be taken for that of a copy put in this file's place.
        try:
            checkpoint_all(self._connection)
        except apsw.Error as error:
            _log.warning("register_not_checkpointed", why=str(error))

    def _transact(self, work: Callable[[apsw.Connection], T]) -> T:
        try:
            with self._connection:
                done = work(self._connection)
        except apsw.Error as error:
            raise NotSaved(str(error)) from error
        return done


def _log_failure(done: Future[object]) -> None:
    error = done.exception()
    if error is not None:
        _log.warning("register_not_saved", why=str(error))


def open_register(data: Path | None) -> Register:
    """The register in the directory `data`, made where there is none; one in memory for None.

    Raises DataError where it can't be used: guessed at it is not, for it has the bans.
    """
    path = None if data is None else data / FILE
    try:
        connection = apsw.Connection(":memory:") if path is None else open_writer(path)
        try:
            connection.wal_autocheckpoint(_LARGEST_LOG)
            if connection.execute("PRAGMA quick_check(1)").get != "ok":
                raise apsw.CorruptError("a damaged page")
            migrate(connection)
        except BaseException:
            connection.close()
            raise
    except (apsw.Error, OSError) as error:
        raise DataError(
            later(
                "The register {path} can't be used ({why}); run {command}, where COPY is a directory that cartino "
                "backup made.",
                path=path,
                why=str(error),
                command=restore_command(data or Path(), "register"),
            )
        ) from error
    return Register(connection)
