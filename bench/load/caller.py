"""A terminal whose keys are due at set moments, and that notes how long each waits for its answer."""

import asyncio
from collections.abc import Sequence
from typing import Final

from bench.terminal import Terminal

STONES: Final = (b"1", b"2", b"3", b"4", b"5")
BACK: Final = b"\x7f"
Pairs = Sequence[tuple[bytes, bytes]]
"""Keys there and back."""
PAIRS: Final[Pairs] = ((b"\x1b[A", b"\x1b[B"), (b"\x1b[D", b"\x1b[C"))
"""↑ and ↓, ← and →."""
NOTHING_AFTER: Final = 0.3
"""Seconds without an answer after which a key has done nothing."""
KNOWN_WITHIN: Final = 3.0
"""The same for keys that should all do something, so that a slow machine isn't taken for one without an answer."""
SETTLED: Final = 0.03


class Caller(Terminal):
    """A terminal whose keys are due at set moments, whether or not the one before was answered.

    `waits`: milliseconds from the moment each key was due, so the load's own lateness counts as the server's.
    `due`: the moments of keys still without an answer. What comes answers all of them: that is how a server may
    save work. `total`: bytes in all.
    """

    def __init__(self) -> None:
        """Start without keys."""
        super().__init__()
        self.keys: tuple[bytes, bytes] | None = None
        self.due: list[float] = []
        self.waits: list[float] = []
        self.total = 0
        self._turn = 0

    def data_received(self, data: bytes, datatype: int | None) -> None:
        """Note what comes, and which keys it answers."""
        super().data_received(data, datatype)
        self.total += len(data)
        if self.due:
            self.waits += [(self.last - moment) * 1000 for moment in self.due]
            self.due.clear()

    def press_due(self, moment: float) -> None:
        """Press the next of the two keys, due at `moment`. Raises BenchError."""
        assert self.keys is not None
        self.press(self.keys[self._turn])
        self._turn = 1 - self._turn
        self.due.append(moment)

    def begin(self) -> None:
        """Forget what was measured."""
        self.due.clear()
        self.waits.clear()
        self.total = 0

    async def find_keys(self, pairs: Pairs = ()) -> bool:
        """Find keys that lead to and fro; whether there are any.

        Without `pairs`, a stone that has two spots is picked, and the keys lead from one to the other.
        """
        if pairs:
            return await self._find(pairs, KNOWN_WITHIN)
        for stone in STONES:
            await self._moves(stone, NOTHING_AFTER)
            if await self._find(PAIRS, NOTHING_AFTER):
                return True
            await self._moves(BACK, NOTHING_AFTER)
        return False

    async def _find(self, pairs: Pairs, time_limit: float) -> bool:
        """Return whether one of `pairs` leads to and fro; at an end its first key may lead nowhere."""
        for there, back in pairs:
            await self._moves(there, time_limit)
            if await self._moves(back, time_limit) and await self._moves(there, time_limit):
                self.keys = (back, there)
                return True
        return False

    async def _moves(self, key: bytes, time_limit: float) -> bool:
        """Return whether `key` changes anything; then that it is all there."""
        self.press(key)
        try:
            async with asyncio.timeout(time_limit):
                await self.answered()
        except TimeoutError:
            return False
        return bool(await self.quiet(SETTLED))
