"""An SSH client that keeps to no rules but those of the key exchange: it sends what it is told, and notes what comes.

It is asyncssh's, without its manners: nothing is tried by itself to log in, and any packet may be sent at any time.
"""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import asyncssh
from asyncssh.constants import (
    MSG_CHANNEL_CLOSE,
    MSG_CHANNEL_DATA,
    MSG_CHANNEL_EOF,
    MSG_CHANNEL_OPEN,
    MSG_CHANNEL_OPEN_CONFIRMATION,
    MSG_CHANNEL_OPEN_FAILURE,
    MSG_CHANNEL_REQUEST,
    MSG_CHANNEL_WINDOW_ADJUST,
    MSG_GLOBAL_REQUEST,
    MSG_KEXINIT,
    MSG_REQUEST_FAILURE,
    MSG_REQUEST_SUCCESS,
    MSG_USERAUTH_BANNER,
    MSG_USERAUTH_FAILURE,
    MSG_USERAUTH_REQUEST,
    MSG_USERAUTH_SUCCESS,
)
from asyncssh.packet import Boolean, Byte, MPInt, SSHPacket, String, UInt32

TIME_LIMIT = 40.0
"""Seconds until what must happen is given up; only a failing test waits so long."""
MSG_PK_OK = 60
CONNECTION = b"ssh-connection"


