"""A connection that was handed over is the same connection, and one that can't be is closed."""

import asyncio
import errno
import os
import socket
from collections.abc import AsyncIterator

import pytest

from cartino_server.workers.hands import Giving, HandsGone, Taking
from tests.support.crossing import until


class Hands:
    """Both ends, and what came."""

    def __init__(self) -> None:
        here, self.way = socket.socketpair()
        self.giving_number = here.fileno()
        self.giving = Giving(here)
        self.taken: list[socket.socket] = []
        self.missed = 0
        self.taking: Taking | None = None

    def take(self) -> None:
        self.taking = Taking(self.way, self.taken.append, self._miss)

    def _miss(self) -> None:
        self.missed += 1

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
            await hands.giving.give(near)

    filling = asyncio.create_task(give_for_ever())
    await asyncio.sleep(0)
    return filling


async def test_a_connection_arrives_whole(hands: Hands) -> None:
    hands.take()
    near, far = socket.socketpair()
    await hands.giving.give(near)
    near.close()
    await until(lambda: hands.taken)
    far.sendall(b"hello")
    (taken,) = hands.taken
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
            await hands.giving.give(near)
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
    givers = [asyncio.create_task(hands.giving.give(near)) for _ in range(2)]
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
    waiting = asyncio.create_task(hands.giving.give(near))
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
            await hands.giving.give(near)
    hands.take()
    await hands.giving.give(near)
    await until(lambda: hands.taken)
    near.close()
    far.close()


async def test_who_waits_for_one_that_ends_gives_up(hands: Hands) -> None:
    near, far = socket.socketpair()

    async def give_many() -> None:
        while True:
            await hands.giving.give(near)

    giving = asyncio.create_task(give_many())
    await asyncio.sleep(0)
    assert not giving.done()
    hands.giving.close()
    with pytest.raises(HandsGone):
        await giving
    with pytest.raises(HandsGone):
        await hands.giving.give(near)
    near.close()
    far.close()


async def test_one_whose_other_end_is_closed_gives_nothing(hands: Hands) -> None:
    near, far = socket.socketpair()
    hands.way.close()
    with pytest.raises(HandsGone):
        await hands.giving.give(near)
    near.close()
    far.close()


async def test_a_connection_that_can_not_be_had_is_told(hands: Hands) -> None:
    """As when the worker has too many files open: the byte comes without its descriptor."""
    hands.take()
    with socket.socket(fileno=os.dup(hands.giving_number)) as way:
        way.send(b"c")
        await until(lambda: hands.missed)
    assert hands.taken == []
