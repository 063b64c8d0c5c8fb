"""The visitors of one load process, and the orders that they carry out."""

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

import asyncssh

from bench.load.caller import Caller
from bench.load.orders import (
    Answer,
    Drop,
    Dropped,
    Enter,
    Entered,
    Mark,
    Order,
    Prepare,
    Prepared,
    Press,
    Pressed,
    Seen,
    Settle,
    Storm,
    Stormed,
)
from bench.server import MeasuredServer
from bench.visitors import Visitors, connect, visiting

AT_ONCE: Final = 4
"""Visitors on their way in at the same time, and those who vanish."""
TRYING: Final = 32
"""Visitors who look for their keys at the same time."""
LAST_ANSWERS: Final = 2.0
"""Seconds that the last keys have."""


class Crowd:
    """Visitors of one server, numbered as they came. Made by `gathering`."""

    def __init__(self, server: MeasuredServer, visitors: Visitors) -> None:
        """Start empty."""
        self._server = server
        self._visitors = visitors
        self._callers: list[Caller] = []
        self._untried: list[Caller] = []
        """Those who have not looked for their keys yet."""

    async def carry_out(self, order: Order) -> Answer:
        """Do what `order` says. Raises BenchError and what asyncssh raises."""
        match order:
            case Enter():
                return await self._enter(order)
            case Prepare():
                return await self._prepare(order)
            case Press():
                return await self._press(order)
            case Mark():
                return self._mark()
            case Settle():
                return await self._settle(order.silence)
            case Storm():
                return await self._storm(order)
            case Drop():
                return await self._drop(order)

    async def _enter(self, order: Enter) -> Entered:
        gate = asyncio.Semaphore(AT_ONCE)

        async def enter(number: int) -> tuple[Caller, float]:
            async with gate:
                before, caller = time.perf_counter(), Caller()
                await self._visitors.enter(f"crowd{number}", order.words.format(number), caller)
                await caller.shows(order.shown.encode())
                return caller, (caller.last - before) * 1000

        came = await asyncio.gather(*map(enter, range(order.first, order.first + order.count)))
        self._callers += [caller for caller, _ in came]
        self._untried += [caller for caller, _ in came]
        return Entered([wait for _, wait in came])

    async def _prepare(self, order: Prepare) -> Prepared:
        gate = asyncio.Semaphore(TRYING)
        pairs = [(there.encode(), back.encode()) for there, back in order.pairs]

        async def try_keys(caller: Caller) -> None:
            async with gate:
                await caller.find_keys(pairs)

        untried, self._untried = self._untried, []
        await asyncio.gather(*map(try_keys, untried))
        return Prepared(sum(caller.keys is not None for caller in self._callers))

    async def _press(self, order: Press) -> Pressed:
        able = [caller for caller in self._callers if caller.keys]
        for caller in able:
            caller.begin()
        moments = [
            (order.start + second + (order.offset + number) / order.crowd, caller)
            for second in range(order.seconds)
            for number, caller in enumerate(able)
        ]
        late: list[float] = []
        # Looking for garbage among thousands of objects would make this process late, and nobody else.
        gc.freeze()
        gc.disable()
        try:
            for moment, caller in moments:
                await _come(moment)
                caller.press_due(moment)
                late.append((caller.pressed - moment) * 1000)
            await _until(lambda: not any(caller.due for caller in able), LAST_ANSWERS)
        finally:
            gc.enable()
        return Pressed(
            waits=[wait for caller in able for wait in caller.waits],
            late=late,
            missed=sum(len(caller.due) for caller in able),
            count=sum(caller.total for caller in able),
        )

    def _mark(self) -> Seen:
        for caller in self._callers:
            caller.mark()
        return self._seen()

    async def _settle(self, silence: float) -> Seen:
        def rest() -> float:
            return max(caller.last for caller in self._callers) + silence - time.perf_counter()

        while self._callers and (wait := rest()) > 0:
            await asyncio.sleep(wait)
        return self._seen()

    def _seen(self) -> Seen:
        return Seen([caller.count for caller in self._callers], [caller.last for caller in self._callers])

    async def _storm(self, order: Storm) -> Stormed:
        waits: list[float] = []
        late: list[float] = []
        failed = 0

        async def log_in(number: int, moment: float) -> None:
            nonlocal failed
            late.append((time.perf_counter() - moment) * 1000)
            try:
                connection = await connect(self._server, f"storm{number % 100}")
            except (asyncssh.Error, OSError):
                failed += 1
                return
            waits.append((time.perf_counter() - moment) * 1000)
            connection.close()
            await connection.wait_closed()

        moments = [
            (order.start + number / order.rate, number) for number in range(round(order.rate * order.seconds))
        ]
        async with asyncio.TaskGroup() as going:
            for moment, number in moments:
                await _come(moment)
                going.create_task(log_in(number, moment))
        return Stormed(waits, late, failed, time.perf_counter())

    async def _drop(self, order: Drop) -> Dropped:
        gate = asyncio.Semaphore(AT_ONCE)

        async def come_and_go(number: int) -> None:
            async with gate:
                guest = await self._visitors.enter(f"drops{number}", order.words)
                await guest.terminal.shows(order.shown.encode())
                await self._visitors.vanish(guest)

        await asyncio.gather(*map(come_and_go, range(order.cycles)))
        return Dropped()


@asynccontextmanager
async def gathering(server: MeasuredServer, size: tuple[int, int]) -> AsyncIterator[Crowd]:
    """Open a crowd at `server` with terminals of `size`; all leave with the block."""
    async with visiting(server, size) as visitors:
        yield Crowd(server, visitors)


async def _come(moment: float) -> None:
    """Wait for `moment`; others have their turn even when it has gone by."""
    await asyncio.sleep(max(0.0, moment - time.perf_counter()))


async def _until(done: Callable[[], bool], time_limit: float) -> None:
    end = time.perf_counter() + time_limit
    while not done() and time.perf_counter() < end:
        await asyncio.sleep(0.01)
