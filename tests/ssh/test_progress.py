"""How far a connection has come, as the system counts it."""

import socket
import sys

import pytest

from cartino_server.ssh.progress import GREETED, progress_of
from tests.ssh.conftest import until


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
async def test_what_has_come_counts_before_anybody_reads_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        calling = socket.create_connection(listening.getsockname())
        client, _ = listening.accept()
        assert progress_of(client) == 0
        calling.send(b"S")
        await until(lambda: progress_of(client) == 1)
        client.recv(1)
        calling.send(bytes(GREETED - 2))
        assert progress_of(client) == 1
        calling.send(b"S")
        await until(lambda: progress_of(client) == 2)
        client.close()
        assert progress_of(client) == 0
        calling.close()


def test_what_is_no_such_connection_has_not_come_far() -> None:
    near, far = socket.socketpair()
    with near, far:
        far.send(bytes(1000))
        assert progress_of(near) == 0
