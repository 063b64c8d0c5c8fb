"""The places of admitted connections, counted per source; see `admission` for why there are several kinds."""

from collections.abc import Callable, Iterable

from cartino_server.limits import AdmissionLimits
from cartino_server.networks import Source
from cartino_server.ssh.eviction import Candidate, Progress, choose_eviction


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

    def take(self, number: int, source: Source, progress: Callable[[], Progress]) -> None:
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
