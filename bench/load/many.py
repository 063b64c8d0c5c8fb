"""Start the load's processes, give them orders, and put their answers together."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final, TypeVar

import msgspec

from bench import process
from bench.load.caller import Pairs
from bench.load.orders import (
    Answer,
    Drop,
    Dropped,
    Enter,
    Entered,
    Failed,
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
    pooled,
)
from bench.placing import PLACED, on
from bench.server import BenchError, MeasuredServer, end
from bench.terminal import NORMAL

LONGEST: Final = 1 << 24
"""Bytes of an answer."""
_ANSWERS: Final[msgspec.json.Decoder[Answer]] = msgspec.json.Decoder(Answer)
_A = TypeVar("_A")
HEAD_START: Final = 0.2
"""Seconds before the first of many keys, for the orders to reach all processes."""


class Load:
    """Visitors in one or several processes, numbered through. Made by `loading`."""

    def __init__(self, runners: Sequence[asyncio.subprocess.Process]) -> None:
        """Direct the processes `runners`."""
        self._runners = runners
        self._sizes = [0] * len(runners)
        self._able = [0] * len(runners)

    @property
    def size(self) -> int:
        """Number of visitors."""
        return sum(self._sizes)

    @property
    def able(self) -> int:
        """Number of visitors with keys that move their cursor."""
        return sum(self._able)

    @property
    def pids(self) -> list[int]:
        """The processes."""
        return [runner.pid for runner in self._runners]

    @property
    def cpu(self) -> float:
        """Milliseconds on the processor so far, of all processes together."""
        return sum(map(process.cpu, self.pids))

    async def enter(self, count: int, words: str, shown: bytes) -> list[float]:
        """Let `count` more enter with `words` and see `shown`; return each one's milliseconds. Raises BenchError."""
        orders, first = [], self.size
        for place, part in enumerate(self._parts(count)):
            orders.append(Enter(first, part, words, shown.decode()))
            first += part
            self._sizes[place] += part
        return [wait for answer in await self._all(Entered, orders) for wait in answer.waits]

    async def prepare(self, pairs: Pairs = ()) -> None:
        """Let newcomers look for keys that move their cursor, among `pairs` if there are any."""
        order = Prepare([(there.decode(), back.decode()) for there, back in pairs])
        self._able = [answer.able for answer in await self._all(Prepared, self._each(order))]

    async def press(self, seconds: int) -> Pressed:
        """Let everybody who can press a key a second, spread evenly over it."""
        start, orders, offset = time.perf_counter() + HEAD_START, [], 0
        for able in self._able:
            orders.append(Press(start, seconds, offset, max(self.able, 1)))
            offset += able
        return pooled(await self._all(Pressed, orders))

    async def mark(self) -> None:
        """Start counting from here."""
        await self._all(Seen, self._each(Mark()))

    async def settle(self, silence: float) -> Seen:
        """Wait until nobody receives anything; return what each received since `mark`."""
        answers = await self._all(Seen, self._each(Settle(silence)))
        return Seen(
            [count for answer in answers for count in answer.counts],
            [last for answer in answers for last in answer.last],
        )

    async def storm(self, rate: float, seconds: float) -> Stormed:
        """Log in so many times a second, whether or not those before are in; `ended` is seconds after the first."""
        start = time.perf_counter() + HEAD_START
        answers = await self._all(Stormed, self._each(Storm(start, rate / len(self._runners), seconds)))
        return Stormed(
            waits=[wait for answer in answers for wait in answer.waits],
            late=[late for answer in answers for late in answer.late],
            failed=sum(answer.failed for answer in answers),
            ended=max(answer.ended for answer in answers) - start,
        )

    async def drop(self, cycles: int, words: str, shown: bytes) -> None:
        """Come and vanish so many times."""
        await self._all(Dropped, [Drop(part, words, shown.decode()) for part in self._parts(cycles)])

    def _parts(self, count: int) -> list[int]:
        """Return `count` shared out evenly."""
        among = len(self._runners)
        return [count // among + (number < count % among) for number in range(among)]

    def _each(self, order: Order) -> list[Order]:
        return [order] * len(self._runners)

    async def _all(self, kind: type[_A], orders: Sequence[Order]) -> list[_A]:
        """Give each process its order; their answers, once all have answered. Raises BenchError."""
        answers = await asyncio.gather(*map(_ask, self._runners, orders))
        for answer in answers:
            if isinstance(answer, Failed):
                raise BenchError(f"the load broke off: {answer.why}")
        return [answer for answer in answers if isinstance(answer, kind)]


@asynccontextmanager
async def loading(
    server: MeasuredServer, cores: tuple[int, ...] = PLACED.load, size: tuple[int, int] = NORMAL
) -> AsyncIterator[Load]:
    """Load on `server` from a process for each of `cores` (none: from one anywhere); all are gone with the block.

    Their terminals are of `size`.
    """
    async with AsyncExitStack() as stack:
        places: list[tuple[int, ...]] = [(core,) for core in cores] or [()]
        yield Load([await stack.enter_async_context(_running(server, place, size)) for place in places])


@asynccontextmanager
async def _running(
    server: MeasuredServer, cores: tuple[int, ...], size: tuple[int, int]
) -> AsyncIterator[asyncio.subprocess.Process]:
    with on(cores):
        runner = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bench.load", *map(str, (server.port, *size, int(server.alike)))),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST,
            # Its own group: a Ctrl-C is ours, and we end it.
            start_new_session=True,
        )
    try:
        yield runner
    finally:
        await end(runner)


async def _ask(runner: asyncio.subprocess.Process, order: Order) -> Answer:
    assert runner.stdin is not None
    assert runner.stdout is not None
    runner.stdin.write(msgspec.json.encode(order) + b"\n")
    line = await runner.stdout.readline()
    if not line:
        raise BenchError("a process of the load ended by itself")
    return _ANSWERS.decode(line)
