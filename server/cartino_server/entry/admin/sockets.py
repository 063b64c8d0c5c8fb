"""The Unix socket in the data directory: made for its owner alone, and who is at the other end."""

import os
import socket
import stat
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from cartino_server.entry.admin.wire import FILE

LONGEST: Final = 100
"""Bytes of a path that every system takes for a socket."""
ROOT: Final = 0

_PEER: Final = struct.Struct("=3i")
_MAC_PEER: Final = struct.Struct("=2I")
_LOCAL_PEERCRED: Final = 1


def listen_in(data: Path) -> socket.socket:
    """A listening socket in the directory `data`, mode 0600, in place of one that a dead server left.

    Whoever calls this holds the lock of the directory. Raises OSError.
    """
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | getattr(socket, "SOCK_CLOEXEC", 0))
    try:
        with _reachable(data) as path:
            _clear(path)
            # On Linux the file has the mode of the socket from the first moment on, elsewhere from the next.
            with suppress(OSError):
                os.fchmod(listening.fileno(), 0o600)
            listening.bind(path)
            os.chmod(path, 0o600)
        listening.listen(8)
        listening.setblocking(False)
    except BaseException:
        listening.close()
        raise
    return listening


def connect_in(data: Path, timeout: float) -> socket.socket:
    """A connection to the house that serves the directory `data`. Raises OSError."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        client.settimeout(timeout)
        with _reachable(data) as path:
            client.connect(path)
    except BaseException:
        client.close()
        raise
    return client


def remove_in(data: Path) -> None:
    """There is no socket any more."""
    (data / FILE).unlink(missing_ok=True)


def peer_of(client: socket.socket) -> int | None:
    """The user id of the process at the other end; None where the system doesn't say."""
    try:
        if hasattr(socket, "SO_PEERCRED"):
            _, uid, _ = _PEER.unpack(client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
            return int(uid)
        if sys.platform == "darwin":
            version, uid = _MAC_PEER.unpack(client.getsockopt(0, _LOCAL_PEERCRED, 76)[: _MAC_PEER.size])
            return None if version else int(uid)
    except (OSError, struct.error):
        return None
    return None


def may_ask(peer: int | None, own: int) -> bool:
    """Whether a process of the user `peer` may say what is done in a house of the user `own`."""
    return peer is not None and peer in {own, ROOT}


def _clear(path: str) -> None:
    """Take away a socket; anything else there is somebody's, and none of ours. Raises OSError."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise FileExistsError(17, "something that is no socket is in its place", path)
    os.unlink(path)


@contextmanager
def _reachable(data: Path) -> Iterator[str]:
    """A path of the socket that is short enough to be bound or connected to."""
    path = str(data / FILE)
    if len(os.fsencode(path)) <= LONGEST:
        yield path
        return
    directory = os.open(data, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{directory}/{FILE}"
    finally:
        os.close(directory)
