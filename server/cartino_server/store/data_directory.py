"""The data directory: create and check it, lock it for one server, and build the commands that repair it.

SQLite shares memory through a file beside the database and locks ranges of it; a commit survives a power cut only if
new names are synced. A file system that lacks this, as network shares may, looks like a damaged journal to SQLite, so
the lack is found before the journal is opened. Hard links and local sockets aren't needed.

The lock is an flock, which the system releases when its holder dies. Its file names the server's process and address,
so that `cartino doctor` can find a running server.
"""

import contextlib
import errno
import fcntl
import itertools
import mmap
import os
import pwd
import shlex
import shutil
import stat
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

from cartino_protocol.text import EMPTY_MESSAGE, N_, LazyMessage, LazyMessageError
from cartino_server.files import read_file

RESTORE_FOLDER = "restore"
"""Folder that holds a backup while it is being restored."""
REPLACED_PREFIX = "replaced-"
"""Prefix of folders with data that a restore replaced."""

_MAX_LOCK_BYTES: Final = 1 << 12

LEFT_OVER = ".damaged.jsonl"
"""Suffix of files with what was left of a damaged game."""


class DataError(LazyMessageError):
    """Data can't be read or written; the sentence is for the host who starts the server.

    `fault` states only the problem, where the doctor gives other advice.
    """

    def __init__(self, text: str, fault: LazyMessage = EMPTY_MESSAGE, /, **places: object) -> None:
        super().__init__(LazyMessage(text, places))
        self.fault = fault


ErrorKinds = type[Exception] | tuple[type[Exception], ...]


@contextlib.contextmanager
def explain_errors(text: str, kinds: ErrorKinds = OSError, /, **places: object) -> Iterator[None]:
    """Raise DataError with `text` for an error of these `kinds` in the block; `{why}` or `{error}` is it."""
    try:
        yield
    except kinds as error:
        known = error.sentence if isinstance(error, LazyMessageError) else getattr(error, "strerror", None)
        why = known or str(error)
        raise DataError(text, **{**places, "why": why, "error": why}) from error


def is_restoring(data: Path) -> bool:
    """Return whether a restore was interrupted, so that `data` has files of before and of the backup."""
    return any((data / RESTORE_FOLDER / step).is_dir() for step in ("ready", "moving", "old"))


def restore_command(data: Path, only: str = "") -> str:
    """Return the command to show that restores a backup into `data`."""
    part = f" --only {only}" if only else ""
    return f"cartino restore COPY{part} --data {shlex.quote(str(data))}"


def doctor_command(data: Path, *words: str) -> str:
    """Return the command to show that runs the doctor on `data`, with further `words`."""
    return shlex.join(("cartino", "doctor", "--data", str(data), *words))


def prepare_directory(path: Path) -> Path:
    """Create the data directory (mode 0700) if missing; return its absolute path. Raises DataError."""
    text = N_(
        "The data directory {path!r} refers to a home directory that doesn't exist here; choose another one."
    )
    with explain_errors(text, RuntimeError, path=str(path)):
        place = path.expanduser().absolute()
    with (
        explain_errors(N_("Can't create the data directory {place}: {why}."), place=place),
        explain_errors(
            N_("{place!r} isn't a valid directory name; choose another one for the data."),
            ValueError,
            place=str(place),
        ),
        explain_errors(
            N_("{place} is a file; choose a directory for the data."), FileExistsError, place=place
        ),
    ):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = place.stat()
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise DataError(
            N_("Other users can write to the data directory {place}; run chmod 700 on it."), place=place
        )
    if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
        if os.statvfs(place).f_flag & os.ST_RDONLY:
            raise DataError(READ_ONLY, folder=place)
        raise DataError(
            N_("Can't write to the data directory {place}; make the server's user its owner."),
            place=place,
        )
    return place


def replace_file(path: Path, content: bytes) -> None:
    """Replace the file with `content` (mode 0600) as a whole or not at all. Raises OSError."""
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}-", delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, path)
        except OSError:
            os.unlink(file.name)
            raise
    sync_directory(path.parent)


def stamped_path(folder: Path, prefix: str) -> Path:
    """Return an unused path in `folder`: `prefix` and the time, and a number if needed."""
    name = f"{prefix}{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    names = (name if count == 1 else f"{name}-{count}" for count in itertools.count(1))
    return next(path for path in map(folder.joinpath, names) if not path.exists())


