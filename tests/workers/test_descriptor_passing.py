"""A connection that was handed over is the same connection, and one that can't be is closed."""

import asyncio
import errno
import os
import socket
import struct
from collections.abc import AsyncIterator

import pytest

from cartino_server.workers.descriptor_passing import DescriptorReceiver, DescriptorSender, ReceiverGone
from tests.support.crossing import until

SOURCE = "2001:db8:1234:5678:9abc:def0:1234:5678"


class Hands:
    """Both ends, and what came."""

    def __init__(self) -> None:
        here, self.way = socket.socketpair()
        self.giving_number = here.fileno()
        self.giving = DescriptorSender(here)
        self.taken: list[socket.socket] = []
        self.told: list[tuple[int, str]] = []
        self.missed: list[int] = []
        self.taking: DescriptorReceiver | None = None

    def take(self) -> None:
        self.taking = DescriptorReceiver(self.way, self._take, self.missed.append)

    def _take(self, client: socket.socket, connection: int, source: str) -> None:
        self.taken.append(client)
        self.told.append((connection, source))

    def close(self) -> None:
        self.giving.close()
        if self.taking is not None:
            self.taking.close()
        self.way.close()
        for each in self.taken:
            each.close()


@pytest.fixture
async def hands() -> AsyncIterator[Hands]:
    made = Hands()
    yield made
    made.close()


async def fill(hands: Hands, near: socket.socket) -> asyncio.Task[None]:
    """Who gives until the way to the worker is full, and then waits."""

    async def give_for_ever() -> None:
        while True:
            await hands.giving.give(near, 7, SOURCE)

    filling = asyncio.create_task(give_for_ever())
    await asyncio.sleep(0)
    return filling


async def test_a_connection_arrives_whole(hands: Hands) -> None:
    hands.take()
    near, far = socket.socketpair()
    await hands.giving.give(near, 7, SOURCE)
    near.close()
    await until(lambda: hands.taken)
    far.sendall(b"hello")
    (taken,) = hands.taken
    assert hands.told == [(7, SOURCE)]
    assert taken.recv(9) == b"hello"
    assert not taken.getblocking()
    assert not taken.get_inheritable()
    far.close()


async def test_where_nobody_takes_them_the_giver_waits_and_then_goes_on(hands: Hands) -> None:
    near, far = socket.socketpair()
    given = 0

    async def give_many() -> None:
        nonlocal given
        for _ in range(1000):
            await hands.giving.give(near, 7, SOURCE)
            given += 1

    giving = asyncio.create_task(give_many())
    await asyncio.sleep(0)
    assert 0 < given < 1000
    hands.take()
    while not giving.done():
        while hands.taken:
            hands.taken.pop().close()
        await asyncio.sleep(0)
    await giving
    near.close()
    far.close()


async def test_two_who_give_at_once_are_both_served(hands: Hands) -> None:
    """As behind a door with two addresses, when the worker has not taken what it was given before."""
    near, far = socket.socketpair()
    filling = await fill(hands, near)
    filling.cancel()
    givers = [asyncio.create_task(hands.giving.give(near, 7, SOURCE)) for _ in range(2)]
    await asyncio.sleep(0)
    assert not any(giver.done() for giver in givers)
    hands.take()
    await until(lambda: all(giver.done() for giver in givers))
    await asyncio.gather(*givers)
    near.close()
    far.close()


async def test_who_gives_up_waiting_leaves_the_way_to_the_next(hands: Hands) -> None:
    near, far = socket.socketpair()
    filling = await fill(hands, near)
    waiting = asyncio.create_task(hands.giving.give(near, 7, SOURCE))
    await asyncio.sleep(0)
    filling.cancel()
    hands.take()
    await until(waiting.done)
    await waiting
    near.close()
    far.close()


