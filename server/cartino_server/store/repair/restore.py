"""Replace damaged data with a backup. The old files end up in a folder beside it.

The copy goes to `restore/staging` and is verified there; nothing else changes until that folder becomes
`restore/ready`. From then on `finish_restore` takes the same steps after every crash: the old files go to
`restore/old`, `ready` becomes `moving`, its files go into the data directory, and `old` gets its final name.
"""

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final, Literal

import apsw
import asyncssh
import msgspec

from cartino_protocol.base import game_name
from cartino_protocol.text import lazy_gettext
from cartino_server.store.data_directory import LOCK_FILE as LOCK
from cartino_server.store.data_directory import (
    REPLACED_PREFIX,
    RESTORE_FOLDER,
    DataError,
    is_locked,
    is_restoring,
    stamped_path,
    sync_directory,
)
from cartino_server.store.database import JOURNAL_FILE, open_reader, scalar
from cartino_server.store.hash_chain import HEADS_FILE as HEADS
from cartino_server.store.hash_chain import read_heads
from cartino_server.store.migrations import SUSPECT_FILE
from cartino_server.store.people import PEOPLE_FILE as PEOPLE
from cartino_server.store.repair.backup import UnusableCopy, copy_entry, sync_tree, verify_copy

RestorePart = Literal["all", "journal", "register"]

AUDIT_FILE: Final = "audit.log"
"""The log of what hosts did. It only grows, so that of now has all of a copy's."""

_SERVER_FILES = (JOURNAL_FILE, HEADS, PEOPLE, LOCK, "host_key", RESTORE_FOLDER)
_FILE_GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    JOURNAL_FILE: (JOURNAL_FILE, f"{JOURNAL_FILE}-wal", f"{JOURNAL_FILE}-shm", HEADS, SUSPECT_FILE),
    PEOPLE: (PEOPLE, f"{PEOPLE}-wal", f"{PEOPLE}-shm"),
}
# What makes a row the same one, by table; when it was used last doesn't count.
_ROW_IDENTITY: Final = {
    JOURNAL_FILE: {"settings": "person, hash", "guests": "person, word"},
    PEOPLE: {
        "keys": "fingerprint, person",
        "names": "key, person",
        "bans": "kind, what, until",
        "ignores": "person, other",
        "reports": "id, text",
    },
}


class RestoreResult(msgspec.Struct, frozen=True):
    """What came of it: how many whole `games` are there now, and where the files of before are (None: there were none).

    `begun` are the names of games that began after the copy was made; `shorter` are games that the copy has without
    their last entries, and how many those are (0: unknown). `rows` counts what else was newer, by table. Where not
    all of it could be read, `unread`. `returned` are names of people whom only the copy has: deleted since, mostly.
    """

    games: int
    aside: Path | None
    begun: tuple[str, ...] = ()
    shorter: tuple[tuple[str, int], ...] = ()
    rows: dict[str, int] = {}
    unread: bool = False
    returned: tuple[str, ...] = ()


def restore(copy: Path, data: Path, entries: int, part: RestorePart = "all") -> RestoreResult:
    """Put `copy`, or a `part` of it, in the place of what is in `data`. Call it with the lock of `data` taken.

    `entries` is the newest entry format that the rooms can read. Raises DataError, and then nothing has changed, or
    the sentence says how to go on.
    """
    folder = data / RESTORE_FOLDER
    try:
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
    except UnusableCopy as error:
        raise DataError(
            lazy_gettext(
                "The copy {copy} can't be put back: {why}; nothing was changed.",
                copy=copy,
                why=error.sentence,
            )
        ) from None
    except OSError as error:
        raise DataError(
            lazy_gettext(
                "The copy {copy} can't be put back: {why}; nothing was changed.",
                copy=copy,
                why=error.strerror or str(error),
            )
        ) from error
    (folder / "staging").rename(folder / "ready")
    return _list_newer(games, finish_restore(data), data)


def resume_restore(data: Path) -> RestoreResult:
    """Finish a restore that was cut short in `data`; `games` is 0. Call it with the lock taken. Raises DataError."""
    return _list_newer(0, finish_restore(data), data)


def finish_restore(data: Path) -> Path | None:
    """Finish a restore that was cut short in `data`, if one was; return where the files of before are.

    Call it with the lock taken. Raises DataError.
    """
    if not is_restoring(data):
        return None
    folder = data / RESTORE_FOLDER
    ready, moving, old = folder / "ready", folder / "moving", folder / "old"
    try:
        if ready.is_dir():
            old.mkdir(mode=0o700, exist_ok=True)
            _sync_directories(folder)
            for name in _replaced_names(ready):
                _move_if_exists(data / name, old / name)
            _sync_directories(folder, old, data)
            ready.rename(moving)
            # Which of the two it is says of whom the files in the data directory are.
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
    except OSError as error:
        raise DataError(
            lazy_gettext(
                "A restore into {data} can't be finished ({why}); mend that and start the server, which finishes it.",
                data=data,
                why=error.strerror,
            )
        ) from error
    return aside


def require_server_data(copy: Path, data: Path) -> None:
    """Raise DataError where no server's data are in `data`."""
    if not any(os.path.lexists(data / name) for name in _SERVER_FILES):
        raise DataError(
            lazy_gettext(
                "There are no data of a server in {data}; name its directory with --data, or start a server on the "
                "copy itself: cartino serve --data {copy}",
                data=data,
                copy=copy,
            )
        )


