"""Fault: 500 connect-drop cycles. No task, thread or descriptor is left, and memory stays level."""

import asyncio
import gc
import os
import socket
import struct
import threading
from collections.abc import Callable
from pathlib import Path

import asyncssh
import msgspec
import pytest

from bench import process
from bench.server import MeasuredServer
from bench.visitors import Guest, Visitors, connect, visiting
from tests.support.open_listener import FLEETING, open_listener

pytestmark = pytest.mark.e2e

WARM_UP = 12
TIME_LIMIT = 30
UNHURRIED = msgspec.structs.replace(FLEETING, burst=10_000, seats_burst=10_000)
"""Four people open some hundred tables in a few seconds, more than one person may."""
LEVEL = 4.0
"""MB by which the second half of the cycles may add to the memory."""


class Left(msgspec.Struct, frozen=True):
    """What a process holds; of its threads those that are not of the loop's pool, which has a bound of its own."""

    tasks: int
    threads: int
    files: int

    def is_no_more_than(self, other: "Left") -> bool:
        """Whether there is no more of anything."""
        return self.tasks <= other.tasks and self.threads <= other.threads and self.files <= other.files


def held() -> Left:
    """What this process holds now."""
    threads = [thread for thread in threading.enumerate() if not thread.name.startswith("asyncio_")]
    return Left(len(asyncio.all_tasks()), len(threads), len(os.listdir("/proc/self/fd")))


def close(connection: asyncssh.SSHClientConnection) -> None:
    connection.close()


def abort(connection: asyncssh.SSHClientConnection) -> None:
    connection.abort()


def reset(connection: asyncssh.SSHClientConnection) -> None:
    opened = connection.get_extra_info("socket")
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.abort()


DROPS: tuple[Callable[[asyncssh.SSHClientConnection], None], ...] = (close, abort, reset)
VISITS = (("", b"quit"), ("new", b"leave"), ("new --bots 1", b"leave"))
"""What people come for, and what they have seen before their line drops."""


@pytest.mark.parametrize(
    "cycles", [30, pytest.param(500, marks=[pytest.mark.soak, pytest.mark.timeout(900)])]
)
async def test_nothing_is_left_of_who_came_and_was_cut_off(tmp_path: Path, cycles: int) -> None:
    async with open_listener(tmp_path, UNHURRIED) as server, visiting(server) as visitors:
        await _come_and_go(visitors, server, range(WARM_UP))
        before = await _at_rest()
        await _come_and_go(visitors, server, range(cycles // 2))
        half = await _memory(before)
        await _come_and_go(visitors, server, range(cycles // 2, cycles))
        grown = await _memory(before) - half
        print(f"{cycles} cycles: {before}, memory {grown:+.2f} MB in the second half")
        assert grown < LEVEL


async def _come_and_go(visitors: Visitors, server: MeasuredServer, numbers: range) -> None:
    for number in numbers:
        words, seen = VISITS[number % len(VISITS)]
        if number % 10 == 9:
            await _knock(server)
        guest: Guest = await visitors.enter(f"ann{number % 4}", words)
        await guest.terminal.shows(seen)
        DROPS[number // len(VISITS) % len(DROPS)](guest.connection)
        await visitors.leave([guest])


async def _knock(server: MeasuredServer) -> None:
    """Somebody who goes in the middle of the greeting, and somebody who comes in and opens nothing."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    await reader.readline()
    writer.transport.abort()
    connection = await connect(server, "bob")
    connection.abort()
    await connection.wait_closed()


async def _memory(before: Left) -> float:
    """MB once nothing is left that was not there `before`."""
    now = held()
    try:
        async with asyncio.timeout(TIME_LIMIT):
            while not now.is_no_more_than(before):
                await asyncio.sleep(0.05)
                now = held()
    except TimeoutError:
        pytest.fail(f"{now} is left, and it was {before}: {asyncio.all_tasks()} {threading.enumerate()}")
    gc.collect()
    return process.memory(os.getpid())


async def _at_rest() -> Left:
    """What is held once it stays the same for a while."""
    last, same = held(), 0
    async with asyncio.timeout(TIME_LIMIT):
        while same < 20:
            await asyncio.sleep(0.05)
            now = held()
            same = same + 1 if now == last else 0
            last = now
    return last
