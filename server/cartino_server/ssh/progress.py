"""How far a connection has come, as the system knows it: whoever speaks with it may not have had their turn yet."""

import socket
import struct
import sys
from typing import Final, Literal, NamedTuple

GREETED: Final = 400
"""Bytes by which a client has said more than its name: what it can do (KEXINIT) is longer with every one."""
ANSWERED: Final = 560
"""Bytes of ours by which it has more of us than name and KEXINIT: we answer a key exchange, and nothing else before."""

Stage = Literal[0, 1, 2, 3]
"""Nothing has come; a word; as much as begins a key exchange; the client has our answer in it."""


class Progress(NamedTuple):
    """How far somebody has come; more of it is further.

    `taken` are the bytes of ours that the client has, once there is an answer among them: for each there was something
    to answer, so that who only goes on talking comes no further.
    """

    stage: Stage = 0
    taken: int = 0


NONE: Final = Progress()
UNDER_WAY: Final[Stage] = 2
"""From here on a key exchange has begun."""

_INFO: Final = struct.Struct("120xQQ")
"""Where Linux has `tcpi_bytes_acked` and `tcpi_bytes_received` in its `struct tcp_info`."""


def progress_of(client: socket.socket) -> Progress:
    """How far `client` has come; always `NONE` where the system does not tell, and for one that is closed."""
    if sys.platform != "linux":
        return NONE
    try:
        told = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO.size)
    except OSError:
        return NONE
    if len(told) < _INFO.size:
        return NONE
    taken, received = _INFO.unpack(told)
    if received < GREETED:
        return Progress(1 if received else 0)
    return Progress(3, taken) if taken >= ANSWERED else Progress(2)
