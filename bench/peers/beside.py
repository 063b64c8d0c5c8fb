"""Compare this server with its peers: the same sessions, keys and terminals."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

import asyncssh

from bench.figures import Figure, Section
from bench.latency import ALONE_WITH_A_BOT
from bench.peers.gambit import GAMBIT, gambit
from bench.peers.nethack import nethack
from bench.peers.openssh import NotHereError, openssh
from bench.peers.peer import Peer, advantage
from bench.peers.peer import measure as measure_peer
from bench.peers.textish import textish
from bench.placing import PLACED
from bench.scale import Scale
from bench.server import BenchError, serving
from bench.tables import END, LAST_SHOWN, LAY
from bench.visitors import CIPHER, KEX

OURS: Final = "ours"
WANTED: Final = 1.2
"""Times that gambit should take what the server takes."""


@asynccontextmanager
async def ours(cores: tuple[int, ...]) -> AsyncIterator[Peer]:
    """Run this project's server."""
    async with serving(cores) as server:
        yield Peer(OURS, server, ALONE_WITH_A_BOT, LAST_SHOWN, warming=LAY + END)


PEERS: Final[tuple[Callable[[tuple[int, ...]], AbstractAsyncContextManager[Peer]], ...]] = (
    ours,
    gambit,
    textish,
    openssh,
    nethack,
)


async def measure(scale: Scale) -> Section:
    """Measure each peer that is installed, in turn on the server's core; name the others and those that fail."""
    measured: dict[str, tuple[Figure, ...]] = {}
    missing: list[str] = []
    broken: list[str] = []
    for peer in PEERS:
        try:
            async with peer(PLACED.server) as running:
                measured[running.name] = await measure_peer(running, scale)
        except NotHereError as error:
            missing.append(str(error))
        except (BenchError, asyncssh.Error, OSError) as error:
            broken.append(f"{peer.__name__}: {str(error) or type(error).__name__}")
    return Section(
        "Side by side",
        f"{scale.peer_sessions} sessions each, 80 by 24, 256 colours, {KEX}, {CIPHER}; CPU and memory of all processes "
        "of each" + "".join(f"; not here: {what}" for what in missing),
        (
            *(
                Figure(f"{name}: {figure.name}", figure.value, figure.unit)
                for name, figures in measured.items()
                for figure in figures
            ),
            *_advantages(measured),
        ),
        broken="; ".join(broken),
    )


def _advantages(measured: Mapping[str, Sequence[Figure]]) -> Iterator[Figure]:
    """Over everybody with whom the server can be compared in all."""
    for name, figures in measured.items():
        if name != OURS and OURS in measured and (times := advantage(measured[OURS], figures)):
            bound = WANTED if name == GAMBIT else None
            yield Figure(f"{name} takes, as a geometric mean", times, "times", bound, at_least=True)
