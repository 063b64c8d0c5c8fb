"""Who is turned away is told why, where that holds nothing up."""

import os
import socket
from contextlib import suppress
from typing import get_args

import pytest

from cartino_server.ssh.gate import Reason
from cartino_server.ssh.turning_away import LINES, Reserve, turn_away


@pytest.mark.parametrize("reason", get_args(Reason))
def test_one_line_and_the_end(reason: Reason) -> None:
    near, far = socket.socketpair()
    far.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")
    turn_away(near, reason)
    assert near.fileno() == -1
    with far:
        told = b"".join(iter(lambda: far.recv(1024), b""))
    assert told == LINES[reason]
    # As RFC 4253 has it: lines that do not begin as SSH itself does.
    assert told.endswith(b"\r\n")
    assert told.decode("ascii")[:-2].isprintable()
    assert not told.startswith(b"SSH-")


def test_who_does_not_read_is_not_waited_for() -> None:
    near, far = socket.socketpair()
    near.setblocking(False)
    with far:
        with suppress(BlockingIOError):
            while True:
                near.send(bytes(4096))
        turn_away(near, "files")
    assert near.fileno() == -1
    gone, other = socket.socketpair()
    other.close()
    turn_away(gone, "files")
    assert gone.fileno() == -1


def test_the_reserve_gives_one_descriptor_where_there_are_no_others() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    listening.setblocking(False)
    reserve = Reserve()
    with listening, socket.create_connection(listening.getsockname()) as knocking:
        client = reserve.accept(listening)
        assert client is not None
        turn_away(client, "files")
        assert knocking.recv(100) == LINES["files"]
        reserve.fill()
        reserve.fill()
        before = len(os.listdir("/dev/fd"))
        assert reserve.accept(listening) is None
        assert len(os.listdir("/dev/fd")) == before
    reserve.close()
    reserve.close()
