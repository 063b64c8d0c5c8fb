"""Make a consistent copy of a data directory while its server runs, and verify such a copy.

A copy counts as one only after every page, hash chain, the people database and the host key were checked.
"""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import apsw

from cartino_protocol.base import game_name
from cartino_protocol.text import N_, LazyMessageError, lazy_gettext
from cartino_server.store import database, migrations, verification
from cartino_server.store.data_directory import (
    LOCK_FILE,
    PROBE_PREFIX,
    REPLACED_PREFIX,
    RESTORE_FOLDER,
    DataError,
    doctor_command,
    explain_errors,
    find_lack,
    sync_directory,
)
from cartino_server.store.hash_chain import HEADS_FILE, HeadFile, HeadSnapshot, read_heads
from cartino_server.store.host_key import read_host_key
from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.people import PEOPLE_FILE, copy_people, find_people_fault
from cartino_server.store.queries import InconsistentTables

_NOT_COPIED = (LOCK_FILE, PROBE_PREFIX, RESTORE_FOLDER, REPLACED_PREFIX, "journal.", PEOPLE_FILE)
"""Prefixes of the names of what is not copied, or not as a file."""


def create_backup(data: Path, target: Path) -> int:
    """Copy the data directory `data` into `target`, which must be empty or missing; count its intact games.

    Damaged games are copied and stay quarantined. Raises DataError, and then leaves nothing in `target`.
    """
    _make_target(data, target)
    unreadable = (OSError, apsw.Error)
    damaged = N_("The journal in {data} is damaged ({error}). Run {command} to see how to repair it.")
    try:
        with (
            explain_errors(N_("Can't make the copy {target}: {why}."), unreadable, target=target),
            explain_errors(damaged, InconsistentTables, data=data, command=doctor_command(data)),
        ):
            count = _copy_everything(data, target)
    except BaseException:
        _empty_directory(target)
        raise
    return count


def _copy_everything(data: Path, target: Path) -> int:
    """Return the number of intact games. Raises InconsistentTables, DataError, OSError, apsw.Error."""
    with _explain_target(target):
        heads = _copy_pages(data, target)
        count = _verify_and_renew(target, heads)
        copy_people(data, target)
        for entry in sorted(data.iterdir()):
            if not entry.name.startswith(_NOT_COPIED):
                copy_entry(entry, target / entry.name)
        sync_tree(target)
    return count


@contextmanager
def _explain_target(target: Path) -> Iterator[None]:
    """Raise DataError if the file system of `target` explains an error in the block."""
    try:
        yield
    except (OSError, apsw.Error):
        lack = find_lack(target, explain=True)
        if lack.text:
            raise DataError(lack.text, **lack.places) from None
        raise


def _make_target(data: Path, target: Path) -> None:
    with (
        explain_errors(N_("Can't create the directory {target}: {why}."), target=target),
        explain_errors(
            N_("{target} is a file; choose a directory for the copy."), FileExistsError, target=target
        ),
    ):
        if target.resolve().is_relative_to(data.resolve()):
            raise DataError(
                N_("{target} is inside the data directory; choose a place outside it for the copy."),
                target=target,
            )
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(target.iterdir()):
            raise DataError(
                N_("The directory {target} isn't empty; choose another one for the copy."), target=target
            )
        target.chmod(0o700)


def _copy_pages(data: Path, target: Path) -> HeadSnapshot:
    """Copy the database as one snapshot; return the heads read before it."""
    with (
        verification.open_snapshot(data) as now,
        # Within the snapshot, other errors count as the original's.
        _explain_target(target),
        closing(database.open_writer(target / database.JOURNAL_FILE)) as copy,
        copy.backup("main", now.connection, "main") as pages,
    ):
        pages.step(-1)
    return now.heads


def _verify_and_renew(target: Path, heads: HeadSnapshot) -> int:
    """Verify the copy's games and give it an id and heads of its own; return how many are intact."""
    with closing(database.open_writer(target / database.JOURNAL_FILE)) as connection:
        migrations.prepare_for_reading(connection)
        found = verification.verify_all_games(connection, heads)
        migrations.replace_journal_id(connection)
        with closing(HeadFile(target / HEADS_FILE, database.journal_id(connection))) as slots:
            JournalWriter(connection, slots).know(found.rows)
        # The copy's own heads know nothing of a tail that the original lost.
        with connection:
            for game in found.damaged:
                verification.put_lost(connection, game)
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    database.remove_log_files(target / database.JOURNAL_FILE)
    return found.intact


