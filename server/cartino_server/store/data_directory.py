"""The data directory: create and check it, lock it for one server, and build the commands that repair it.

The lock is an flock, which the system releases when its holder dies. Its file names the server's process and address,
so that `cartino doctor` can find a running server.
"""

import contextlib
import fcntl
import itertools
import os
import pwd
import shlex
import stat
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile

from cartino_protocol.text import EMPTY_MESSAGE, N_, LazyMessage, LazyMessageError, lazy_gettext

RESTORE_FOLDER = "restore"
"""The folder in which a copy that is being put back is kept until it is in place."""
REPLACED_PREFIX = "replaced-"
"""How the folders begin that have what a copy has replaced."""

LEFT_OVER = ".damaged.jsonl"
"""How the names of files end that have what was left of a damaged game."""


class DataError(LazyMessageError):
    """What is kept can't be kept or read; the sentence is for the person who starts the server.

    `fault` says only what is wrong, where the doctor has other advice than the sentence.
    """

    def __init__(self, sentence: LazyMessage, fault: LazyMessage = EMPTY_MESSAGE) -> None:
        """It can't for the reason in `sentence`."""
        super().__init__(sentence)
        self.fault = fault


def is_restoring(data: Path) -> bool:
    """Return whether a copy is half in place: some files of `data` are of before and some of the copy."""
    return any((data / RESTORE_FOLDER / step).is_dir() for step in ("ready", "moving", "old"))


def restore_command(data: Path, only: str = "") -> str:
    """Return the command that puts a copy in the place of what is damaged in `data`, to be shown to a person."""
    part = f" --only {only}" if only else ""
    return f"cartino restore COPY{part} --data {shlex.quote(str(data))}"


def doctor_command(data: Path, *words: str) -> str:
    """Return the command that looks at `data`, or does what `words` ("--forget", a game) say, to show to a person."""
    return shlex.join(("cartino", "doctor", "--data", str(data), *words))


def prepare_directory(path: Path) -> Path:
    """Make the data directory (mode 0700) where there is none; its absolute path. Raises DataError."""
    try:
        place = path.expanduser().absolute()
    except RuntimeError:
        raise DataError(
            lazy_gettext(
                "The data directory {path!r} is in the home of nobody here; name another one.", path=str(path)
            )
        ) from None
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = place.stat()
    except FileExistsError:
        raise DataError(
            lazy_gettext("{place} is a file; name a directory to keep the data in.", place=place)
        ) from None
    except ValueError:
        raise DataError(
            lazy_gettext(
                "No directory can be called {place!r}; name another one to keep the data in.",
                place=str(place),
            )
        ) from None
    except OSError as error:
        raise DataError(
            lazy_gettext("The data directory {place} can't be made: {why}.", place=place, why=error.strerror)
        ) from error
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise DataError(
            lazy_gettext("Others may write to the data directory {place}; run chmod 700 on it.", place=place)
        )
    if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
        raise DataError(
            lazy_gettext(
                "The data directory {place} can't be written to; give it to the user of the server.",
                place=place,
            )
        )
    return place


def sync_directory(path: Path) -> None:
    """Flush the names in a directory to disk. Raises OSError."""
    directory = os.open(path, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def replace_file(path: Path, content: bytes) -> None:
    """Replace the file with `content` (mode 0600) as a whole or not at all. Raises OSError."""
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}-", delete=False) as file:
        file.write(content)
    try:
        os.replace(file.name, path)
    except OSError:
        os.unlink(file.name)
        raise


def stamped_path(folder: Path, prefix: str) -> Path:
    """Return an unused path in `folder`: `prefix` and the time, and a number if needed."""
    name = f"{prefix}{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    names = (name if count == 1 else f"{name}-{count}" for count in itertools.count(1))
    return next(path for path in map(folder.joinpath, names) if not path.exists())


LOCK_FILE = "lock"


class DirectoryLock:
    """The data directory is ours until `release`, or until this process ends."""

    def __init__(self, file: int) -> None:
        """`file`: the descriptor that holds the lock."""
        self._file: int | None = file

    def release(self) -> None:
        """Let others have the directory; a second time does nothing."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> "DirectoryLock":
        """The lock itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Release it."""
        self.release()


def lock_directory(data: Path) -> DirectoryLock:
    """Take the lock of the data directory. Raises DataError at once where another process has it.

    Also where we are root and the directory is somebody else's, who could not write what we make there.
    """
    path = data / LOCK_FILE
    try:
        owner = data.stat().st_uid
    except OSError:
        # What is wrong with it is said of the lock.
        owner = 0
    if owner and os.geteuid() == 0:
        raise DataError(
            lazy_gettext(
                "The data directory {data} belongs to {user}, who can't write what root makes there; run this as "
                "that user: runuser -u {user} -- cartino ...",
                data=data,
                user=_user_name(owner),
            )
        )
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise DataError(
            lazy_gettext("The lock {path} can't be made: {why}.", path=path, why=error.strerror)
        ) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = _holder_pid(file)
        os.close(file)
        text = (
            N_(
                "Another server (process {holder}) runs on the data directory {data}; stop it first, or name "
                "another directory."
            )
            if holder
            else N_(
                "Another server runs on the data directory {data}; stop it first, or name another directory."
            )
        )
        raise DataError(LazyMessage(text, {"holder": holder, "data": data})) from None
    except OSError as error:
        os.close(file)
        raise DataError(
            lazy_gettext("The data directory {data} can't be locked: {why}.", data=data, why=error.strerror)
        ) from error
    # The number is only for the other one's sentence, so a full disk doesn't matter.
    with contextlib.suppress(OSError):
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
    return DirectoryLock(file)


def is_locked(data: Path) -> bool:
    """Whether a server runs on the data directory now."""
    try:
        file = os.open(data / LOCK_FILE, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


def write_server_address(data: Path, host: str, port: int) -> None:
    """Whoever holds the lock listens at `host`, `port`: for others to read. On a full disk nothing is noted."""
    with contextlib.suppress(OSError):
        (data / LOCK_FILE).write_text(f"{os.getpid()} {port} {host}\n")


def read_server_address(data: Path) -> tuple[str, int] | None:
    """The host and port that the holder of the lock noted; None where it noted none, or there is no holder."""
    if not is_locked(data):
        return None
    try:
        _, port, host = (data / LOCK_FILE).read_text().rstrip("\n").split(" ")
        return host, int(port)
    except (OSError, ValueError):
        return None


def _user_name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"#{user}"


def _holder_pid(file: int) -> int:
    """The number of the process that has the lock, 0 where it noted none."""
    try:
        first, *_ = os.pread(file, 20, 0).split() or (b"",)
    except OSError:
        return 0
    return int(first) if first.isdigit() else 0
