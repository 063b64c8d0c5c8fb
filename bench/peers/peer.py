"""A way to bring an app to terminals, and what a session of it costs."""

import asyncio
import time
from collections.abc import Sequence
from statistics import geometric_mean
from typing import Final

import msgspec

from bench.figures import Figure, percentile
from bench.latency import BESIDE, grow
from bench.load.caller import Caller, Pairs
from bench.load.many import loading
from bench.scale import Scale
from bench.server import BenchError, MeasuredServer
from bench.terminal import SILENCE
from bench.visitors import Visitors, connect, public_key, visiting

KEYS: Final = 6
"""Cursor keys of each session."""
TABLE_WITHIN: Final = 60.0
"""Seconds."""

MEMORY: Final = "memory a session added"
ENTRY_CPU: Final = "CPU to first full table"
ENTRY: Final = "session request to table, p50"
LOGIN: Final = "log-in, p50"
FIRST: Final = "bytes to first full table"
KEY: Final = "bytes a cursor key"
BESIDES: Final = f"a key beside {BESIDE - 1} others"
KEY_CPU: Final = f"{BESIDES}, CPU"
P50, P95 = f"{BESIDES}, p50", f"{BESIDES}, p95"
COMPARED: Final = ((MEMORY,), (KEY,), (ENTRY, ENTRY_CPU), (LOGIN,), (KEY_CPU,), (P50, P95))
"""What one peer is compared by with another: memory, bytes of a key, entry, log-in, CPU and latency count alike."""


class Peer(msgspec.Struct, frozen=True):
    """A running server, the words behind its host's name that lead to a table, and what stands there at last.

    `words` may have a place for who comes, `{}`. `warming`: keys that make the server do what it does but once.
    `leaving`: keys that end a session. `crowds`: whether fifty sessions more are to be measured; where each is a
    process, they would only be swapping. `bursts`: whether a hundred may come at once after that. `still`: seconds
    without a byte after which nothing more comes by itself, though a bot may take its time. `pairs`: keys to try, where
    they are not those of a table of ours.
    """

    name: str
    server: MeasuredServer
    words: str
    shown: bytes
    warming: bytes = b""
    leaving: bytes = b""
    crowds: bool = True
    bursts: bool = True
    still: float = 0.4
    pairs: Pairs = ()


class _Session(msgspec.Struct, frozen=True):
    """A session: ms of the log-in and from its own request to the table, server CPU ms, bytes till then, of a key."""

    login: float
    entry: float
    cpu: float
    first: int
    keys: tuple[int, ...]


async def measure(peer: Peer, scale: Scale) -> tuple[Figure, ...]:
    """Sessions that come one after the other and stay; then, where it makes sense, many who press keys or come at once.

    All clients use one key exchange and cipher. Raises BenchError.
    """
    peer = msgspec.structs.replace(peer, server=msgspec.structs.replace(peer.server, alike=True))
    async with visiting(peer.server) as visitors:
        first, *terminals = [Caller() for _ in range(1 + scale.peer_sessions)]
        await _warm(peer, visitors, first)
        before = peer.server.memory
        sessions = [
            await _session(peer, visitors, f"peer{number}", terminal)
            for number, terminal in enumerate(terminals)
        ]
        await asyncio.sleep(1)
        each = (peer.server.memory - before) / len(sessions)
        if peer.leaving:
            for terminal in (first, *terminals):
                terminal.press(peer.leaving)
                await terminal.quiet(peer.still)
    many: tuple[Figure, ...] = ()
    if peer.crowds and scale.peer_crowds:
        # A few sessions fit into what those before have left over; fifty don't.
        each, many = await _beside_others(peer, scale)
        if peer.bursts:
            many += await _burst(peer, scale)
    return (
        Figure(MEMORY, each, "MB"),
        Figure(ENTRY_CPU, _mean([one.cpu for one in sessions]), "ms"),
        Figure(ENTRY, _middle([one.entry for one in sessions]), "ms"),
        Figure(LOGIN, _middle([one.login for one in sessions]), "ms"),
        Figure(FIRST, _mean([one.first for one in sessions]), "B"),
        Figure(KEY, _mean([size for one in sessions for size in one.keys]), "B"),
        *many,
    )