def copy_entry(source: Path, target: Path) -> None:
    """Copy a regular file or a directory; skip anything else. Raises OSError."""
    mode = source.lstat().st_mode
    if stat.S_ISDIR(mode):
        shutil.copytree(source, target, symlinks=True)
    elif stat.S_ISREG(mode):
        shutil.copy2(source, target)


def sync_tree(target: Path) -> None:
    """Sync a directory and everything in it. Raises OSError."""
    for folder, _, names in os.walk(target):
        for name in names:
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                with path.open("rb") as file:
                    os.fsync(file.fileno())
        sync_directory(Path(folder))


def _empty_directory(target: Path) -> None:
    for entry in target.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            # A file system that can't remove files has a sentence of its own.
            with suppress(OSError):
                entry.unlink()


class UnusableCopy(LazyMessageError):
    """A copy that can't be used; the sentence is a clause."""


def verify_copy(folder: Path, entries: int) -> int:
    """Verify everything in `folder`, which nobody else uses; return how many games are intact.

    Migrates the journal and removes log files. Known damaged games are allowed. `entries` is the newest entry format
    that tables can read. Raises UnusableCopy, OSError.
    """
    games = _verify_journal(folder, entries) if (folder / database.JOURNAL_FILE).exists() else 0
    if (folder / PEOPLE_FILE).exists():
        _verify_people(folder)
    if (folder / "host_key").exists():
        try:
            read_host_key(folder / "host_key")
        except DataError:
            raise UnusableCopy(lazy_gettext("its host key is damaged, or other users can read it")) from None
    for file in (database.JOURNAL_FILE, PEOPLE_FILE):
        database.remove_log_files(folder / file)
    return games


def _verify_journal(folder: Path, entries: int) -> int:
    if not (folder / database.JOURNAL_FILE).stat().st_size:
        raise UnusableCopy(lazy_gettext("its journal is empty"))
    try:
        with closing(database.open_writer(folder / database.JOURNAL_FILE)) as connection:
            return _count_whole_games(folder, connection, entries)
    except apsw.Error as error:
        raise UnusableCopy(lazy_gettext("its journal can't be read ({error})", error=error)) from None


def _count_whole_games(folder: Path, connection: apsw.Connection, entries: int) -> int:
    found = migrations.version(connection)
    if not found:
        raise UnusableCopy(lazy_gettext("its journal isn't that of a server"))
    if (
        found > len(migrations.JOURNAL_MIGRATIONS)
        or (migrations.read_entry_format(connection) or 0) > entries
    ):
        raise UnusableCopy(lazy_gettext("its journal was written by a newer Cartino"))
    migrations.migrate_journal(connection)
    read = read_heads(folder / HEADS_FILE, database.journal_id(connection))
    pages_damaged = lazy_gettext("pages of its journal are damaged")
    try:
        games = verification.verify_all_games(connection, read)
    except (InconsistentTables, apsw.CorruptError):
        raise UnusableCopy(pages_damaged) from None
    if not migrations.is_intact(connection, all_pages=True):
        raise UnusableCopy(pages_damaged)
    known = {game.game for game in verification.lost_games(connection)}
    for game in games.damaged:
        if game.game not in known:
            name = game_name(game.code or "????", game.game)
            raise UnusableCopy(lazy_gettext("its game {name} is damaged ({why})", name=name, why=game.why))
    database.checkpoint_all(connection)
    return games.intact


def _verify_people(folder: Path) -> None:
    try:
        with closing(database.open_writer(folder / PEOPLE_FILE)) as connection:
            database.checkpoint_all(connection)
    except apsw.Error as error:
        raise UnusableCopy(lazy_gettext("its people database can't be read ({error})", error=error)) from None
    wrong = find_people_fault(folder)
    if wrong.text:
        raise UnusableCopy(lazy_gettext("its people database is damaged, or from a newer Cartino"))
