"""Replace damaged data with a backup. The old files end up in a folder beside it.

The copy goes to `restore/staging` and is verified there; nothing else changes until that folder becomes
`restore/ready`. From then on `finish_restore` takes the same steps after every crash: the old files go to
`restore/old`, `ready` becomes `moving`, its files go into the data directory, and `old` gets its final name.
"""

import contextlib
import os
import shutil
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Final, Literal

import apsw
import asyncssh
import msgspec

from cartino_protocol.base import game_name
from cartino_protocol.text import N_, lazy_gettext
from cartino_server.files import read_file
from cartino_server.store.data_directory import (
    LOCK_FILE,
    REPLACED_PREFIX,
    RESTORE_FOLDER,
    DataError,
    explain_errors,
    is_locked,
    is_restoring,
    stamped_path,
    sync_directory,
)
from cartino_server.store.database import JOURNAL_FILE, open_reader, scalar
from cartino_server.store.hash_chain import HEADS_FILE, read_heads
from cartino_server.store.host_key import MAX_KEY_BYTES
from cartino_server.store.migrations import SUSPECT_FILE
from cartino_server.store.people import PEOPLE_FILE
from cartino_server.store.repair.backup import UnusableCopy, copy_entry, sync_tree, verify_copy
from cartino_server.store.repair.salvage import SCHEMA_FILE

RestorePart = Literal["all", "journal", "people"]

AUDIT_FILE: Final = "audit.log"
"""The audit log. It only grows, so the current one contains a backup's."""

_SERVER_FILES = (JOURNAL_FILE, HEADS_FILE, PEOPLE_FILE, LOCK_FILE, "host_key", RESTORE_FOLDER)
_FILE_GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    JOURNAL_FILE: (
        *(JOURNAL_FILE, f"{JOURNAL_FILE}-wal", f"{JOURNAL_FILE}-shm"),
        *(HEADS_FILE, SCHEMA_FILE, SUSPECT_FILE),
    ),
    PEOPLE_FILE: (PEOPLE_FILE, f"{PEOPLE_FILE}-wal", f"{PEOPLE_FILE}-shm"),
}
# The columns that identify a row, by table.
_ROW_IDENTITY: Final = {
    JOURNAL_FILE: {"settings": "person, hash", "guests": "person, word"},
    PEOPLE_FILE: {
        "keys": "fingerprint, person",
        "names": "key, person",
        "bans": "kind, what, until",
        "ignores": "person, other",
        "reports": "id, text",
    },
}


class RestoreResult(msgspec.Struct, frozen=True):
    """The number of intact `games`, and the folder with the replaced files (None: there were none).

    `begun` are games begun after the backup; `shorter` are games whose last entries it lacks, and how many (0:
    unknown). `rows` counts other newer rows by table. `unread`: not all could be read. `returned` are persons whom only
    the backup has, mostly deleted since.
    """

    games: int
    aside: Path | None
    begun: tuple[str, ...] = ()
    shorter: tuple[tuple[str, int], ...] = ()
    rows: dict[str, int] = {}
    unread: bool = False
    returned: tuple[str, ...] = ()


def restore(copy: Path, data: Path, entries: int, part: RestorePart = "all") -> RestoreResult:
    """Replace what is in `data` by `copy` or a `part` of it. Call it holding the lock of `data`.

    `entries` is the newest entry format that tables can read. Raises DataError; then nothing has changed, or the
    sentence says how to continue.
    """
    folder = data / RESTORE_FOLDER
    text = N_("Can't restore the copy {copy}: {why}; nothing was changed.")
    with explain_errors(text, (OSError, UnusableCopy), copy=copy):
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(folder)
        try:
            _stage(copy, data, folder / "staging", part)
            games = verify_copy(folder / "staging", entries)
            sync_tree(folder)
            sync_directory(data)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    (folder / "staging").rename(folder / "ready")
    return _list_newer(games, finish_restore(data), data)


