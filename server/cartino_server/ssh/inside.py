"""The one module that knows asyncssh's private names. A test holds the text of each function that is leaned on."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Protocol
from weakref import ref

from asyncssh import DisconnectError, ProtocolError, SSHServerChannel, SSHServerConnection
from asyncssh.constants import MSG_IGNORE, MSG_USERAUTH_REQUEST
from asyncssh.packet import SSHPacket, SSHPacketLogger

from cartino_server.ssh.allowance import COSTS, Allowance
from cartino_server.ssh.offered import LONGEST_SIGNATURE, SIGNATURES, is_believed, is_fit

_NEED_NO_IGNORE: Final = ("-ctr", "-gcm@openssh.com", "chacha20-poly1305@openssh.com")
"""How the names of ciphers end that begin each packet with something nobody could know from the one before."""
NOT_TO_BE_HAD: Final = (
    "_process_tcpip_forward_global_request",
    "_process_cancel_tcpip_forward_global_request",
    "_process_streamlocal_forward_at_openssh_dot_com_global_request",
    "_process_cancel_streamlocal_forward_at_openssh_dot_com_global_request",
    "_process_hostkeys_prove_00_at_openssh_dot_com_global_request",
)
"""What asyncssh would do on request, one of them a signature for each 55 bytes that came."""
NOT_ON_A_CHANNEL: Final = ("_process_x11_req_request", "_process_auth_agent_req_at_openssh_dot_com_request")
_PORTION: Final = 4096
"""Bytes that asyncssh is handed at once: for every packet it moves all that it holds."""
READ_AT_ONCE: Final = 16_384
"""Bytes taken from the network at once."""
_HELD: Final = 40_000
"""Bytes that it is handed before it has read some of them: a packet of the largest size, and more."""
PACKETS_A_TURN: Final = 16
"""Packets read before everybody else has a turn, some 2 ms of work."""
_MOST_DEFERRED: Final = 512
"""Packets of ours that may wait for the end of a key exchange."""
OURS: Final = (
    "pause_writing",
    "resume_writing",
    "send_packet",
    "process_packet",
    "send_userauth_failure",
    "validate_public_key",
    "data_received",
    "_recv_pkthdr",
)
"""The methods of a connection that stand in for asyncssh's own."""
_LONGEST_USER: Final = 1024
"""Bytes of a user's name from which on asyncssh ends the connection."""
_RENAMED: Final = b"somebody"
_SMALL: Final = 1024
"""Bytes up to which a piece of input that waits is joined to the next."""


def guard_requests(channel: SSHServerChannel[bytes], keep: Callable[[bytes, bytes], bool]) -> None:
    """Let `keep` decide on every variable that the client sends, and let commands that are no UTF-8 through.

    asyncssh keeps all variables, without a bound, and answers such a command without a word to the person. The
    bytes that are no text reach the session as lone surrogates.
    """
    # asyncssh would never let go of a channel that has itself in what stands in for its methods.
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
        # A window full of single bytes would be a hundred times as large in pieces.
        if len(waiting) > max(before, 1) and len(waiting[-2][0]) < _SMALL and waiting[-2][1] == datatype:
            last, _ = waiting.pop()
            waiting[-1] = (waiting[-1][0] + last, datatype)

    channel._process_env_request = environment  # type: ignore[method-assign]
    channel._process_exec_request = command  # type: ignore[method-assign]
    channel._accept_data = accept  # type: ignore[method-assign]
    for name in NOT_ON_A_CHANNEL:
        setattr(channel, name, None)


class Login(Protocol):
    """Who follows the log-in of one connection. What these raise ends it."""

    def asked(self, user: bytes) -> None:
        """Somebody tries to log in as `user`. Raises DisconnectError."""

    def failed(self) -> None:
        """That didn't succeed. Raises DisconnectError."""

    def proved(self) -> None:
        """The key that was asked about last has signed."""


