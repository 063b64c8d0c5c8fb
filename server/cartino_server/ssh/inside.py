"""The one module that knows asyncssh's private names. A test holds the text of each function that is leaned on."""

from collections.abc import Callable
from typing import Final
from weakref import ref

from asyncssh import SSHServerChannel, SSHServerConnection
from asyncssh.constants import MSG_IGNORE
from asyncssh.packet import SSHPacket, SSHPacketLogger

_NEED_NO_IGNORE: Final = ("-ctr", "-gcm@openssh.com", "chacha20-poly1305@openssh.com")
"""How the names of ciphers end that begin each packet with something nobody could know from the one before."""


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

    channel._process_env_request = environment  # type: ignore[method-assign]
    channel._process_exec_request = command  # type: ignore[method-assign]


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
    for name in ("pause_writing", "resume_writing", "send_packet"):
        vars(connection).pop(name, None)


def _nothing_more() -> bool:
    return False


def backlog(connection: SSHServerConnection) -> int:
    """Bytes of the connection that wait for the network."""
    transport = connection._transport
    return 0 if transport is None else transport.get_write_buffer_size()