def _stage(copy: Path, data: Path, staging: Path, part: RestorePart) -> None:
    """Copy what is to be put back. Raises Unfit, OSError."""
    if copy.exists() and not copy.is_dir():
        raise UnusableCopy(lazy_gettext("it is a file, not a directory that cartino backup made"))
    if copy.resolve() == data.resolve() or data.resolve().is_relative_to(copy.resolve()):
        raise UnusableCopy(lazy_gettext("it is the data directory itself, or around it"))
    names = [name for name in sorted(os.listdir(copy)) if _is_included(name, part)]
    main = PEOPLE if part == "register" else JOURNAL_FILE
    if not (copy / main).is_file():
        raise UnusableCopy(lazy_gettext("there is no {file} in it", file=main))
    if is_locked(copy):
        raise UnusableCopy(lazy_gettext("a server runs on it; make a copy with cartino backup"))
    own, its = _public_key(data / "host_key"), _public_key(copy / "host_key")
    if own and its and own != its:
        raise UnusableCopy(
            lazy_gettext(
                "it is of another server, with another host key (where that is meant, move {path} away first)",
                path=data / "host_key",
            )
        )
    staging.mkdir(mode=0o700, parents=True)
    for name in names:
        if name != AUDIT_FILE or not (data / AUDIT_FILE).exists():
            copy_entry(copy / name, staging / name)
    for path in _walk(staging):
        path.chmod(0o700 if path.is_dir() else 0o600)


def _is_included(name: str, part: RestorePart) -> bool:
    """Whether the file or directory `name` of a copy is to be put back."""
    if (
        name in {LOCK, RESTORE_FOLDER, SUSPECT_FILE}
        or name.startswith(REPLACED_PREFIX)
        or name.endswith("-shm")
    ):
        return False
    match part:
        case "all":
            return name == HEADS or not name.startswith("journal.") or name in _FILE_GROUPS[JOURNAL_FILE]
        case "journal":
            return name in _FILE_GROUPS[JOURNAL_FILE]
        case "register":
            return name in _FILE_GROUPS[PEOPLE]


def _walk(folder: Path) -> Iterator[Path]:
    """All files and directories in `folder`, itself included, but for symbolic links."""
    yield folder
    for place, folders, names in os.walk(folder):
        yield from (path for name in (*folders, *names) if not (path := Path(place, name)).is_symlink())


def _replaced_names(ready: Path) -> list[str]:
    """The names of all files that give way to those in `ready`."""
    names = {entry.name for entry in ready.iterdir()}
    for main, family in _FILE_GROUPS.items():
        if main in names:
            names.update(family)
    return sorted(names)


def _move_if_exists(source: Path, target: Path) -> None:
    """Rename, where there is such a file still."""
    with contextlib.suppress(FileNotFoundError):
        source.rename(target)


def _sync_directories(*folders: Path) -> None:
    for folder in folders:
        sync_directory(folder)


def _public_key(path: Path) -> bytes:
    """The public half of a host key; b"" where there is none that can be read."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return b""
        return asyncssh.import_private_key(path.read_bytes()).public_data
    except (OSError, ValueError, asyncssh.KeyImportError, asyncssh.KeyEncryptionError):
        return b""


def _list_newer(games: int, aside: Path | None, data: Path) -> RestoreResult:
    """What was newer in the files of before, as far as they can be read."""
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
    returned = _returned(aside / PEOPLE, data / PEOPLE) if (aside / PEOPLE).exists() else ()
    return RestoreResult(games, aside, tuple(begun), tuple(shorter), rows, unread, returned)


class _GameProgress(msgspec.Struct):
    """A game as far as it went: how many entries it has, and whether it came to its end."""

    code: str
    seq: int = 0
    over: bool = False


def _read_progress(folder: Path) -> tuple[dict[int, _GameProgress], bool]:
    """All games of which the journal in `folder` or its heads know, and whether the journal could be read."""
    found = {
        number: _GameProgress(slot.code, slot.seq)
        for number, slot in read_heads(folder / HEADS, None).slots()
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
    """Return the names of people in the register of now of whom that of before knows nothing; none if unreadable."""
    query = "SELECT name FROM now.names WHERE person NOT IN (SELECT person FROM main.names) ORDER BY name"
    with contextlib.suppress(apsw.Error, DataError), closing(open_reader(before)) as connection:
        connection.execute("ATTACH ? AS now", (str(now),))
        return tuple(str(name) for (name,) in connection.execute(query))
    return ()


def _newer_rows(before: Path, now: Path, tables: Mapping[str, str]) -> dict[str, int]:
    """How many rows of each table are not in the file of now; none of a table that can't be read."""
    found: dict[str, int] = {}
    with contextlib.suppress(apsw.Error, DataError), closing(open_reader(before)) as connection:
        connection.execute("ATTACH ? AS now", (str(now),))
        for table, columns in tables.items():
            query = f"SELECT {columns} FROM main.{table} EXCEPT SELECT {columns} FROM now.{table}"
            found[table] = scalar(connection, f"SELECT count(*) FROM ({query})")
    return found