def resume_restore(data: Path) -> RestoreResult:
    """Finish an interrupted restore; `games` is 0. Call it holding the lock. Raises DataError."""
    return _list_newer(0, finish_restore(data), data)


def finish_restore(data: Path) -> Path | None:
    """Finish an interrupted restore, if any; return the folder with the replaced files.

    Call it holding the lock. Raises DataError.
    """
    if not is_restoring(data):
        return None
    folder = data / RESTORE_FOLDER
    ready, moving, old = folder / "ready", folder / "moving", folder / "old"
    with explain_errors(
        N_(
            "A restore into {data} can't be completed ({why}). Fix that, then start the server to complete it."
        ),
        data=data,
    ):
        if ready.is_dir():
            old.mkdir(mode=0o700, exist_ok=True)
            _sync_directories(folder)
            for name in _replaced_names(ready):
                with contextlib.suppress(FileNotFoundError):
                    (data / name).rename(old / name)
            _sync_directories(folder, old, data)
            ready.rename(moving)
            # The folder's name tells whose files are in the data directory.
            _sync_directories(folder)
        if moving.is_dir():
            for entry in sorted(moving.iterdir()):
                entry.rename(data / entry.name)
            _sync_directories(moving, data)
            moving.rmdir()
        aside = stamped_path(data, REPLACED_PREFIX) if any(old.iterdir()) else None
        if aside is None:
            old.rmdir()
        else:
            old.rename(aside)
        folder.rmdir()
        _sync_directories(data)
    return aside


def require_server_data(copy: Path, data: Path) -> None:
    """Raise DataError if `data` contains no server's data."""
    if not any(os.path.lexists(data / name) for name in _SERVER_FILES):
        raise DataError(
            N_(
                "There is no server data in {data}. Give the server's directory with --data, or start a server on "
                "the copy itself: cartino serve --data {copy}"
            ),
            data=data,
            copy=copy,
        )


def _stage(copy: Path, data: Path, staging: Path, part: RestorePart) -> None:
    """Copy the files to restore. Raises UnusableCopy, OSError."""
    if copy.exists() and not copy.is_dir():
        raise UnusableCopy(lazy_gettext("it is a file, not a directory made by cartino backup"))
    if copy.resolve() == data.resolve() or data.resolve().is_relative_to(copy.resolve()):
        raise UnusableCopy(lazy_gettext("it is the data directory itself, or contains it"))
    names = [name for name in sorted(os.listdir(copy)) if _is_included(name, part)]
    main = PEOPLE_FILE if part == "people" else JOURNAL_FILE
    if not (copy / main).is_file():
        raise UnusableCopy(lazy_gettext("it contains no {file}", file=main))
    if is_locked(copy):
        raise UnusableCopy(lazy_gettext("a server is running on it; make a copy with cartino backup"))
    own, its = _public_key(data / "host_key"), _public_key(copy / "host_key")
    if own and its and own != its:
        raise UnusableCopy(
            lazy_gettext(
                "it is from another server, with another host key (if that is intended, move {path} away first)",
                path=data / "host_key",
            )
        )
    staging.mkdir(mode=0o700, parents=True)
    for name in names:
        if name != AUDIT_FILE or not (data / AUDIT_FILE).exists():
            copy_entry(copy / name, staging / name)
    for path in (staging, *staging.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o700 if path.is_dir() else 0o600)


def _is_included(name: str, part: RestorePart) -> bool:
    if (
        name in {LOCK_FILE, RESTORE_FOLDER, SUSPECT_FILE}
        or name.startswith(REPLACED_PREFIX)
        or name.endswith("-shm")
    ):
        return False
    match part:
        case "all":
            return name == HEADS_FILE or not name.startswith("journal.") or name in _FILE_GROUPS[JOURNAL_FILE]
        case "journal":
            return name in _FILE_GROUPS[JOURNAL_FILE]
        case "people":
            return name in _FILE_GROUPS[PEOPLE_FILE]


