"""An SSH client that keeps to no rules but those of the key exchange: it sends what it is told, and notes what comes.

It is asyncssh's, without its manners: nothing is tried by itself to log in, and any packet may be sent at any time.
"""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import asyncssh
from asyncssh.constants import (
    MSG_USERAUTH_BANNER,
    MSG_USERAUTH_FAILURE,
    MSG_USERAUTH_REQUEST,
    MSG_USERAUTH_SUCCESS,
)
from asyncssh.packet import Boolean, Byte, MPInt, SSHPacket, String

PATIENCE = 40.0
"""Seconds until what must happen is given up; only a failing test waits so long."""
MSG_PK_OK = 60
CONNECTION = b"ssh-connection"


async def until(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Give the loop turns until `condition` holds. Raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)


def rsa_blob(bits: int, exponent: int = 65537) -> bytes:
    """An RSA public key of so many bits, as it is sent; nobody has the other half."""
    return String(b"ssh-rsa") + MPInt(exponent) + MPInt((1 << (bits - 1)) | 1)


class RawClient(asyncssh.SSHClient):
    """Made by `knock`. `said` has the answers to what was tried, as types and payloads."""

    def __init__(self) -> None:
        self.said: list[tuple[int, bytes]] = []
        self.is_over = False
        self.why: Exception | None = None
        self.ready = asyncio.Event()
        """Whether one may begin to log in."""
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

    @property
    def connection(self) -> asyncssh.SSHClientConnection:
        return cast(asyncssh.SSHClientConnection, self._conn)

    def close(self) -> None:
        self._conn.abort()


async def knock(port: int, **options: Any) -> RawClient:
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
    async with asyncio.timeout(PATIENCE):
        ready = asyncio.create_task(client.ready.wait())
        await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
    return client
