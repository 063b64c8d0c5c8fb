"""How far a connection has come, as the system knows it: whoever speaks with it may not have had their turn yet."""

import socket
import struct
import sys
from typing import Final, Literal

GREETED: Final = 400
"""Bytes by which a client has said more than its name: what it can do (KEXINIT) is longer with every one."""

Progress = Literal[0, 1, 2]
"""Nothing has come; something has; about as much as a handshake takes."""

_RECEIVED: Final = struct.Struct("128xQ")
"""Where Linux has `tcpi_bytes_received` in its `struct tcp_info`."""


def progress_of(client: socket.socket) -> Progress:
    """How far `client` has come; always 0 where the system does not tell, and for one that is closed."""
    if sys.platform != "linux":
        return 0
    try:
        told = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RECEIVED.size)
    except OSError:
        return 0
    if len(told) < _RECEIVED.size:
        return 0
    (received,) = _RECEIVED.unpack(told)
    if not received:
        return 0
    return 2 if received >= GREETED else 1