def _replaced_names(ready: Path) -> list[str]:
    names = {entry.name for entry in ready.iterdir()}
    for main, family in _FILE_GROUPS.items():
        if main in names:
            names.update(family)
    return sorted(names)


def _sync_directories(*folders: Path) -> None:
    for folder in folders:
        sync_directory(folder)


def _public_key(path: Path) -> bytes:
    """Return the public half of a host key; b"" if unreadable."""
    try:
        return asyncssh.import_private_key(read_file(path, MAX_KEY_BYTES)).public_data
    except (OSError, ValueError, asyncssh.KeyImportError, asyncssh.KeyEncryptionError):
        return b""


def _list_newer(games: int, aside: Path | None, data: Path) -> RestoreResult:
    """Compare the replaced files with the restored ones, as far as they are readable."""
    if aside is None:
        return RestoreResult(games, None)
    unread = False
    rows: dict[str, int] = {}
    for file, tables in _ROW_IDENTITY.items():
        if (aside / file).exists():
            found = _newer_rows(aside / file, data / file, tables)
            unread |= len(found) < len(tables)
            rows |= found
    begun: list[str] = []
    shorter: list[tuple[str, int]] = []
    if any((aside / name).exists() for name in _FILE_GROUPS[JOURNAL_FILE]):
        before, readable = _read_progress(aside)
        now, _ = _read_progress(data)
        unread |= not readable
        for number, game in sorted(before.items()):
            name = game_name(game.code or "????", number)
            kept = now.get(number)
            if kept is None:
                begun.append(name)
            elif not kept.over and game.seq > kept.seq:
                shorter.append((name, game.seq - kept.seq))
            elif game.over and not kept.over:
                shorter.append((name, 0))
    returned = _returned(aside / PEOPLE_FILE, data / PEOPLE_FILE) if (aside / PEOPLE_FILE).exists() else ()
    return RestoreResult(games, aside, tuple(begun), tuple(shorter), rows, unread, returned)


class _GameProgress(msgspec.Struct):
    """How many entries a game has, and whether it was finished."""

    code: str
    seq: int = 0
    over: bool = False


def _read_progress(folder: Path) -> tuple[dict[int, _GameProgress], bool]:
    """Return the games known to the journal in `folder` or its heads, and whether the journal was readable."""
    found = {
        number: _GameProgress(slot.code, slot.seq)
        for number, slot in read_heads(folder / HEADS_FILE, None).slots()
    }
    try:
        with closing(open_reader(folder / JOURNAL_FILE)) as connection:
            for number, code, seq in connection.execute("SELECT number, code, seq FROM games"):
                game = found.setdefault(number, _GameProgress(str(code)))
                game.seq = max(game.seq, seq)
            for number, code in connection.execute("SELECT number, code FROM finished"):
                found.setdefault(number, _GameProgress(str(code))).over = True
    except (apsw.Error, DataError, UnicodeDecodeError, TypeError):
        return found, False
    return found, True


def _returned(before: Path, now: Path) -> tuple[str, ...]:
    """Return names that the database of now has and that of before lacks; none if unreadable."""
    query = "SELECT name FROM now.names WHERE person NOT IN (SELECT person FROM main.names) ORDER BY name"
    with contextlib.suppress(apsw.Error, DataError), closing(open_reader(before)) as connection:
        connection.execute("ATTACH ? AS now", (str(now),))
        return tuple(str(name) for (name,) in connection.execute(query))
    return ()


def _newer_rows(before: Path, now: Path, tables: Mapping[str, str]) -> dict[str, int]:
    """Count the rows of each table that the current file lacks; skip unreadable tables."""
    found: dict[str, int] = {}
    with contextlib.suppress(apsw.Error, DataError), closing(open_reader(before)) as connection:
        connection.execute("ATTACH ? AS now", (str(now),))
        for table, columns in tables.items():
            query = f"SELECT {columns} FROM main.{table} EXCEPT SELECT {columns} FROM now.{table}"
            found[table] = scalar(connection, f"SELECT count(*) FROM ({query})")
    return found