def guard_login(connection: SSHServerConnection, login: Login, allowance: Allowance) -> None:
    """Tell `login` of every try on a new connection, and take from it no more than `allowance` allows.

    asyncssh counts neither; keys it would look at whatever they are, and it asks about a key in the same way
    whether or not the client has signed.
    """
    watched, follower = ref(connection), ref(login)
    algorithm = ""
    """How the client wants to sign, in the request that was read last."""

    def process_packet(pkttype: int, pktid: int, packet: SSHPacket) -> bool | Awaitable[None]:
        nonlocal algorithm
        ours, follows = watched(), follower()
        if ours is None:
            return True
        allowance.charge(COSTS.get(pkttype, 0))
        if pkttype == MSG_USERAUTH_REQUEST and follows is not None:
            user, algorithm = _request(packet)
            follows.asked(user)
            if len(user) < _LONGEST_USER and not (user.isascii() and user.decode().isprintable()):
                packet = _Renamed(packet)
        return SSHServerConnection.process_packet(ours, pkttype, pktid, packet)

    def send_userauth_failure(partial_success: bool) -> None:
        ours, follows = watched(), follower()
        if ours is None or follows is None:
            return
        try:
            follows.failed()
        except DisconnectError as error:
            # Here asyncssh is in a task, and would say the end twice.
            _end(ours, error)
        else:
            SSHServerConnection.send_userauth_failure(ours, partial_success)

    async def validate_public_key(username: str, key_data: bytes, msg: bytes, signature: bytes) -> bool:
        ours, follows = watched(), follower()
        if ours is None or follows is None or not is_fit(key_data) or len(signature) > LONGEST_SIGNATURE:
            return False
        if algorithm not in SIGNATURES or (msg and not is_believed(signature)):
            return False
        try:
            good = await SSHServerConnection.validate_public_key(ours, username, key_data, msg, signature)
        except Exception:
            # What a stranger's bytes do to arithmetic is no error of ours: that is no key.
            return False
        if good and msg:
            follows.proved()
        return good

    connection.process_packet = process_packet  # type: ignore[method-assign]
    connection.send_userauth_failure = send_userauth_failure  # type: ignore[method-assign]
    connection.validate_public_key = validate_public_key  # type: ignore[method-assign]
    for name in NOT_TO_BE_HAD:
        setattr(connection, name, None)
    _Intake(connection, allowance)


class _Renamed(SSHPacket):
    """A request to log in whose user name reads as another; what is signed of it stays as it came.

    asyncssh ends a connection over a name that its rules of 2002 don't know, as one of emoji or with a tab in it, and
    turns some of what nobody sees into blanks. What somebody is called is no business of ours here.
    """

    def __init__(self, packet: SSHPacket) -> None:
        super().__init__(packet.get_full_payload())
        self.get_byte()
        self._is_user = True

    def get_string(self) -> bytes:
        """The next text; the user's name is the first."""
        text, is_user, self._is_user = super().get_string(), self._is_user, False
        return _RENAMED if is_user else text


def _request(request: SSHPacket) -> tuple[bytes, str]:
    """The user that a request to log in names, and the algorithm if it is by a key; it is read on from where it is.

    Raises PacketDecodeError.
    """
    packet = SSHPacket(request.get_remaining_payload())
    user, _, method = packet.get_string(), packet.get_string(), packet.get_string()
    if method != b"publickey":
        return user, ""
    packet.get_boolean()
    return user, packet.get_string().decode("ascii", "replace")


