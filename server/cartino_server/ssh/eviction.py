"""Choose which connection makes room when all places for clients that have not logged in are taken.

A client that has begun a key exchange stays in preference to others: it cost more and is about to log in. But an
attacker can begin one and fall silent, so half of the places are reserved for connections that have only just come.
"""

import socket
import struct
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple

from cartino_server.networks import Source, wider_networks

KEXINIT_BYTES: Final = 400
"""Received bytes from which on the client's KEXINIT has begun; a version line alone is shorter."""
KEX_REPLY_BYTES: Final = 680
"""Acknowledged bytes from which on the client has our key exchange reply."""

Stage = Literal[0, 1, 2, 3]
"""0: nothing received; 1: some bytes; 2: key exchange begun; 3: our reply acknowledged."""


class Progress(NamedTuple):
    """How far a handshake has come; greater is further.

    `taken` is the number of our bytes that the client has acknowledged, from stage 3 on. Each of them answers
    something, so a client that only keeps sending makes no progress.
    """

    stage: Stage = 0
    taken: int = 0


NO_PROGRESS: Final = Progress()
KEX_STARTED: Final[Stage] = 2
"""The stage from which on a key exchange has begun."""
KEX_ANSWERED: Final[Stage] = 3
"""The stage at which the client has our key exchange reply: a person may be reading the host key's fingerprint."""

_INFO: Final = struct.Struct("120xQQ")
"""Offsets of `tcpi_bytes_acked` and `tcpi_bytes_received` in Linux's `struct tcp_info`."""


def handshake_progress(client: socket.socket) -> Progress:
    """Return the handshake progress of `client` from the kernel's TCP counters.

    Returns `NO_PROGRESS` on other systems than Linux and for a closed socket.
    """
    if sys.platform != "linux":
        return NO_PROGRESS
    try:
        told = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO.size)
    except OSError:
        return NO_PROGRESS
    if len(told) < _INFO.size:
        return NO_PROGRESS
    taken, received = _INFO.unpack(told)
    if received < KEXINIT_BYTES:
        return Progress(1 if received else 0)
    return Progress(3, taken) if taken >= KEX_REPLY_BYTES else Progress(2)


GRACE: Final = 1.0
"""Seconds for which a connection that has come or progressed isn't ranked behind others: networks are slow."""
BAD_RECORD: Final = 5.0
"""Penalty seconds that mark a source as misbehaving rather than unlucky."""


class Candidate:
    """A connection that may be evicted until it has logged in."""

    __slots__ = ("around", "came", "is_in", "moved", "progress", "seen", "source")

    def __init__(self, source: Source, came: float, progress: Callable[[], Progress]) -> None:
        """Connection of `source`, opened at `came` in seconds; `progress()` returns its progress."""
        self.source = source
        self.came = came
        self.is_in = False
        self.moved = came
        """When the key exchange was last seen to progress; before that, when the connection came."""
        self.seen = NO_PROGRESS
        """The progress seen then."""
        # The client behind a proxy connection may come from any network.
        self.around = wider_networks(source.address or source.network)
        self.progress = progress

    @property
    def is_under_way(self) -> bool:
        """Whether a key exchange had begun at the last look."""
        return self.seen.stage >= KEX_STARTED

    @property
    def is_answered(self) -> bool:
        """Whether the client had our key exchange reply at the last look."""
        return self.seen.stage >= KEX_ANSWERED

    def look(self, now: float) -> None:
        """Update the recorded progress."""
        told = self.progress()
        if told > self.seen:
            self.seen = told
            # Sending a version line takes no time.
            self.moved = now if self.is_under_way else self.came

    def log_in(self) -> None:
        """Mark as logged in; the connection is no longer looked at."""
        self.is_in = True
        self.around = ()
        self.progress = no_progress


def no_progress() -> Progress:
    """Return `NO_PROGRESS`, for connections about which nothing is known."""
    return NO_PROGRESS


def choose_eviction(
    outside: Mapping[int, Candidate], held_against: Callable[[str], float], now: float
) -> int:
    """Return the number of the connection in `outside` to evict; `outside` isn't empty.

    `held_against(network)` returns the penalty seconds of a source. The order of preference: no key exchange begun;
    least progress, after a moment's grace; from the source, and then from the wider networks, with most connections
    here; a bad record; longest without progress.
    """
    for ticket in outside.values():
        ticket.look(now)
    under_way = sum(ticket.is_under_way for ticket in outside.values())
    wanted = 2 * under_way > len(outside)
    among = {number: ticket for number, ticket in outside.items() if ticket.is_under_way == wanted}
    sources = Counter(ticket.source.network for ticket in outside.values())
    networks = Counter(network for ticket in outside.values() for network in ticket.around)

    def holds_up(number: int) -> tuple[int, int, list[int], bool, float, int, int, int]:
        ticket = among[number]
        is_behind = now - ticket.moved > GRACE
        return (
            -ticket.seen.stage if is_behind else -KEX_STARTED - 1,
            sources[ticket.source.network],
            [networks[network] for network in ticket.around],
            held_against(ticket.source.network) > BAD_RECORD,
            -ticket.moved,
            # A connection looked at for the first time appears to have progressed only now.
            -ticket.seen.stage,
            -ticket.seen.taken,
            -number,
        )

    return max(among, key=holds_up)
