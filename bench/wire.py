"""Bytes on the wire as the system's own TCP counts them: what ssh adds to a picture is in them."""

import socket
import struct
from asyncio.trsock import TransportSocket
from typing import Final

import asyncssh

_TCP_INFO: Final[int | None] = getattr(socket, "TCP_INFO", None)
_LENGTH: Final = 192
_RECEIVED: Final = 128
"""Where Linux keeps `tcpi_bytes_received` in its struct tcp_info, since 4.1: eight bytes in the machine's order."""


def received(connection: asyncssh.SSHClientConnection) -> int | None:
    """Return the bytes received on `connection` so far, without TCP and IP headers; None where unknown."""
    wire: TransportSocket | None = connection.get_extra_info("socket")
    if _TCP_INFO is None or wire is None:
        return None
    return read(wire.getsockopt(socket.IPPROTO_TCP, _TCP_INFO, _LENGTH))


def read(info: bytes) -> int | None:
    """Return the same from the system's TCP_INFO; None from a system that says less."""
    if len(info) < _RECEIVED + 8:
        return None
    count: int = struct.unpack_from("=Q", info, _RECEIVED)[0]
    return count
