"""A connection that was handed over is the same connection, and one that can't be is closed."""

import asyncio
import errno
import os
import socket
import struct
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from cartino_server.workers.descriptor_passing import (
    DescriptorReceiver,
    DescriptorSender,
    ReceiverGone,
    descriptor_sockets,
)
from tests.support.crossing import until

SOURCE = "2001:db8:1234:5678:9abc:def0:1234:5678"


class Ends:
    """Both ends, what came, and a connection to hand over."""

    def __init__(self) -> None:
        here, self.there = descriptor_sockets()
        self.number = here.fileno()
        self.sender = DescriptorSender(here)
        self.received: list[tuple[socket.socket, int, str]] = []
        self.missed: list[int] = []
        self.near, self.far = socket.socketpair()
        self._receiver: DescriptorReceiver | None = None

    def receive(self) -> None:
        self._receiver = DescriptorReceiver(self.there, self._take, self.missed.append)

    def _take(self, client: socket.socket, connection: int, source: str) -> None:
        self.received.append((client, connection, source))

    async def give(self, connection: int = 7) -> None:
        await self.sender.give(self.near, connection, SOURCE)

    async def give_until_full(self) -> asyncio.Task[None]:
        """Hand over until the socket is full; return the task that waits."""

        async def give_for_ever() -> None:
            while True:
                await self.give()

        giving = asyncio.create_task(give_for_ever())
        await asyncio.sleep(0)
        assert not giving.done()
        return giving

    def close(self) -> None:
        self.sender.close()
        if self._receiver is not None:
            self._receiver.close()
        for each in (self.there, self.near, self.far, *(client for client, _, _ in self.received)):
            each.close()


@pytest.fixture
async def ends() -> AsyncIterator[Ends]:
    made = Ends()
    yield made
    made.close()


async def test_a_connection_arrives_whole(ends: Ends) -> None:
    ends.receive()
    await ends.give()
    await until(lambda: ends.received)
    ends.far.sendall(b"hello")
    ((client, *facts),) = ends.received
    assert facts == [7, SOURCE]
    assert client.recv(9) == b"hello"
    assert (client.getblocking(), client.get_inheritable()) == (False, False)


async def test_senders_wait_for_a_slow_receiver_each_in_turn(ends: Ends) -> None:
    filling = await ends.give_until_full()
    filling.cancel()
    waiting = [asyncio.create_task(ends.give(number)) for number in (1, 2, 3)]
    await asyncio.sleep(0)
    waiting[1].cancel()
    ends.receive()
    await until(lambda: all(each.done() for each in waiting))
    await until(lambda: ends.received[-1][1] == 3)
    assert [number for _, number, _ in ends.received if number != 7] == [1, 3]


@pytest.mark.parametrize("number", [errno.ETOOMANYREFS, errno.ENOBUFS, errno.ENOMEM])
async def test_an_error_of_the_system_is_no_fault_of_the_worker(
    ends: Ends, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as here:
        here.setattr(socket, "send_fds", fail)
        with pytest.raises(OSError, match=os.strerror(number)):
            await ends.give()
    ends.receive()
    await ends.give()
    await until(lambda: ends.received)


async def test_nothing_is_handed_to_a_receiver_that_has_ended(ends: Ends) -> None:
    waiting = await ends.give_until_full()
    ends.sender.close()
    with pytest.raises(ReceiverGone):
        await waiting
    with pytest.raises(ReceiverGone):
        await ends.give()
    other = Ends()
    other.there.close()
    with pytest.raises(ReceiverGone):
        await other.give()
    other.close()


@pytest.mark.skipif(sys.platform != "linux", reason="datagrams have no end")
async def test_a_receiver_ends_with_its_sender(ends: Ends) -> None:
    ends.receive()
    ends.sender.close()
    await until(lambda: ends.there.fileno() < 0)


async def test_a_connection_without_its_descriptor_is_reported(ends: Ends) -> None:
    """As when the worker has too many files open."""
    ends.receive()
    with socket.socket(fileno=os.dup(ends.number)) as sender:
        sender.send(struct.pack("!Q48s", 9, SOURCE.encode()))
        await until(lambda: ends.missed)
    assert (ends.received, ends.missed) == ([], [9])


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux confines workers")
def test_a_confined_worker_reaches_nobody_else_by_its_socket(tmp_path: Path) -> None:
    """As it could with datagrams: the system's log and the service manager listen for them."""
    here, there = descriptor_sockets()
    with here, there, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.bind(str(tmp_path / "log"))
        other.setblocking(False)
        with suppress(OSError):
            there.sendto(b"x", str(tmp_path / "log"))
        with pytest.raises(BlockingIOError):
            other.recv(1)
