"""Ours and what is like it, side by side: the same sessions, keys and terminals before each."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

from bench.figures import Figure, Section
from bench.latency import ALONE_WITH_A_BOT
from bench.peers.openssh import NotHereError, openssh
from bench.peers.peer import Peer
from bench.peers.peer import measure as measure_peer
from bench.peers.textish import textish
from bench.placing import PLACED
from bench.scale import Scale
from bench.server import serving
from bench.tables import END, LAST_SHOWN, LAY


@asynccontextmanager
async def ours(cores: tuple[int, ...]) -> AsyncIterator[Peer]:
    """The server itself."""
    async with serving(cores) as server:
        yield Peer("ours", server, ALONE_WITH_A_BOT, LAST_SHOWN, warming=LAY + END)


PEERS: Final[tuple[Callable[[tuple[int, ...]], AbstractAsyncContextManager[Peer]], ...]] = (
    ours,
    openssh,
    textish,
)


async def measure(scale: Scale) -> Section:
    """Each that is here, one after the other on the server's core; those that are not are named."""
    figures: list[Figure] = []
    missing: list[str] = []
    for peer in PEERS:
        try:
            async with peer(PLACED.server) as running:
                figures += await measure_peer(running, scale)
        except NotHereError as error:
            missing.append(str(error))
    return Section(
        "Side by side",
        f"{scale.peer_sessions} sessions each, 80 by 24, 256 colours: our server; `cartino play` as the command "
        "that an sshd forces; a board of 144 widgets behind textish; CPU and memory of all processes of each"
        + "".join(f"; not here: {what}" for what in missing),
        tuple(figures),
    )
