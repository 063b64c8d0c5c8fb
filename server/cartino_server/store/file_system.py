"""What the data needs of its file system, and the sentence for one that lacks it, as network shares may.

SQLite shares memory through a file beside the database and locks ranges of it; a commit survives a power cut only if
new names are synced. A lack looks like a damaged journal to SQLite, so it is found before the journal is opened.
Hard links and local sockets aren't needed.
"""

import errno
import fcntl
import mmap
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from cartino_protocol.text import EMPTY_MESSAGE, N_, LazyMessage, LazyMessageError

PROBE_PREFIX: Final = ".probe-"
"""Prefix of the file and the folder with which it is tried; only a crash, or a lack, leaves one."""
READ_ONLY: Final = N_(
    "The file system of {folder} is read-only. Make it writable, or choose another directory; nothing was changed."
)
_LACKING: Final = N_(
    "The file system of {folder} doesn't support {ability} ({why}). Use a directory on a local disk, not on a "
    "network share; nothing was changed."
)
_FULL: Final = N_("The disk of {folder} is full. Free some space, then try again; nothing was changed.")
FILE_LOCKS: Final = N_("file locks")
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NEW_FILE: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_PAGE: Final = bytes(4096)


class _AbilityLacking(LazyMessageError):
    """The sentence says what is lacking."""


def lack_message(folder: Path, ability: str, error: OSError) -> LazyMessage:
    """Return the sentence for a file system that lacks `ability`, a marked noun, as `error` shows."""
    if error.errno == errno.EROFS:
        return LazyMessage(READ_ONLY, {"folder": folder})
    why = error.strerror or str(error)
    return LazyMessage(_LACKING, {"folder": folder, "ability": LazyMessage(ability), "why": why})


def find_lack(folder: Path, *, explain: bool = False) -> LazyMessage:
    """Try everything that the data needs of its file system in `folder`; return a sentence, empty if all works.

    Missing permissions are no lack, since they have sentences of their own; nor is missing space, except to `explain`
    an error, which files that everybody can read can't cause.
    """
    full = LazyMessage(_FULL, {"folder": folder}) if explain else EMPTY_MESSAGE
    try:
        lacking = _try_removal(folder)
        if lacking.text:
            return lacking
        place = Path(tempfile.mkdtemp(prefix=PROBE_PREFIX, dir=folder))
    except OSError as error:
        if error.errno in _NO_ROOM:
            return full
        return LazyMessage(READ_ONLY, {"folder": folder}) if error.errno == errno.EROFS else EMPTY_MESSAGE
    try:
        _try_everything(folder, place, private=not explain)
    except _AbilityLacking as lacking:
        return lacking.sentence
    except OSError:
        return full
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return EMPTY_MESSAGE


def _try_removal(folder: Path) -> LazyMessage:
    """Return the sentence if no file can be removed: the file always has the same name. Raises OSError."""
    path = folder / f"{PROBE_PREFIX}file"
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        return lack_message(folder, N_("removing files"), error)
    return EMPTY_MESSAGE


def _try_everything(folder: Path, place: Path, *, private: bool) -> None:
    """Raise _AbilityLacking; or OSError if there is no room."""

    @contextmanager
    def needs(ability: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise
            raise _AbilityLacking(lack_message(folder, ability, error)) from None

    first, second = place / "first", place / "second"
    with needs(N_("writing files")), open(os.open(first, _NEW_FILE, 0o600), "w+b") as file:
        file.write(_PAGE)
        file.flush()
        with needs(N_("private files")):
            if private and os.fstat(file.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
        with needs(N_("syncing files")):
            os.fsync(file)
        with needs(FILE_LOCKS):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Network file systems make both kinds of locks the same.
            fcntl.flock(file, fcntl.LOCK_UN)
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with needs(N_("memory shared through files")), mmap.mmap(file.fileno(), len(_PAGE)) as shared:
            shared[0] = 1
    with needs(N_("renaming files")):
        first.rename(second)
    with needs(N_("syncing directories")):
        sync_directory(place)


def sync_directory(path: Path) -> None:
    """Flush the names in a directory to disk. Raises OSError."""
    directory = os.open(path, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def link_or_copy(path: Path, target: Path) -> None:
    """Give the file `path` the second name `target`, or copy it where the file system has no hard links.

    Raises OSError, as FileExistsError if there is a `target`.
    """
    try:
        os.link(path, target)
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError:
        with path.open("rb") as source:
            mode = stat.S_IMODE(os.fstat(source.fileno()).st_mode)
            new = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
            try:
                with open(new, "wb") as copy:
                    shutil.copyfileobj(source, copy)
                    copy.flush()
                    os.fsync(copy)
            except BaseException:
                target.unlink()
                raise