LOCK_FILE = "lock"


def lock_directory(data: Path) -> FileIO:
    """Lock the data directory until the returned file is closed. Raises DataError if another process holds the lock.

    Also raises it for root in another user's directory, since that user couldn't write what root creates, and for a
    file system that lacks what the data needs.
    """
    path = data / LOCK_FILE
    try:
        owner = data.stat().st_uid
    except OSError:
        # Opening the lock reports this error.
        owner = 0
    if owner and os.geteuid() == 0:
        raise DataError(
            N_(
                "The data directory {data} belongs to {user}, who can't write to files that root creates there. "
                "Run this as that user: runuser -u {user} -- cartino ..."
            ),
            data=data,
            user=_user_name(owner),
        )
    with explain_errors(N_("Can't create the lock {path}: {why}."), path=path):
        try:
            file = FileIO(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "r+")
        except OSError as error:
            if error.errno == errno.EROFS:
                raise DataError(READ_ONLY, folder=data) from None
            raise
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = b""
        with contextlib.suppress(OSError):
            holder = next(iter(os.pread(file.fileno(), 20, 0).split()), b"")
        file.close()
        if not isinstance(error, BlockingIOError):
            lack = lack_message(data, FILE_LOCKS, error)
            raise DataError(lack.text, **lack.places) from None
        raise DataError(
            N_(
                "Another server (process {holder}) is running on the data directory {data}. Stop it first, or "
                "choose another directory."
            ),
            holder=holder.decode() if holder.isdigit() else "?",
            data=data,
        ) from None
    lack = find_lack(data)
    if lack.text:
        file.close()
        raise DataError(lack.text, **lack.places)
    # The id only serves error messages, so a full disk doesn't matter.
    with contextlib.suppress(OSError):
        file.truncate(0)
        file.write(f"{os.getpid()}\n".encode())
    return file


def is_locked(data: Path) -> bool:
    """Return whether a server runs on the data directory."""
    try:
        file = os.open(data / LOCK_FILE, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        # Without file locks no server starts.
        return False
    finally:
        os.close(file)
    return False


def write_server_address(data: Path, host: str, port: int) -> None:
    """Note where the holder of the lock listens. A full disk is ignored."""
    with contextlib.suppress(OSError):
        (data / LOCK_FILE).write_text(f"{os.getpid()} {port} {host}\n")


def read_server_address(data: Path) -> tuple[str, int] | None:
    """Return the host and port noted by the holder of the lock, if any."""
    if not is_locked(data):
        return None
    try:
        _, port, host = read_file(data / LOCK_FILE, _MAX_LOCK_BYTES).decode().rstrip("\n").split(" ")
        return host, int(port)
    except (OSError, ValueError):
        return None


def _user_name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"#{user}"


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
    # The file always has the same name, since it stays if no file can be removed.
    ability, place, probe = "", None, folder / f"{PROBE_PREFIX}file"
    try:
        os.close(os.open(probe, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        ability = N_("removing files")
        probe.unlink(missing_ok=True)
        ability = ""
        place = Path(tempfile.mkdtemp(prefix=PROBE_PREFIX, dir=folder))
        ability = N_("writing files")
        with open(os.open(place / "first", _NEW_FILE, 0o600), "w+b") as file:
            file.write(_PAGE)
            file.flush()
            ability = N_("private files")
            if not explain and os.fstat(file.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
            ability = N_("syncing files")
            os.fsync(file)
            ability = FILE_LOCKS
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Network file systems make both kinds of locks the same.
            fcntl.flock(file, fcntl.LOCK_UN)
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            ability = N_("memory shared through files")
            with mmap.mmap(file.fileno(), len(_PAGE)) as shared:
                shared[0] = 1
        ability = N_("renaming files")
        (place / "first").rename(place / "second")
        ability = N_("syncing directories")
        sync_directory(place)
    except OSError as error:
        if error.errno in _NO_ROOM:
            return LazyMessage(_FULL, {"folder": folder}) if explain else EMPTY_MESSAGE
        if ability or error.errno == errno.EROFS:
            return lack_message(folder, ability, error)
    finally:
        if place is not None:
            shutil.rmtree(place, ignore_errors=True)
    return EMPTY_MESSAGE


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
