"""Bytes on the wire are those that the system counted."""

import socket
import struct
from typing import cast

import asyncssh

from bench.terminal import read, received


class Connected:
    """As much of a connection as is asked for."""

    def __init__(self, wire: socket.socket) -> None:
        self._wire = wire

    def get_extra_info(self, name: str) -> socket.socket | None:
        return self._wire if name == "socket" else None


def test_the_count_stands_where_linux_keeps_it() -> None:
    assert read(bytes(128) + struct.pack("=Q", 12_345) + bytes(40)) == 12_345


def test_a_system_that_tells_less() -> None:
    assert read(bytes(100)) is None


def test_what_came_is_counted_and_what_went_is_not() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()) as here,
    ):
        there, _ = listener.accept()
        with there:
            connection = cast("asyncssh.SSHClientConnection", Connected(here))
            here.sendall(bytes(50))
            before = received(connection)
            there.sendall(bytes(1000))
            assert len(here.recv(1000, socket.MSG_WAITALL)) == 1000
            after = received(connection)
    assert (before, after) in [(0, 1000), (None, None)]