async def until(condition: Callable[[], object], seconds: float = TIME_LIMIT) -> None:
    """Give the loop turns until `condition` holds. Raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)


def rsa_blob(bits: int, exponent: int = 65537) -> bytes:
    """An RSA public key of so many bits, as it is sent; nobody has the other half."""
    return String(b"ssh-rsa") + MPInt(exponent) + MPInt((1 << (bits - 1)) | 1)


class RawChannel:
    """One channel of a `RawClient`, which sends on it whatever it likes."""

    def __init__(self, client: "RawClient", number: int) -> None:
        self.said: list[int] = []
        self.read = bytearray()
        """What came on it."""
        self.theirs: int | None = None
        """Its number on the other side, once it is open there."""
        self.is_refused = False
        self.table = 0
        """Bytes that may be sent."""
        self._client, self._number = client, number

    # -- for asyncssh

    def process_packet(self, pkttype: int, _pktid: int, packet: SSHPacket) -> bool:
        self.said.append(pkttype)
        if pkttype == MSG_CHANNEL_WINDOW_ADJUST:
            self.table += packet.get_uint32()
        elif pkttype == MSG_CHANNEL_DATA:
            self.read += packet.get_string()
        return True

    def log_received_packet(self, *_: object, **__: object) -> None: ...

    def process_connection_close(self, exc: Exception | None) -> None: ...

    def opened(self, packet: SSHPacket) -> None:
        self.theirs, self.table = packet.get_uint32(), packet.get_uint32()

    # -- for the test

    @property
    def is_closed(self) -> bool:
        """Whether the other side has ended it."""
        return MSG_CHANNEL_CLOSE in self.said

    def send(self, pkttype: int, *parts: bytes) -> None:
        assert self.theirs is not None
        self._client.send(pkttype, UInt32(self.theirs), *parts)

    def request(self, name: bytes, *parts: bytes, reply: bool = False) -> None:
        self.send(MSG_CHANNEL_REQUEST, String(name), Boolean(reply), *parts)

    def pty(self, term: bytes = b"xterm", width: int = 80, height: int = 24, modes: bytes = b"") -> None:
        sizes = (UInt32(number) for number in (width, height, 0, 0))
        self.request(b"pty-req", String(term), *sizes, String(modes), reply=True)

    def resize(self, width: int, height: int) -> None:
        self.request(b"window-change", *(UInt32(number) for number in (width, height, 0, 0)))

    def shell(self) -> None:
        self.request(b"shell", reply=True)

    def runs(self, command: bytes) -> None:
        self.request(b"exec", String(command), reply=True)

    def types(self, data: bytes) -> int:
        """Type as much as there is room for; how much that was."""
        sent = data[: self.table]
        self.table -= len(sent)
        for at in range(0, len(sent), 30_000):
            self.send(MSG_CHANNEL_DATA, String(sent[at : at + 30_000]))
        return len(sent)

    def reads_on(self, size: int) -> None:
        self.send(MSG_CHANNEL_WINDOW_ADJUST, UInt32(size))

    def ends_input(self) -> None:
        self.send(MSG_CHANNEL_EOF)

    def close(self) -> None:
        self.send(MSG_CHANNEL_CLOSE)


class RawClient(asyncssh.SSHClient):
    """Made by `connect_raw`. `said` has the answers to what was tried, as types and payloads."""

    def __init__(self) -> None:
        self.said: list[tuple[int, bytes]] = []
        self.is_over = False
        self.why: Exception | None = None
        self.ready = asyncio.Event()
        """Whether one may begin to log in."""
        self.channels: list[RawChannel] = []
        self.answers: list[int] = []
        """What came for global requests."""
        self.connecting: asyncio.Task[None] | None = None
        self._conn: Any = None

    # -- for asyncssh: the client, and the method that is tried

    def connection_made(self, conn: asyncssh.SSHClientConnection) -> None:
        self._conn = conn
        self._conn.try_next_auth = self._may_begin
        known = conn.process_packet

        def process_packet(pkttype: int, pktid: int, packet: SSHPacket) -> Any:
            if pkttype in (MSG_USERAUTH_FAILURE, MSG_USERAUTH_BANNER):
                return self.process_packet(pkttype, pktid, packet)
            if pkttype == MSG_USERAUTH_SUCCESS:
                self.said.append((pkttype, b""))
            if pkttype == MSG_CHANNEL_OPEN_CONFIRMATION and self.channels:
                self.channels[packet.get_uint32()].opened(packet)
                return True
            if pkttype == MSG_CHANNEL_OPEN_FAILURE and self.channels:
                self.channels[packet.get_uint32()].is_refused = True
                return True
            if pkttype in (MSG_REQUEST_SUCCESS, MSG_REQUEST_FAILURE):
                self.answers.append(pkttype)
                return True
            return known(pkttype, pktid, packet)

        cast(Any, conn).process_packet = process_packet

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_over, self.why = True, exc

    def _may_begin(self, **_: object) -> None:
        self._conn._auth = self
        self.ready.set()

    def process_packet(self, pkttype: int, _pktid: int, packet: SSHPacket) -> bool:
        self.said.append((pkttype, packet.get_remaining_payload()))
        return True

    def log_received_packet(self, *_: object, **__: object) -> None: ...

    def auth_succeeded(self) -> None: ...

    def auth_failed(self) -> None: ...

    def cancel(self) -> None: ...

    # -- for the test

    @property
    def kinds(self) -> list[int]:
        return [kind for kind, _ in self.said]

    def send(self, pkttype: int, *parts: bytes) -> None:
        """One packet, now."""
        if self._conn._transport is not None:
            self._conn.send_packet(pkttype, *parts)

    def renew_keys(self) -> None:
        """Begin another key exchange, unless one goes on."""
        if self._conn._kex_complete and self._conn._transport is not None:
            self._conn._send_kexinit()
            self._conn._kexinit_sent = True

    def tries(self, user: bytes, method: bytes, *parts: bytes) -> None:
        """Try to log in, without a look at what comes of it."""
        self.send(MSG_USERAUTH_REQUEST, String(user), String(CONNECTION), String(method), *parts)

    def shows(self, user: bytes, kind: bytes, blob: bytes) -> None:
        """Ask whether a key would do."""
        self.tries(user, b"publickey", Boolean(False), String(kind), String(blob))

    def signs(self, user: bytes, kind: bytes, blob: bytes, sign: Callable[[bytes], bytes]) -> None:
        """Log in with a key, by the signature that `sign` makes of what is to be signed."""
        request = b"".join(
            (
                Byte(MSG_USERAUTH_REQUEST),
                *(String(user), String(CONNECTION), String(b"publickey")),
                *(Boolean(True), String(kind), String(blob)),
            )
        )
        signature = sign(String(self._conn._session_id) + request)
        self.send(MSG_USERAUTH_REQUEST, request[1:], String(signature))

    def comes_as_guest(self, user: bytes = b"eve") -> None:
        self.tries(user, b"keyboard-interactive", String(b""), String(b""))

    async def hears(self, *kinds: int) -> None:
        """Wait until exactly these have been said."""
        await until(lambda: self.is_over or len(self.said) >= len(kinds))
        assert self.kinds == list(kinds), self.why

    def is_cut_off(self, kind: type[asyncssh.DisconnectError] = asyncssh.DisconnectError) -> bool:
        """Whether the server ended the connection for a reason of that `kind`.

        A kernel that gets packets for a socket already closed resets the connection, and the reset may overtake the
        server's last message.
        """
        return isinstance(self.why, kind | ConnectionResetError)

    @property
    def connection(self) -> asyncssh.SSHClientConnection:
        return cast(asyncssh.SSHClientConnection, self._conn)

    async def comes_in(self) -> None:
        """Log in as a guest."""
        self.comes_as_guest()
        await until(lambda: MSG_USERAUTH_SUCCESS in self.kinds or self.is_over)
        assert not self.is_over, self.why

    def asks(self, name: bytes, *parts: bytes) -> None:
        """A request for the whole connection."""
        self.send(MSG_GLOBAL_REQUEST, String(name), Boolean(True), *parts)

    def opens(self, kind: bytes = b"session", *parts: bytes, window: int = 1 << 20) -> RawChannel:
        """Ask for a channel."""
        channel = RawChannel(self, len(self.channels))
        self.channels.append(channel)
        self._conn._channels[len(self.channels) - 1] = channel
        sizes = (UInt32(number) for number in (len(self.channels) - 1, window, 32_768))
        self.send(MSG_CHANNEL_OPEN, String(kind), *sizes, *parts)
        return channel

    async def session(self, window: int = 1 << 20) -> RawChannel:
        """A session on which nothing was asked for yet."""
        channel = self.opens(window=window)
        await until(lambda: channel.theirs is not None or self.is_over)
        assert channel.theirs is not None, self.why
        return channel

    async def table(self, window: int = 1 << 20) -> RawChannel:
        """A session with a terminal and no command."""
        channel = await self.session(window)
        channel.pty()
        channel.shell()
        return channel

    def begins_keys_and_no_more(self) -> None:
        """Begin a key exchange, and leave the other side waiting for ever."""
        self._conn._process_kexinit = None
        cookie, known = bytes(16), self._conn._client_kexinit
        self.send(MSG_KEXINIT, cookie, known[17:])

    def close(self) -> None:
        self._conn.abort()


async def connect_raw(port: int, **options: Any) -> RawClient:
    """A client that may begin to log in. The task that connects ends with the connection."""
    client = RawClient()

    async def connect() -> None:
        try:
            await asyncssh.connect(
                "127.0.0.1",
                port,
                config=None,
                known_hosts=None,
                username="eve",
                client_factory=lambda: client,
                client_keys=None,
                agent_path=None,
                **options,
            )
        except (asyncssh.Error, OSError) as error:
            client.why = client.why or error
            client.is_over = True

    task = asyncio.create_task(connect())
    client.connecting = task
    async with asyncio.timeout(TIME_LIMIT):
        ready = asyncio.create_task(client.ready.wait())
        await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
    return client