class _Intake:
    """Hands a connection what has come in portions, a few packets a turn of the loop and no more than is allowed.

    What is too much stays in the network: nothing is read from there while something waits here.
    """

    def __init__(self, connection: SSHServerConnection, allowance: Allowance) -> None:
        self._connection = ref(connection)
        self._allowance = allowance
        self._loop = asyncio.get_running_loop()
        self._waiting = bytearray()
        self._left = PACKETS_A_TURN
        self._next: asyncio.Handle | None = None
        self._works = False
        connection.data_received = self._feed  # type: ignore[method-assign]
        connection._recv_pkthdr = self._begin_packet  # type: ignore[method-assign]
        # asyncio reads so much at once: as large as it is, so late is seen that there is nobody any more.
        connection._transport.max_size = READ_AT_ONCE  # type: ignore[union-attr]

    def _feed(self, data: bytes, datatype: int | None = None) -> None:
        self._waiting += data
        if self._next is None:
            self._work()

    def _work(self) -> None:
        self._next = None
        self._left = PACKETS_A_TURN
        self._works = True
        try:
            self._hand_over()
        finally:
            self._works = False

    def _hand_over(self) -> None:
        connection = self._connection()
        if connection is not None and connection._inpbuf:
            connection._recv_data()
        while self._waiting and self._next is None and connection is not None and _goes_on(connection):
            if len(connection._inpbuf) >= _HELD:
                # It does something that takes a while, and asks for the next packet when that is done.
                break
            portion = bytes(self._waiting[:_PORTION])
            del self._waiting[:_PORTION]
            SSHServerConnection.data_received(connection, portion)
        if connection is None or connection._transport is None:
            self._waiting.clear()
        elif self._next is None and not self._waiting:
            connection._transport.resume_reading()
        else:
            connection._transport.pause_reading()

    def _begin_packet(self) -> bool:
        connection = self._connection()
        if connection is None or not _goes_on(connection):
            return False
        if len(connection._deferred_packets) > _MOST_DEFERRED:
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


def _goes_on(connection: SSHServerConnection) -> bool:
    """Whether it has not been given up."""
    return connection._transport is not None


def _end(connection: SSHServerConnection, error: DisconnectError) -> None:
    """End a connection with one word, and read nothing more of it."""
    connection._inpbuf = b""
    connection._send_disconnect(error.code, error.reason, error.lang)
    connection._force_close(error)


def watch_writing(
    connection: SSHServerConnection, pause: Callable[[], None], resume: Callable[[], None]
) -> None:
    """Call `pause` when the network takes no more bytes of the connection, `resume` when it does again.

    asyncssh ignores what its transport says of that.
    """
    connection.pause_writing = pause  # type: ignore[method-assign]
    connection.resume_writing = resume  # type: ignore[method-assign]


def spare_ignores(connection: SSHServerConnection) -> None:
    """Send no empty packet before every other, 36 bytes and the work of sealing them for each key.

    asyncssh does so for ciphers that go on from the last packet's end (CBC): with one of these, or one that is not
    known to need none, it does so still.
    """
    spared = ref(connection)

    def send_packet(pkttype: int, *args: bytes, handler: SSHPacketLogger | None = None) -> None:
        sending = spared()
        if sending is None or (pkttype == MSG_IGNORE and _needs_no_ignore(sending)):
            return
        SSHServerConnection.send_packet(sending, pkttype, *args, handler=handler)

    connection.send_packet = send_packet  # type: ignore[method-assign]


def _needs_no_ignore(connection: SSHServerConnection) -> bool:
    """Whether the cipher that is in use now needs no empty packets."""
    return str(connection.get_extra_info("send_cipher")).endswith(_NEED_NO_IGNORE)


def let_go(connection: SSHServerConnection) -> None:
    """Part a connection that has ended from the methods it holds, of its own and of ours: they would hold it.

    Only for once asyncssh has returned to the loop, for it may be in the middle of what was received.
    """
    connection._recv_handler = _nothing_more
    for name in OURS:
        vars(connection).pop(name, None)


def _nothing_more() -> bool:
    return False


def backlog(connection: SSHServerConnection) -> int:
    """Bytes of the connection that wait for the network, or for the end of a key exchange."""
    transport = connection._transport
    if transport is None:
        return 0
    deferred = sum(len(part) for _, parts in connection._deferred_packets for part in parts)
    return transport.get_write_buffer_size() + deferred