def advantage(ours: Sequence[Figure], theirs: Sequence[Figure]) -> float | None:
    """Return the geometric mean of their ratios to ours in `COMPARED`; None where one wasn't measured."""
    mine, other = ({figure.name: figure.value for figure in figures} for figures in (ours, theirs))
    if not all(one.get(name, 0) > 0 for one in (mine, other) for group in COMPARED for name in group):
        return None
    return geometric_mean(
        [geometric_mean([other[name] / mine[name] for name in group]) for group in COMPARED]
    )


async def _warm(peer: Peer, visitors: Visitors, terminal: Caller) -> None:
    await visitors.enter("peer", peer.words.format("first"), terminal)
    await terminal.shows(peer.shown, TABLE_WITHIN)
    await _find(peer, terminal)
    terminal.press(peer.warming)
    await terminal.quiet(peer.still)


async def _session(peer: Peer, visitors: Visitors, name: str, terminal: Caller) -> _Session:
    public_key(name)  # made before the clock runs
    started = time.perf_counter()
    connection = await connect(peer.server, name)
    logged_in = time.perf_counter() - started
    # What the server does after a log-in is not what a session costs.
    await asyncio.sleep(SILENCE)
    used, asked = peer.server.cpu, time.perf_counter()
    await visitors.open(name, connection, peer.words.format(name), terminal)
    await terminal.shows(peer.shown, TABLE_WITHIN)
    took = terminal.last - asked
    first = await terminal.quiet()
    return _Session(
        login=logged_in * 1000,
        entry=took * 1000,
        cpu=peer.server.cpu - used,
        first=first,
        keys=await _keys(peer, terminal),
    )


async def _keys(peer: Peer, terminal: Caller) -> tuple[int, ...]:
    """Return the bytes of cursor keys that lead to and fro."""
    pair = await _find(peer, terminal)
    sizes = []
    for number in range(KEYS):
        terminal.press(pair[number % 2])
        await terminal.answered()
        sizes.append(await terminal.quiet())
    return tuple(sizes)


async def _find(peer: Peer, terminal: Caller) -> tuple[bytes, bytes]:
    """Wait until all is still; return the keys that lead to and fro. Raises BenchError where none do."""
    await terminal.quiet(peer.still)
    if not await terminal.find_keys(peer.pairs) or terminal.keys is None:
        raise BenchError(f"no key moves the cursor in {peer.name}")
    return terminal.keys


async def _beside_others(peer: Peer, scale: Scale) -> tuple[float, tuple[Figure, ...]]:
    """Return what keys of fifty-one wait and cost, and the MB that each further session adds."""
    async with loading(peer.server) as load:
        await grow(load, BESIDE, peer.words, peer.shown, peer.pairs)
        used = peer.server.cpu
        pressed = await load.press(scale.seconds)
        used = peer.server.cpu - used
        before, size = peer.server.memory, load.size
        await grow(load, 2 * BESIDE, peer.words, peer.shown, peer.pairs)
        each = (peer.server.memory - before) / (load.size - size)
    told = (
        Figure(KEY_CPU, used / len(pressed.late), "ms"),
        Figure(P50, pressed.percentile(0.5), "ms"),
        Figure(P95, pressed.percentile(0.95), "ms"),
        Figure(f"{BESIDES}, p99", pressed.percentile(0.99), "ms"),
    )
    return each, told


async def _burst(peer: Peer, scale: Scale) -> tuple[Figure, ...]:
    async with visiting(peer.server) as visitors:
        words = [peer.words.format(f"burst{number}") for number in range(scale.burst)]
        took = await visitors.burst(words, peer.shown)
    return (Figure(f"{scale.burst} at once: until the last sees the table", took, "s"),)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _middle(values: Sequence[float]) -> float:
    return percentile(values, 0.5)
