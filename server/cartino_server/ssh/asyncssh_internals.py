"""Change asyncssh where it has no public API. The only module that uses its private names.

A test compares the source of each asyncssh function used here, so that changes upstream are noticed.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final
from weakref import ref

from asyncssh import DisconnectError, KeyExchangeFailed, ProtocolError, SSHServerChannel, SSHServerConnection
from asyncssh.constants import MSG_IGNORE, MSG_KEXINIT, MSG_USERAUTH_REQUEST
from asyncssh.packet import SSHPacket, SSHPacketLogger

from cartino_server.ssh.authentication import (
    MAX_SIGNATURE_BYTES,
    LoginProgress,
    is_accepted_signature,
    key_fault,
)
from cartino_server.ssh.negotiation import read_offer
from cartino_server.ssh.rate_limit import PACKET_COSTS, InputLimit

_NO_IGNORE_CIPHERS: Final = ("-ctr", "-gcm@openssh.com", "chacha20-poly1305@openssh.com")
"""Suffixes of ciphers whose packets begin with something unpredictable anyway."""
DISABLED_GLOBAL_REQUESTS: Final = (
    "_process_tcpip_forward_global_request",
    "_process_cancel_tcpip_forward_global_request",
    "_process_streamlocal_forward_at_openssh_dot_com_global_request",
    "_process_cancel_streamlocal_forward_at_openssh_dot_com_global_request",
    "_process_hostkeys_prove_00_at_openssh_dot_com_global_request",
)
"""Requests that asyncssh would serve; one of them costs a signature per 55 bytes received."""
DISABLED_CHANNEL_REQUESTS: Final = (
    "_process_x11_req_request",
    "_process_auth_agent_req_at_openssh_dot_com_request",
)
_CHUNK: Final = 4096
"""Bytes handed to asyncssh at once; for every packet it moves all it holds."""
READ_SIZE: Final = 16_384
"""Bytes read from the network at once."""
_MAX_BUFFERED: Final = 40_000
"""Bytes handed to asyncssh ahead of its reading: more than the largest packet."""
PACKETS_PER_TURN: Final = 16
"""Packets read before other connections get a turn, about 2 ms of work."""
_MAX_DEFERRED: Final = 512
"""Packets that may wait for the end of a key exchange."""
REPLACED_METHODS: Final = (
    "pause_writing",
    "resume_writing",
    "send_packet",
    "process_packet",
    "send_userauth_failure",
    "validate_public_key",
    "get_key_option",
    "data_received",
    "_recv_pkthdr",
)
"""Methods of a connection that are replaced by ours."""
_MAX_USER_BYTES: Final = 1024
"""Length of a user name from which on asyncssh ends the connection."""
_PLACEHOLDER_USER: Final = b"somebody"
_JOIN_BELOW: Final = 1024
"""Waiting input smaller than this is joined with the next piece."""
_QUICK_ACK: Final[int | None] = getattr(socket, "TCP_QUICKACK", None)
"""Linux's option that acknowledges received data at once; None elsewhere. It holds until the kernel resets it."""


def limit_channel_requests(channel: SSHServerChannel[bytes], keep: Callable[[bytes, bytes], bool]) -> None:
    """Pass each environment variable to `keep`, and accept commands that are not UTF-8.

    asyncssh stores any number of variables, and rejects such commands without a message. Undecodable bytes reach the
    session as lone surrogates.
    """
    # A strong reference to the channel in its own attributes would keep it alive for ever.
    guarded = ref(channel)

    def environment(packet: SSHPacket) -> bool:
        name, value = packet.get_string(), packet.get_string()
        packet.check_end()
        return keep(name, value)

    def command(packet: SSHPacket) -> bool:
        text = packet.get_string().decode("utf-8", "surrogateescape")
        packet.check_end()
        open_channel = guarded()
        return open_channel is not None and open_channel._start_session(command=text)

    def accept(data: bytes, datatype: int | None = None) -> None:
        open_channel = guarded()
        if open_channel is None:
            return
        waiting = open_channel._recv_buf
        before = len(waiting)
        SSHServerChannel._accept_data(open_channel, data, datatype)
        # A window full of single bytes would take a hundred times the memory.
        if len(waiting) > max(before, 1) and len(waiting[-2][0]) < _JOIN_BELOW and waiting[-2][1] == datatype:
            last, _ = waiting.pop()
            waiting[-1] = (waiting[-1][0] + last, datatype)

    channel._process_env_request = environment  # type: ignore[method-assign]
    channel._process_exec_request = command  # type: ignore[method-assign]
    channel._accept_data = accept  # type: ignore[method-assign]
    for name in DISABLED_CHANNEL_REQUESTS:
        setattr(channel, name, None)


