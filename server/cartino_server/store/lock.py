"""One server a data directory: a lock that the system takes back by itself when its holder dies."""

import contextlib
import fcntl
import os
import pwd
from pathlib import Path

from cartino_protocol.marking import N_, Sentence, later
from cartino_server.store.datadir import DataError

FILE = "lock"


class Lock:
    """The data directory is ours until `release`, or until this process ends."""

    def __init__(self, file: int) -> None:
        """`file`: the descriptor that holds the lock."""
        self._file: int | None = file

    def release(self) -> None:
        """Let others have the directory; a second time does nothing."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> "Lock":
        """The lock itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Release it."""
        self.release()


def lock(data: Path) -> Lock:
    """Take the lock of the data directory. Raises DataError at once where another process has it.

    Also where we are root and the directory is somebody else's, who could not write what we make there.
    """
    path = data / FILE
    try:
        owner = data.stat().st_uid
    except OSError:
        # What is wrong with it is said of the lock.
        owner = 0
    if owner and os.geteuid() == 0:
        raise DataError(
            later(
                "The data directory {data} belongs to {user}, who can't write what root makes there; run this as "
                "that user: runuser -u {user} -- cartino ...",
                data=data,
                user=_name_of(owner),
            )
        )
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise DataError(
            later("The lock {path} can't be made: {why}.", path=path, why=error.strerror)
        ) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = _holder(file)
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
        raise DataError(Sentence(text, {"holder": holder, "data": data})) from None
    except OSError as error:
        os.close(file)
        raise DataError(
            later("The data directory {data} can't be locked: {why}.", data=data, why=error.strerror)
        ) from error
    # The number is only for the other one's sentence, so a full disk doesn't matter.
    with contextlib.suppress(OSError):
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
    return Lock(file)


def is_locked(data: Path) -> bool:
    """Whether a server runs on the data directory now."""
    try:
        file = os.open(data / FILE, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


def note_address(data: Path, host: str, port: int) -> None:
    """Whoever holds the lock listens at `host`, `port`: for others to read. On a full disk nothing is noted."""
    with contextlib.suppress(OSError):
        (data / FILE).write_text(f"{os.getpid()} {port} {host}\n")


def noted_address(data: Path) -> tuple[str, int] | None:
    """The host and port that the holder of the lock noted; None where it noted none, or there is no holder."""
    if not is_locked(data):
        return None
    try:
        _, port, host = (data / FILE).read_text().rstrip("\n").split(" ")
        return host, int(port)
    except (OSError, ValueError):
        return None


def _name_of(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"#{user}"


def _holder(file: int) -> int:
    """The number of the process that has the lock, 0 where it noted none."""
    try:
        first, *_ = os.pread(file, 20, 0).split() or (b"",)
    except OSError:
        return 0
    return int(first) if first.isdigit() else 0
