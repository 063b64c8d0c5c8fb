"""Let hundreds of people come, play, watch and leave for half an hour; report leaks and errors.

`python -m bench.soak` runs it, apart from the other parts because it takes so long.
"""

import argparse
import asyncio
import time
from collections import Counter
from random import Random
from typing import Final

import asyncssh
import msgspec

from bench.figures import Figure, Section, percentile, table
from bench.placing import PLACED
from bench.server import BenchError, MeasuredServer, serving
from bench.tables import END, LAY, PICK
from bench.terminal import Terminal
from bench.visitors import Visitors, visiting

HELP, BACK = b"?", b"\x1b"
ARROWS: Final = (b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D")
SHOWN_WITHIN: Final = 20.0
"""Seconds until somebody who comes has to see something."""
PAUSES: Final = (0.5, 3.0)
"""Shortest and longest time between somebody's keys, in seconds."""
KEYS: Final = (5, 60)
"""Fewest and most keys of a visit."""
SAMPLES: Final = 10
"""How often in all the server is weighed."""
CUT: Final = 0.2
"""Share of the visits that are cut off."""
STAYS_OPEN: Final = 16
"""Descriptors that may be open in the end beyond those at the start: the processes of bots and reviews stay."""
SETTLED: Final = 15.0
"""Seconds after the last has left until the server is weighed: connections without a word are gone by then."""


class _Seen(msgspec.Struct):
    """What the visits have shown so far; waits are in milliseconds."""

    visits: int = 0
    keys: int = 0
    waits: list[float] = msgspec.field(default_factory=list)
    broken: list[str] = msgspec.field(default_factory=list)


class _People:
    """Everybody who comes and goes until the time is over."""

    def __init__(self, visitors: Visitors, until: float) -> None:
        self.seen = _Seen()
        self._visitors = visitors
        self._until = until

    async def visit(self, number: int) -> None:
        """Let one of the people come again and again, each time for something else."""
        chance = Random(number)
        # They don't all come in the same moment.
        await asyncio.sleep(chance.uniform(0, 10))
        while time.monotonic() < self._until:
            try:
                await self._visit(f"soak{number}", chance)
            except (BenchError, OSError, asyncssh.Error) as error:
                self.seen.broken.append(f"{type(error).__name__}: {error}")
                await asyncio.sleep(1)

    async def _visit(self, name: str, chance: Random) -> None:
        words = await self._wanted(chance)
        guest = await self._visitors.enter(name, words)
        is_cut = True
        try:
            await guest.terminal.shows(b" ", SHOWN_WITHIN)
            self.seen.visits += 1
            for _ in range(chance.randint(*KEYS)):
                await asyncio.sleep(chance.uniform(*PAUSES))
                if time.monotonic() > self._until:
                    break
                await self._press(guest.terminal, chance)
            is_cut = chance.random() < CUT
        finally:
            await (self._visitors.vanish(guest) if is_cut else self._visitors.leave([guest]))

    async def _wanted(self, chance: Random) -> str:
        """Return what somebody comes for: the lobby, a game against bots, or to look on."""
        kind = chance.random()
        if kind < 0.3:
            return ""
        if kind < 0.8:
            game = chance.choice(["cartino", "cartino", "caro", "casino"])
            return f"new --game {game} --seats {chance.choice([2, 2, 3, 4])} --bots 1"
        playing = [each for each in (await self._visitors.tables()).values() if each.state == "playing"]
        return f"watch {chance.choice(playing).code}" if playing else ""

    async def _press(self, terminal: Terminal, chance: Random) -> None:
        self.seen.keys += 1
        if chance.random() < 0.1:
            # Help opens everywhere, so this key has an answer for certain.
            terminal.press(HELP)
            self.seen.waits.append(await terminal.answered() * 1000)
            terminal.press(BACK)
        else:
            terminal.press(chance.choice([*ARROWS, PICK + LAY, PICK + LAY + END]))


async def measure(server: MeasuredServer, visitors: Visitors, people: int, minutes: float) -> Section:
    """Let so many `people` come and go for so many `minutes`."""
    began = time.monotonic()
    crowd = _People(visitors, began + minutes * 60)
    before, descriptors = server.memory, server.descriptors
    memory: list[float] = []
    async with asyncio.TaskGroup() as group:
        for number in range(people):
            group.create_task(crowd.visit(number))
        for sample in range(1, SAMPLES + 1):
            await asyncio.sleep(began + minutes * 60 * sample / SAMPLES - time.monotonic())
            memory.append(server.memory)
            print(f"{sample}/{SAMPLES}: {memory[-1]:.0f} MB, {crowd.seen.visits} visits", flush=True)
    await asyncio.sleep(SETTLED)
    seen = crowd.seen
    for line in (
        *(f"{why} ({times})" for why, times in Counter(seen.broken).most_common()),
        *server.errors(),
    ):
        print(line)
    used = server.cpu / (time.monotonic() - began) / 10
    left = (
        ()
        if descriptors is None
        else (Figure("descriptors left open", (server.descriptors or 0) - descriptors, "", STAYS_OPEN),)
    )
    return Section(
        "Soak",
        f"{people} people for {minutes:g} minutes; a visit has {KEYS[0]} to {KEYS[1]} keys, {PAUSES[0]:g} to "
        f"{PAUSES[1]:g} s apart; {CUT:.0%} are cut off",
        (
            Figure("visits", seen.visits, ""),
            Figure("visits that broke", len(seen.broken), "", 0),
            Figure("keys", seen.keys, ""),
            Figure("a key to its answer, p50", percentile(seen.waits, 0.5), "ms"),
            Figure("a key to its answer, p99", percentile(seen.waits, 0.99), "ms", 100),
            Figure("the server's CPU", used, "%"),
            Figure("memory before them", before, "MB"),
            Figure("memory after a tenth of the time", memory[0], "MB"),
            Figure("memory after half of the time", memory[len(memory) // 2 - 1], "MB"),
            Figure("memory at the end", memory[-1], "MB", memory[len(memory) // 2 - 1] * 1.05),
            Figure("memory when all have left", server.memory, "MB"),
            *left,
            Figure("errors in the server's log", len(server.errors()), "", 0),
        ),
    )


async def _run(people: int, minutes: float) -> Section:
    async with serving(PLACED.server) as server, visiting(server) as visitors:
        return await measure(server, visitors, people, minutes)


def main() -> None:
    """Let people come and go, and print the figures."""
    words = argparse.ArgumentParser(
        prog="python -m bench.soak", description="Let people come and go for long."
    )
    words.add_argument("--people", type=int, default=300, help="people at once")
    words.add_argument("--minutes", type=float, default=30, help="how long")
    given = words.parse_args()
    before = time.perf_counter()
    section = asyncio.run(_run(given.people, given.minutes))
    print(table([msgspec.structs.replace(section, took=time.perf_counter() - before)]))


if __name__ == "__main__":
    main()