def limit_login(connection: SSHServerConnection, login: LoginProgress, allowance: InputLimit) -> None:
    """Report login attempts on a new connection to `login`, and limit its input to `allowance`.

    asyncssh counts neither. It would also check any key, and doesn't tell apart whether the client only asks about a
    key or has signed.
    """
    watched, follower = ref(connection), ref(login)
    algorithm = ""
    """The signature algorithm named in the last request."""

    def process_packet(pkttype: int, pktid: int, packet: SSHPacket) -> bool | Awaitable[None]:
        nonlocal algorithm
        ours, follows = watched(), follower()
        if ours is None:
            return True
        allowance.charge(PACKET_COSTS.get(pkttype, 0))
        if pkttype == MSG_KEXINIT and follows is not None:
            return _negotiate(ours, follows, pktid, packet)
        if pkttype == MSG_USERAUTH_REQUEST and follows is not None:
            user, algorithm = _parse_login(packet)
            follows.begin_attempt(user)
            if len(user) < _MAX_USER_BYTES and not (user.isascii() and user.decode().isprintable()):
                packet = _RenamedRequest(packet)
        return SSHServerConnection.process_packet(ours, pkttype, pktid, packet)

    def send_userauth_failure(partial_success: bool) -> None:
        ours, follows = watched(), follower()
        if ours is None or follows is None:
            return
        try:
            follows.failed()
        except DisconnectError as error:
            # asyncssh runs this in a task and would report the error twice.
            _disconnect(ours, error)
        else:
            SSHServerConnection.send_userauth_failure(ours, partial_success)

    async def validate_public_key(username: str, key_data: bytes, msg: bytes, signature: bytes) -> bool:
        ours, follows = watched(), follower()
        if ours is None or follows is None:
            return False
        fault = key_fault(algorithm, key_data)
        if fault:
            follows.key_refused(fault)
            return False
        good = not msg or (len(signature) <= MAX_SIGNATURE_BYTES and is_accepted_signature(signature))
        try:
            good = good and await SSHServerConnection.validate_public_key(
                ours, username, key_data, msg, signature
            )
        except Exception:
            # Malformed keys may raise anything; treat them as invalid.
            good = False
        if not good:
            follows.key_refused(f"{algorithm}, signature" if msg else algorithm, checked=True)
        elif msg:
            follows.proved()
        return good

    connection.process_packet = process_packet  # type: ignore[method-assign]
    connection.send_userauth_failure = send_userauth_failure  # type: ignore[method-assign]
    connection.validate_public_key = validate_public_key  # type: ignore[method-assign]
    connection.get_key_option = _key_option  # type: ignore[method-assign]
    for name in DISABLED_GLOBAL_REQUESTS:
        setattr(connection, name, None)
    _InputThrottle(connection, allowance)


async def _negotiate(
    connection: SSHServerConnection, login: LoginProgress, pktid: int, packet: SSHPacket
) -> None:
    """Process a KEXINIT, and find out whether the client's guess that may follow is wrong.

    asyncssh calls a guess right if the client's first key exchange is chosen in the end. Such a client sends a second
    packet when the server prefers another one, as Dropbear does.
    """
    offer = read_offer(packet)
    processed = SSHServerConnection.process_packet(connection, MSG_KEXINIT, pktid, packet)
    assert isinstance(processed, Awaitable)
    try:
        await processed
    except KeyExchangeFailed:
        login.missing = offer.missing()
        raise
    connection._ignore_first_kex = offer.is_wrong_guess(
        connection._kex_algs, connection._server_host_key_algs or ()
    )


def _key_option(option: str, default: object = None) -> object:
    """Return the option of a key as authorized_keys would: all keys may sign without a touch."""
    return option == "no-touch-required" or default


class _RenamedRequest(SSHPacket):
    """A login request that reports a placeholder user name; the signed bytes stay as received.

    asyncssh ends the connection if a name has characters unknown to stringprep (Unicode 3.2), such as emoji or tabs,
    and maps some invisible ones to spaces. Names are cleaned elsewhere.
    """

    def __init__(self, packet: SSHPacket) -> None:
        super().__init__(packet.get_full_payload())
        self.get_byte()
        self._is_user = True

    def get_string(self) -> bytes:
        """Return the next string; the first one is the user name."""
        text, is_user, self._is_user = super().get_string(), self._is_user, False
        return _PLACEHOLDER_USER if is_user else text


def _parse_login(request: SSHPacket) -> tuple[bytes, str]:
    """Return the user and, for a public key, the algorithm of a login request, without consuming it.

    Raises PacketDecodeError.
    """
    packet = SSHPacket(request.get_remaining_payload())
    user, _, method = packet.get_string(), packet.get_string(), packet.get_string()
    if method != b"publickey":
        return user, ""
    packet.get_boolean()
    return user, packet.get_string().decode("ascii", "replace")


