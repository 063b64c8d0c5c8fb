"""A copy of a data directory, consistent while its server runs, and proved before it is called one."""

import contextlib
import os
import shutil
import stat
from functools import partial
from pathlib import Path

import apsw

from cartino_protocol.marking import later
from cartino_server.store.database import FILE, journal_id, open_writer, sync_directory
from cartino_server.store.datadir import REPLACED, RESTORING, DataError
from cartino_server.store.heads import FILE as HEADS
from cartino_server.store.heads import Heads, Read
from cartino_server.store.ledger import Ledger
from cartino_server.store.lock import FILE as LOCK
from cartino_server.store.queries import Crooked
from cartino_server.store.reading import reading
from cartino_server.store.recovery import Found, find
from cartino_server.store.register.copying import copy_register
from cartino_server.store.register.register import FILE as PEOPLE
from cartino_server.store.schema import renew_id, require_readable


def backup(data: Path, target: Path) -> int:
    """Copy the data directory `data` into `target`, which must not exist or be empty; how many whole games it has.

    Games that are damaged are copied as they are and stay quarantined in the copy. Raises DataError, and leaves
    nothing in `target` then.
    """
    _make(data, target)
    try:
        heads = _copy_journal(data, target)
        count = _settle(target, heads)
        copy_register(data, target)
        for entry in sorted(data.iterdir()):
            if entry.name not in {LOCK, RESTORING} and not entry.name.startswith(
                ("journal.", PEOPLE, REPLACED)
            ):
                copy_entry(entry, target / entry.name)
        sync_tree(target)
    except BaseException as error:
        _empty(target)
        if isinstance(error, OSError):
            raise DataError(
                later("The copy {target} can't be made: {why}.", target=target, why=error.strerror)
            ) from error
        if isinstance(error, apsw.Error):
            raise DataError(
                later("The copy {target} can't be made: {error}.", target=target, error=error)
            ) from error
        if isinstance(error, Crooked):
            raise DataError(
                later(
                    "The journal in {data} is damaged ({error}); run cartino doctor, which says how to "
                    "save it.",
                    data=data,
                    error=error,
                )
            ) from error
        raise
    return count


def _make(data: Path, target: Path) -> None:
    try:
        if target.resolve().is_relative_to(data.resolve()):
            raise DataError(
                later(
                    "{target} is inside of the data directory; name a place outside of it for the copy.",
                    target=target,
                )
            )
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(target.iterdir()):
            raise DataError(
                later("The directory {target} is not empty; name another one for the copy.", target=target)
            )
        target.chmod(0o700)
    except FileExistsError:
        raise DataError(later("{target} is a file; name a directory for the copy.", target=target)) from None
    except OSError as error:
        raise DataError(
            later("The directory {target} can't be made: {why}.", target=target, why=error.strerror)
        ) from error


def _copy_journal(data: Path, target: Path) -> Read:
    """The pages of the database at one moment; the heads as they were before it."""
    with reading(data) as now:
        copy = open_writer(target / FILE)
        try:
            with copy.backup("main", now.connection, "main") as pages:
                pages.step(-1)
        finally:
            copy.close()
        return now.heads


def _settle(target: Path, heads: Read) -> int:
    """Prove every game of the copy, give it an id and heads of its own; how many are whole."""
    connection = open_writer(target / FILE)
    try:
        require_readable(connection)
        found = find(connection, heads, every=True)
        renew_id(connection)
        _put_heads(target, connection, found)
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    finally:
        connection.close()
    for tail in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{target / FILE}{tail}")
    return len(found.rows) + found.packed


def _put_heads(target: Path, connection: apsw.Connection, found: Found) -> None:
    slots = Heads(target / HEADS, journal_id(connection))
    try:
        ledger = Ledger(connection, slots, 0.0)
        for row in found.rows:
            ledger.know(row)
        # The copy's own heads know nothing of a tail that the original lost.
        ledger.transact([partial(Ledger.put_lost, game=game) for game in found.damaged])
    finally:
        slots.close()


def copy_entry(source: Path, target: Path) -> None:
    """Copy a file, or a directory with all that is in it; what is neither is left out. Raises OSError."""
    mode = source.lstat().st_mode
    if stat.S_ISDIR(mode):
        shutil.copytree(source, target, symlinks=True)
    elif stat.S_ISREG(mode):
        shutil.copy2(source, target)


def sync_tree(target: Path) -> None:
    """Bring a directory to disk with all that is in it. Raises OSError."""
    for folder, _, names in os.walk(target):
        for name in names:
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                with path.open("rb") as file:
                    os.fsync(file.fileno())
        sync_directory(Path(folder))


def _empty(target: Path) -> None:
    for entry in target.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)