@pytest.mark.parametrize("number", [errno.ETOOMANYREFS, errno.ENOBUFS, errno.ENOMEM])
async def test_what_the_system_can_not_do_is_no_fault_of_the_worker(
    hands: Hands, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def cant(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    near, far = socket.socketpair()
    with monkeypatch.context() as here:
        here.setattr(socket, "send_fds", cant)
        with pytest.raises(OSError, match=os.strerror(number)):
            await hands.giving.give(near, 7, SOURCE)
    hands.take()
    await hands.giving.give(near, 7, SOURCE)
    await until(lambda: hands.taken)
    near.close()
    far.close()


async def test_who_waits_for_one_that_ends_gives_up(hands: Hands) -> None:
    near, far = socket.socketpair()

    async def give_many() -> None:
        while True:
            await hands.giving.give(near, 7, SOURCE)

    giving = asyncio.create_task(give_many())
    await asyncio.sleep(0)
    assert not giving.done()
    hands.giving.close()
    with pytest.raises(ReceiverGone):
        await giving
    with pytest.raises(ReceiverGone):
        await hands.giving.give(near, 7, SOURCE)
    near.close()
    far.close()


async def test_one_whose_other_end_is_closed_gives_nothing(hands: Hands) -> None:
    near, far = socket.socketpair()
    hands.way.close()
    with pytest.raises(ReceiverGone):
        await hands.giving.give(near, 7, SOURCE)
    near.close()
    far.close()


async def test_a_connection_that_can_not_be_had_is_told(hands: Hands) -> None:
    """As when the worker has too many files open: the note comes without its descriptor."""
    hands.take()
    with socket.socket(fileno=os.dup(hands.giving_number)) as way:
        way.send(note(9))
        await until(lambda: hands.missed)
    assert (hands.taken, hands.missed) == ([], [9])


async def test_a_note_that_comes_in_pieces_is_read_whole(hands: Hands) -> None:
    """Its descriptor comes with the first of them."""
    hands.take()
    near, far = socket.socketpair()
    with near, far, socket.socket(fileno=os.dup(hands.giving_number)) as way:
        socket.send_fds(way, [note(9)[:1]], [near.fileno()])
        for byte in note(9)[1:-1]:
            way.send(bytes([byte]))
            await asyncio.sleep(0)
        assert hands.taken == []
        way.send(note(9)[-1:])
        await until(lambda: hands.taken)
        assert hands.told == [(9, SOURCE)]
        await hands.giving.give(near, 7, SOURCE)
        await until(lambda: len(hands.taken) == 2)
    assert hands.told == [(9, SOURCE), (7, SOURCE)]


async def test_a_note_that_is_taken_in_pieces_is_finished_before_the_next(
    hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    def one_byte(way: socket.socket, buffers: list[bytes], descriptors: list[int]) -> int:
        return send(way, [buffers[0][:1]], descriptors)

    send = socket.send_fds
    near, far = socket.socketpair()
    hands.take()
    with near, far:
        with monkeypatch.context() as here:
            here.setattr(socket, "send_fds", one_byte)
            await hands.giving.give(near, 1, SOURCE)
        await hands.giving.give(near, 2, SOURCE)
        await until(lambda: len(hands.taken) == 2)
    assert hands.told == [(1, SOURCE), (2, SOURCE)]


async def test_a_descriptor_whose_note_never_ends_is_closed(hands: Hands) -> None:
    hands.take()
    near, far = socket.socketpair()
    with far, socket.socket(fileno=os.dup(hands.giving_number)) as way:
        socket.send_fds(way, [note(9)[:5]], [near.fileno()])
        near.close()
        far.setblocking(False)
        await asyncio.sleep(0)
        assert hands.taking is not None
        hands.giving.close()
        way.close()
        async with asyncio.timeout(20):
            assert await asyncio.get_running_loop().sock_recv(far, 1) == b""
    assert hands.taken == []


async def test_a_receiver_that_is_closed_leaves_its_number_to_the_next(hands: Hands) -> None:
    hands.take()
    number = hands.way.fileno()
    here, there = socket.socketpair()
    assert hands.taking is not None
    hands.taking.close()
    with here, there:
        os.dup2(here.fileno(), number)
        hands.way = socket.socket(fileno=number)
        hands.take()
        there.send(note(9))
        await until(lambda: hands.missed)


def note(connection: int) -> bytes:
    return struct.pack("!Q48s", connection, SOURCE.encode())