class _InputThrottle:
    """Pass received bytes to a connection in chunks, a few packets per loop turn, within its limit.

    Excess bytes stay in the network: nothing is read while bytes wait here.
    """

    def __init__(self, connection: SSHServerConnection, allowance: InputLimit) -> None:
        self._connection = ref(connection)
        self._allowance = allowance
        self._loop = asyncio.get_running_loop()
        self._waiting = bytearray()
        self._left = PACKETS_PER_TURN
        self._next: asyncio.Handle | None = None
        self._works = False
        connection.data_received = self._feed  # type: ignore[method-assign]
        connection._recv_pkthdr = self._begin_packet  # type: ignore[method-assign]
        # The more asyncio reads at once, the later it notices that the client has gone.
        connection._transport.max_size = READ_SIZE  # type: ignore[union-attr]

    def _feed(self, data: bytes, datatype: int | None = None) -> None:
        self._waiting += data
        self._acknowledge()
        if self._next is None:
            self._work()

    def _acknowledge(self) -> None:
        """Acknowledge what a login has sent so far.

        Twice in a login, OpenSSH has more to send but waits for this, which the kernel would delay by 40 ms.
        """
        connection = self._connection()
        if _QUICK_ACK is None or connection is None or connection._auth_complete:
            return
        if not _is_alive(connection):
            # The kernel's last bytes may come after the connection was ended.
            return
        with suppress(OSError):
            connection.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, _QUICK_ACK, 1)

    def _work(self) -> None:
        self._next = None
        self._left = PACKETS_PER_TURN
        self._works = True
        try:
            self._hand_over()
        finally:
            self._works = False

    def _hand_over(self) -> None:
        connection = self._connection()
        if connection is not None and connection._inpbuf:
            connection._recv_data()
        while self._waiting and self._next is None and connection is not None and _is_alive(connection):
            if len(connection._inpbuf) >= _MAX_BUFFERED:
                # asyncssh is busy and asks for the next packet when it is done.
                break
            portion = bytes(self._waiting[:_CHUNK])
            del self._waiting[:_CHUNK]
            SSHServerConnection.data_received(connection, portion)
        if connection is None or connection._transport is None:
            self._waiting.clear()
        elif self._next is None and not self._waiting:
            connection._transport.resume_reading()
        else:
            connection._transport.pause_reading()

    def _begin_packet(self) -> bool:
        connection = self._connection()
        if connection is None or not _is_alive(connection):
            return False
        if len(connection._deferred_packets) > _MAX_DEFERRED:
            raise ProtocolError("Key exchange takes too long")
        now = self._loop.time()
        wait = self._allowance.wait(now)
        if self._allowance.is_abused(now):
            raise ProtocolError("Too many packets")
        if self._left <= 0 or wait > 0:
            self._come_back(wait)
            return False
        if self._waiting and not self._works:
            self._come_back(0)
        if not SSHServerConnection._recv_pkthdr(connection):
            return False
        self._left -= 1
        self._allowance.charge(1, connection._pktlen)
        return True

    def _come_back(self, wait: float) -> None:
        if self._next is None:
            self._next = self._loop.call_later(wait, self._work) if wait else self._loop.call_soon(self._work)


def _is_alive(connection: SSHServerConnection) -> bool:
    return connection._transport is not None


def _disconnect(connection: SSHServerConnection, error: DisconnectError) -> None:
    """Send a disconnect message, end the connection and discard its input."""
    connection._inpbuf = b""
    connection._send_disconnect(error.code, error.reason, error.lang)
    connection._force_close(error)


def watch_writing(
    connection: SSHServerConnection, pause: Callable[[], None], resume: Callable[[], None]
) -> None:
    """Call `pause` when the network buffer is full and `resume` when it drains.

    asyncssh ignores these notices of its transport.
    """
    connection.pause_writing = pause  # type: ignore[method-assign]
    connection.resume_writing = resume  # type: ignore[method-assign]


def drop_ignore_packets(connection: SSHServerConnection) -> None:
    """Send no ignore packet before each packet, which costs 36 bytes and encryption per key press.

    asyncssh does this for CBC ciphers. It still does with these, or with ciphers not known to be safe.
    """
    spared = ref(connection)

    def send_packet(pkttype: int, *args: bytes, handler: SSHPacketLogger | None = None) -> None:
        sending = spared()
        if sending is None or (pkttype == MSG_IGNORE and _needs_no_ignore(sending)):
            return
        SSHServerConnection.send_packet(sending, pkttype, *args, handler=handler)

    connection.send_packet = send_packet  # type: ignore[method-assign]


def _needs_no_ignore(connection: SSHServerConnection) -> bool:
    return str(connection.get_extra_info("send_cipher")).endswith(_NO_IGNORE_CIPHERS)


def release(connection: SSHServerConnection) -> None:
    """Break the reference cycles of an ended connection, so that it is freed at once.

    Call it only after asyncssh has returned to the loop: it may still be processing input.
    """
    connection._recv_handler = _no_packet
    for name in REPLACED_METHODS:
        vars(connection).pop(name, None)


def _no_packet() -> bool:
    return False


def unsent_bytes(connection: SSHServerConnection) -> int:
    """Return the bytes that wait for the network or for the end of a key exchange."""
    transport = connection._transport
    if transport is None:
        return 0
    deferred = sum(len(part) for _, parts in connection._deferred_packets for part in parts)
    return transport.get_write_buffer_size() + deferred
