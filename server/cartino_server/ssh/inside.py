"""The one module that knows asyncssh's private names."""

from collections.abc import Callable

from asyncssh import SSHServerChannel, SSHServerConnection
from asyncssh.packet import SSHPacket


def guard_requests(channel: SSHServerChannel[bytes], keep: Callable[[bytes, bytes], bool]) -> None:
    """Let `keep` decide on every variable that the client sends, and let commands that are no UTF-8 through.

    asyncssh keeps all variables, without a bound, and answers such a command without a word to the person. The
    bytes that are no text reach the session as lone surrogates.
    """

    def environment(packet: SSHPacket) -> bool:
        name, value = packet.get_string(), packet.get_string()
        packet.check_end()
        return keep(name, value)

    def command(packet: SSHPacket) -> bool:
        text = packet.get_string().decode("utf-8", "surrogateescape")
        packet.check_end()
        return channel._start_session(command=text)

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


def backlog(connection: SSHServerConnection) -> int:
    """Bytes of the connection that wait for the network."""
    transport = connection._transport
    return 0 if transport is None else transport.get_write_buffer_size()
