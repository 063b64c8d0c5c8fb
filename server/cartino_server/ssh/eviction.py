"""The places of admitted connections, and which connection makes room when those before the login are taken.

See `admission` for why there are several kinds of places.

A client that has begun a key exchange stays in preference to others: it cost more and is about to log in. But an
attacker can begin one and fall silent, so half of the places are reserved for connections that have only just come.
"""

import socket
import struct
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, NamedTuple

from cartino_server.limits import AdmissionLimits
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


class Places:
    """The admitted connections, and which of them take a place of clients that have not logged in."""

    def __init__(
        self, limits: AdmissionLimits, clock: Callable[[], float], counts: Callable[[Source], bool]
    ) -> None:
        """`clock()` is in monotonic seconds; `counts(source)` returns whether limits apply to it."""
        self._limits = limits
        self._clock = clock
        self._counts = counts
        self._tickets: dict[int, Candidate] = {}
        self._outside: dict[int, Candidate] = {}
        """Connections before our key exchange reply, oldest first, and those beyond the limits of `_answered`."""
        self._answered: dict[int, Candidate] = {}
        """Connections that have our key exchange reply and have not logged in."""
        self._held: dict[str, int] = {}
        self._held_outside: dict[str, int] = {}
        self._held_answered: dict[str, int] = {}
        """Connections per source network: all, those in `_outside` and those in `_answered`."""

    def configure(self, limits: AdmissionLimits) -> None:
        """Apply `limits` to new connections."""
        self._limits = limits

    def __len__(self) -> int:
        return len(self._tickets)

    def __contains__(self, number: int) -> bool:
        return number in self._tickets

    @property
    def unauthenticated(self) -> int:
        """Number of connections that have not logged in."""
        return len(self._outside) + len(self._answered)

    def held_by(self, network: str) -> int:
        """Return how many connections the source has."""
        return self._held.get(network, 0)

    def assign_place(self, number: int, source: Source, progress: Callable[[], Progress]) -> None:
        """Give the connection a place outside."""
        self._tickets[number] = self._outside[number] = Candidate(source, self._clock(), progress)
        for held in (self._held, self._held_outside):
            held[source.network] = held.get(source.network, 0) + 1

    def leave(self, number: int) -> Candidate | None:
        """Free all that the connection takes; return it, None if it isn't here."""
        ticket = self._tickets.pop(number, None)
        if ticket is not None:
            decrement(self._held, ticket.source.network)
            self._come_in(number)
        return ticket

    def log_in(self, number: int) -> Candidate | None:
        """Free the connection's place among those that have not logged in; return it, None if it had none."""
        ticket = self._come_in(number)
        if ticket is not None:
            ticket.log_in()
        return ticket

    def is_crowded(self, network: str) -> bool:
        """Return whether the source has no place for another connection before the key exchange reply."""
        each = self._limits.unauthenticated_each
        if 0 < each <= self._held_outside.get(network, 0):
            self._move_answered(
                [n for n, ticket in self._outside.items() if ticket.source.network == network]
            )
        return 0 < each <= self._held_outside.get(network, 0)

    def is_full(self) -> bool:
        """Return whether there is no such place for anybody."""
        most = self._limits.unauthenticated
        if 0 < most <= len(self._outside):
            self._move_answered([*self._outside])
        return 0 < most <= len(self._outside)

    def choose_eviction(self, held_against: Callable[[str], float]) -> int:
        """Return the connection that makes room for a newcomer; `held_against` is as in `choose_eviction`.

        Those that have our key exchange reply have to, too, when their places are full, but not for silent ones.
        """
        now = self._clock()
        chosen = choose_eviction(self._outside, held_against, now)
        if not (self._outside[chosen].is_under_way and self._are_answered_full()):
            return chosen
        under_way = {number: ticket for number, ticket in self._outside.items() if ticket.is_under_way}
        return choose_eviction(under_way | self._answered, held_against, now)

    def _come_in(self, number: int) -> Candidate | None:
        """Remove a connection from those that have not logged in."""
        for those, held in (
            (self._outside, self._held_outside),
            (self._answered, self._held_answered),
        ):
            ticket = those.pop(number, None)
            if ticket is not None:
                decrement(held, ticket.source.network)
                return ticket
        return None

    def _move_answered(self, numbers: Iterable[int]) -> None:
        """Move those of `numbers` that have our key exchange reply, as far as there are places for them."""
        now, limits = self._clock(), self._limits
        for number in numbers:
            ticket = self._outside[number]
            network = ticket.source.network
            ticket.look(now)
            if not ticket.is_answered or self._are_answered_full():
                continue
            held = self._held_answered.get(network, 0)
            if 0 < limits.logging_in_each <= held and self._counts(ticket.source):
                continue
            self._come_in(number)
            self._answered[number] = ticket
            self._held_answered[network] = held + 1

    def _are_answered_full(self) -> bool:
        return 0 < self._limits.logging_in <= len(self._answered)


def decrement(held: dict[str, int], network: str) -> None:
    """Count one less for the network."""
    if held[network] > 1:
        held[network] -= 1
    else:
        del held[network]
