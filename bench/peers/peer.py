"""One way to bring an app to people's terminals, and what a session of it costs, measured alike for all ways."""

import asyncio
import time
from collections.abc import Sequence
from typing import Final

import msgspec

from bench.figures import Figure, percentile
from bench.latency import BESIDE, grow
from bench.load.caller import Caller
from bench.load.many import loading
from bench.scale import Scale
from bench.server import BenchError, MeasuredServer
from bench.terminal import SILENCE
from bench.visitors import Visitors, connect, visiting

KEYS: Final = 6
"""Cursor keys of each session."""
TABLE_WITHIN: Final = 60.0
"""Seconds."""


class Peer(msgspec.Struct, frozen=True):
    """A running server, the words behind its host's name that lead to a table, and what stands there at last.

    `warming`: keys that make the server do what it does but once. `crowds`: whether fifty sessions more are to be
    measured; where each is a process, they would only be swapping. `still`: seconds without a byte after which nothing
    more comes by itself, though a bot may take its time.
    """

    name: str
    server: MeasuredServer
    words: str
    shown: bytes
    warming: bytes = b""
    crowds: bool = True
    still: float = 0.4


class _Session(msgspec.Struct, frozen=True):
    """A session: ms from the log-in and from its own request to the table, server CPU ms, bytes till then, of a key."""

    since_login: float
    since_request: float
    cpu: float
    first: int
    keys: tuple[int, ...]


async def measure(peer: Peer, scale: Scale) -> tuple[Figure, ...]:
    """Sessions that come one after the other and stay; then, where it makes sense, fifty and one who press keys."""
    async with visiting(peer.server) as visitors:
        await _warm(peer, visitors)
        before = peer.server.memory
        sessions = [await _session(peer, visitors, number) for number in range(scale.peer_sessions)]
        await asyncio.sleep(1)
        each = (peer.server.memory - before) / len(sessions)
    if peer.crowds and scale.peer_crowds:
        # A few sessions fit into what the first has left over; fifty don't.
        each, beside = await _beside_others(peer, scale)
    else:
        beside = ()
    return (
        Figure(f"{peer.name}: memory a session added", each, "MB"),
        Figure(f"{peer.name}: CPU to first full table", _mean([one.cpu for one in sessions]), "ms"),
        Figure(
            f"{peer.name}: session request to table, p50",
            _middle([one.since_request for one in sessions]),
            "ms",
        ),
        Figure(f"{peer.name}: log-in to table, p50", _middle([one.since_login for one in sessions]), "ms"),
        Figure(f"{peer.name}: bytes to first full table", _mean([one.first for one in sessions]), "B"),
        Figure(
            f"{peer.name}: bytes a cursor key", _mean([size for one in sessions for size in one.keys]), "B"
        ),
        *beside,
    )


async def _warm(peer: Peer, visitors: Visitors) -> None:
    terminal = Caller()
    await visitors.enter("peer", peer.words, terminal)
    await terminal.shows(peer.shown, TABLE_WITHIN)
    await _find(peer, terminal)
    terminal.press(peer.warming)
    await terminal.quiet(peer.still)


async def _session(peer: Peer, visitors: Visitors, number: int) -> _Session:
    started, name = time.perf_counter(), f"peer{number}"
    connection = await connect(peer.server, name)
    logged_in = time.perf_counter() - started
    # What the server does after a log-in is not what a session costs.
    await asyncio.sleep(SILENCE)
    used, asked, terminal = peer.server.cpu, time.perf_counter(), Caller()
    await visitors.open(name, connection, peer.words, terminal)
    await terminal.shows(peer.shown, TABLE_WITHIN)
    took = terminal.last - asked
    first = await terminal.quiet()
    return _Session(
        since_login=(logged_in + took) * 1000,
        since_request=took * 1000,
        cpu=peer.server.cpu - used,
        first=first,
        keys=await _keys(peer, terminal),
    )


async def _keys(peer: Peer, terminal: Caller) -> tuple[int, ...]:
    """Bytes of cursor keys that lead to and fro."""
    pair = await _find(peer, terminal)
    sizes = []
    for number in range(KEYS):
        terminal.press(pair[number % 2])
        await terminal.answered()
        sizes.append(await terminal.quiet())
    return tuple(sizes)


async def _find(peer: Peer, terminal: Caller) -> tuple[bytes, bytes]:
    """Once all is still, the keys that lead to and fro. Raises BenchError where none do."""
    await terminal.quiet(peer.still)
    if not await terminal.find_keys() or terminal.keys is None:
        raise BenchError(f"no key moves the cursor in {peer.name}")
    return terminal.keys


async def _beside_others(peer: Peer, scale: Scale) -> tuple[float, tuple[Figure, ...]]:
    """MB that each of fifty and one adds, and how long their keys wait."""
    before = peer.server.memory
    async with loading(peer.server) as load:
        await grow(load, BESIDE, peer.words, peer.shown)
        each = (peer.server.memory - before) / load.size
        pressed = await load.press(scale.seconds)
    beside = f"{peer.name}: a key beside {BESIDE - 1} others"
    told = (
        Figure(f"{beside}, p50", pressed.percentile(0.5), "ms"),
        Figure(f"{beside}, p95", pressed.percentile(0.95), "ms"),
        Figure(f"{beside}, p99", pressed.percentile(0.99), "ms"),
    )
    return each, told


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _middle(values: Sequence[float]) -> float:
    return percentile(values, 0.5)
