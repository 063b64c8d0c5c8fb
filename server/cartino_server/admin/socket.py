"""The admin socket: a Unix socket in the data directory, one framed request and reply per connection.

Only the server's own user and root are answered. A client that hangs or sends nonsense affects nobody else.
"""

import asyncio
import contextvars
import os
import socket
import stat
import struct
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Final, TypeVar

import msgspec
import structlog

from cartino_protocol.base import DECODE_ERRORS
from cartino_protocol.wire import BadFrame, frame_bytes
from cartino_server.visitors import Reply
from cartino_tui.i18n import Translator, translator_for
from cartino_tui.preferences import language_of

SOCKET_FILE: Final = "admin.sock"
MAX_REQUEST_BYTES: Final = 1 << 16
"""Bytes of a request."""
MAX_REPLY_BYTES: Final = 1 << 24
"""Bytes of a reply."""
FORWARDED_ENVIRONMENT: Final = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG", "TERM")
"""Environment variables sent along, for the language of the reply."""

_Word = Annotated[str, msgspec.Meta(max_length=4096)]


class AdminRequest(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Run `words`; `env` holds FORWARDED_ENVIRONMENT."""

    words: Annotated[tuple[_Word, ...], msgspec.Meta(max_length=200)]
    env: Annotated[dict[_Word, _Word], msgspec.Meta(max_length=len(FORWARDED_ENVIRONMENT))] = {}


class AdminReply(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """The texts for both outputs and the exit status."""

    stdout: str
    stderr: str
    status: int


M = TypeVar("M", bound=AdminRequest | AdminReply)


def encode_message(message: AdminRequest | AdminReply) -> bytes:
    """Encode the content of a frame."""
    return msgspec.msgpack.encode(message)


def decode_message(frame: bytes, kind: type[M]) -> M:
    """Decode the content of a frame. Raises BadFrame."""
    try:
        return msgspec.msgpack.decode(frame, type=kind)
    except DECODE_ERRORS as error:
        raise BadFrame(str(error)) from None


MAX_PATH_BYTES: Final = 100
"""Bytes of a socket path that every system accepts."""
ROOT: Final = 0

_PEER: Final = struct.Struct("=3i")
_MAC_PEER: Final = struct.Struct("=2I")
_LOCAL_PEERCRED: Final = 1


def create_socket(data: Path) -> socket.socket:
    """Listen in the directory `data`, mode 0600, in place of a stale socket. Raises OSError.

    The caller holds the lock of the directory.
    """
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | getattr(socket, "SOCK_CLOEXEC", 0))
    try:
        with _short_path(data) as path:
            _remove_stale(path)
            # On Linux the file gets this mode when it is created.
            with suppress(OSError):
                os.fchmod(listening.fileno(), 0o600)
            listening.bind(path)
            try:
                os.chmod(path, 0o600)
            except OSError:
                os.unlink(path)
                raise
        listening.listen(8)
        listening.setblocking(False)
    except BaseException:
        listening.close()
        raise
    return listening


def connect_socket(data: Path, timeout: float) -> socket.socket:
    """Connect to the server of the directory `data`. Raises OSError."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        client.settimeout(timeout)
        with _short_path(data) as path:
            client.connect(path)
    except BaseException:
        client.close()
        raise
    return client


def peer_uid(client: socket.socket) -> int | None:
    """Return the user id of the process at the other end, None if the system doesn't say."""
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


def is_allowed(peer: int | None, own: int) -> bool:
    """Return whether a process of the user `peer` may administer a server of the user `own`."""
    return peer is not None and peer in {own, ROOT}


def _remove_stale(path: str) -> None:
    """Remove a socket, but no other kind of file. Raises OSError."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise FileExistsError(17, "something that is no socket is in its place", path)
    os.unlink(path)


@contextmanager
def _short_path(data: Path) -> Iterator[str]:
    """Yield a path of the socket within MAX_PATH_BYTES."""
    path = str(data / SOCKET_FILE)
    if len(os.fsencode(path)) <= MAX_PATH_BYTES:
        yield path
        return
    directory = os.open(data, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{directory}/{SOCKET_FILE}"
    finally:
        os.close(directory)


MAX_CONNECTIONS: Final = 8
"""Connections at a time; more are closed at once."""
REQUEST_SECONDS: Final = 5.0
"""Seconds to send a request, and to take its reply."""
CLOSE_SECONDS: Final = 1.0
"""Seconds for pending replies when the server ends."""

AdminRequestHandler = Callable[[str, Sequence[str], Translator, str], Awaitable[Reply]]
"""`AdminDispatcher.run_command`."""

_log = structlog.get_logger(__name__)


class AdminSocket:
    """Serves admin requests; made by `open_admin_socket`."""

    def __init__(self, listening: socket.socket, data: Path, answer: AdminRequestHandler, own: int) -> None:
        """Serve connections to `listening`; `own` is the user id of the server."""
        self._data = data
        self._answer = answer
        self._own = own
        self._listening = listening
        self._asking: set[asyncio.Task[None]] = set()
        self._serving = asyncio.get_running_loop().create_task(self._run(), context=contextvars.Context())

    async def close(self) -> None:
        """Stop accepting, and finish pending requests."""
        self._serving.cancel()
        await asyncio.gather(self._serving, return_exceptions=True)
        self._listening.close()
        try:
            (self._data / SOCKET_FILE).unlink(missing_ok=True)
        except OSError as error:
            _log.warning("can't remove the admin socket", why=str(error))
        if self._asking:
            await asyncio.wait(self._asking, timeout=CLOSE_SECONDS)
        for asking in self._asking:
            asking.cancel()
        await asyncio.gather(*self._asking, return_exceptions=True)

    async def _run(self) -> None:
        server = await asyncio.start_unix_server(self._serve, sock=self._listening)
        try:
            await asyncio.Event().wait()
        finally:
            # It isn't waited for: `close` has its own limit for pending requests.
            server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        who, task = "", asyncio.current_task()
        assert task is not None
        try:
            peer = peer_uid(writer.get_extra_info("socket"))
            if len(self._asking) >= MAX_CONNECTIONS or not is_allowed(peer, self._own):
                _log.warning("admin request refused", uid=peer)
                return
            self._asking.add(task)
            who = f"uid {peer}"
            async with asyncio.timeout(REQUEST_SECONDS):
                length = int.from_bytes(await reader.readexactly(4), "big")
                if length > MAX_REQUEST_BYTES:
                    raise BadFrame(f"a frame of {length} bytes")
                asked = decode_message(await reader.readexactly(length), AdminRequest)
            translator = translator_for(language_of(asked.env))
            reply = await self._answer(who, asked.words, translator, "cartino admin")
            writer.write(frame_bytes(encode_message(AdminReply(reply.stdout, reply.stderr, reply.status))))
            async with asyncio.timeout(REQUEST_SECONDS):
                writer.close()
                await writer.wait_closed()
        except (BadFrame, EOFError, OSError, TimeoutError) as error:
            _log.info("admin request not answered", who=who, why=str(error) or "too slow")
        except Exception:
            _log.exception("admin request crashed", who=who)
        finally:
            self._asking.discard(task)
            writer.transport.abort()


def open_admin_socket(data: Path, answer: AdminRequestHandler) -> AdminSocket | None:
    """Serve admin requests in the directory `data`; log why and return None if that fails."""
    try:
        listening = create_socket(data)
    except OSError as error:
        is_taken = isinstance(error, FileExistsError)
        mend = f"move {SOCKET_FILE} away" if is_taken else "use a data directory on a local disk"
        _log.error(
            "can't open the admin socket",
            why=error.strerror or str(error),
            without="cartino admin, cartino health",
            mend=f"{mend}, then restart the server",
        )
        return None
    return AdminSocket(listening, data, answer, os.getuid())
