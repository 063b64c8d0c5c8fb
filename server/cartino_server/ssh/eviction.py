"""How far a client is before it logs in, and which connection makes room when the places in the handshake are taken.

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
        info = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO.size)
    except OSError:
        return NO_PROGRESS
    if len(info) < _INFO.size:
        return NO_PROGRESS
    taken, received = _INFO.unpack(info)
    if received < KEXINIT_BYTES:
        return Progress(1 if received else 0)
    return Progress(3, taken) if taken >= KEX_REPLY_BYTES else Progress(2)


State = Literal["waiting", "handshake", "answered", "in"]
"""Where a connection is counted: it waits to be admitted, is before or after our key exchange reply, or logged in."""
ADMITTED: Final[tuple[State, ...]] = ("handshake", "answered", "in")
GRACE: Final = 1.0
"""Seconds for which a connection that has come or progressed isn't ranked behind others: networks are slow."""


def no_progress() -> Progress:
    """Return `NO_PROGRESS`, for connections about which nothing is known."""
    return NO_PROGRESS


class Candidate:
    """A connection that may be evicted once it is admitted and until it has logged in."""

    __slots__ = ("around", "came", "moved", "progress", "seen", "source", "state", "until")

    def __init__(self, source: Source, progress: Callable[[], Progress]) -> None:
        """Connection of `source`; `progress()` returns its progress."""
        self.source = source
        self.progress = progress
        self.state: State = "waiting"
        self.until = float("inf")
        """When the wait for other logins of its source ends."""
        self.came = self.moved = 0.0
        """When it was admitted; when its key exchange was last seen to progress, or the same before that."""
        self.seen = NO_PROGRESS
        """The progress seen then."""
        self.around: tuple[str, ...] = ()

    @property
    def is_under_way(self) -> bool:
        """Whether a key exchange had begun at the last look."""
        return self.seen.stage >= KEX_STARTED

    @property
    def is_answered(self) -> bool:
        """Whether the client had our key exchange reply at the last look."""
        return self.seen.stage >= KEX_ANSWERED

    def move(self, state: State) -> None:
        """Count it in that state from now on."""
        self.state = state

    def wait_until(self, end: float) -> float:
        """Wait for other logins until `end` unless it waits already; return until when."""
        self.until = min(self.until, end)
        return self.until

    def admit(self, now: float) -> None:
        """Mark as admitted."""
        self.came = self.moved = now
        # The client behind a proxy connection may come from any network.
        self.around = wider_networks(self.source.address or self.source.network)

    def look(self, now: float) -> None:
        """Update the recorded progress."""
        progress = self.progress()
        if progress > self.seen:
            self.seen = progress
            # Sending a version line takes no time.
            self.moved = now if self.is_under_way else self.came

    def log_in(self) -> None:
        """Mark as logged in; the connection is no longer looked at."""
        self.around = ()
        self.progress = no_progress


def choose_eviction(
    shaking: Mapping[int, Candidate], answered: Mapping[int, Candidate], beyond: int, now: float
) -> int:
    """Return the number of the connection to evict for a newcomer.

    `shaking` are those in the handshake, at which one has just looked; `answered` those that are logging in if their
    places are taken, `beyond` as many more. The order: no key exchange begun, if half of the places are taken by
    others; least progress, after a moment's grace; from the source, and then from the wider networks, with most
    connections; longest without progress.
    """
    under_way = {number: each for number, each in shaking.items() if each.is_under_way}
    among = {number: each for number, each in shaking.items() if not each.is_under_way}
    if 2 * (len(under_way) + beyond) > len(shaking) + beyond:
        among = {**under_way, **answered}
        for each in answered.values():
            each.look(now)
    everybody = (*shaking.values(), *answered.values())
    sources = Counter(each.source.network for each in everybody)
    networks = Counter(network for each in everybody for network in each.around)

    def staying(number: int) -> tuple[int, int, list[int], float, Progress, int]:
        each = among[number]
        is_behind = now - each.moved > GRACE
        return (
            each.seen.stage if is_behind else KEX_ANSWERED,
            -sources[each.source.network],
            [-networks[network] for network in each.around],
            each.moved,
            # A connection looked at for the first time appears to have progressed only now.
            each.seen,
            number,
        )

    return min(among, key=staying)
