"""Handshake progress, as the kernel counts it."""

import asyncio
import fcntl
import socket
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from cartino_server.ssh import listener
from cartino_server.ssh.eviction import (
    KEX_REPLY_BYTES,
    KEXINIT_BYTES,
    NO_PROGRESS,
    Progress,
    handshake_progress,
)
from cartino_server.ssh.listener import Listener
from tests.ssh.conftest import Connect, Guest, OpenSSH, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")


def unread(client: socket.socket) -> int:
    """Bytes that have come to a connection and wait there, as the system tells without a look at how far it is."""
    return int.from_bytes(fcntl.ioctl(client, termios.FIONREAD, bytes(4)), sys.byteorder)


async def test_what_has_come_counts_before_anybody_reads_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        calling = socket.create_connection(listening.getsockname())
        client, _ = listening.accept()
        assert handshake_progress(client) == NO_PROGRESS
        calling.send(b"S")
        await until(lambda: handshake_progress(client) == Progress(1))
        client.recv(1)
        calling.send(bytes(KEXINIT_BYTES - 2))
        await until(lambda: unread(client) == KEXINIT_BYTES - 2)
        assert handshake_progress(client) == Progress(1)
        calling.send(b"S")
        await until(lambda: handshake_progress(client) == Progress(2))
        client.send(bytes(KEX_REPLY_BYTES))
        await until(lambda: handshake_progress(client) == Progress(3, KEX_REPLY_BYTES))
        client.close()
        assert handshake_progress(client) == NO_PROGRESS
        calling.close()


def test_what_is_no_such_connection_has_not_come_far() -> None:
    near, far = socket.socketpair()
    with near, far:
        far.send(bytes(1000))
        assert handshake_progress(near) == NO_PROGRESS


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Callable[[], Progress]]]:
    """How to look at each connection that the door takes."""
    taken: list[Callable[[], Progress]] = []
    with ExitStack() as kept:

        def look(client: socket.socket) -> Callable[[], Progress]:
            same = kept.enter_context(client.dup())
            taken.append(lambda: handshake_progress(same))
            return taken[-1]

        monkeypatch.setattr(listener, "partial", lambda _, client: look(client))
        yield taken


async def test_who_has_said_their_name_has_not_come_as_far_as_our_answer(
    listener: Listener, looks: list[Callable[[], Progress]]
) -> None:
    """Name and KEXINIT of ours are shorter than that, whatever this machine's libraries have."""
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
    writer.write(b"SSH-2.0-x\r\n")
    ours = await reader.readline()
    length = await reader.readexactly(4)
    ours += length + await reader.readexactly(int.from_bytes(length))
    assert len(ours) < KEX_REPLY_BYTES - 50
    assert looks[0]() == Progress(1)
    # It takes no more than words to begin a key exchange, and more than that to be answered.
    writer.write(bytes(KEXINIT_BYTES))
    await until(lambda: looks[0]().stage == 2)
    writer.close()


@pytest.mark.parametrize("kex", ["curve25519-sha256", "mlkem768x25519-sha256"])
async def test_who_looks_at_the_host_key_has_our_answer(
    connect: Connect, looks: list[Callable[[], Progress]], kex: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Progress] = []

    def asked(_: Guest) -> str:
        seen.append(looks[0]())
        return ""

    monkeypatch.setattr(Guest, "kbdint_auth_requested", asked)
    async with connect(kex_algs=[kex]):
        assert seen[0].stage == 3
        # Whoever logs in is answered again and again.
        await until(lambda: looks[0]() > seen[0])


async def test_openssh_goes_all_the_way(openssh: OpenSSH, looks: list[Callable[[], Progress]]) -> None:
    screen = openssh.screen()
    await screen.shows("face")
    assert looks[0]().stage == 3
