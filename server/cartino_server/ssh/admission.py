"""Decide which connections are admitted, made to wait or refused, by counting them per source.

A client that has not logged in may be anybody and costs work, so the places for such clients are limited. When all are
taken, a newcomer evicts one (see `eviction`). Silent connections therefore never keep a player out, and each eviction
counts against its source unless a key exchange had begun.

A client that has our key exchange reply costs nothing more until it goes on, and often a person is reading the question
about the host key there. Such clients have places of their own; those beyond these count among the others.

Frequent logins from one source are delayed, not punished (see `rate_limit.login_policy`). A penalty is due only
when more connections arrive than may wait: a script that runs one command after the other never does that. While
others of a source are logging in, a few more wait for them instead of being refused.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import count
from typing import Final, Literal, get_args

import msgspec

from cartino_server.limits import AdmissionLimits
from cartino_server.networks import Networks, Source, source_of
from cartino_server.rate_limit import RateLimiter
from cartino_server.ssh.eviction import (
    ADMITTED,
    GRACE,
    Candidate,
    Progress,
    State,
    choose_eviction,
    no_progress,
)
from cartino_server.ssh.rate_limit import MAX_WAIT, Penalties, login_policy
from cartino_server.visitors import Ending

Reason = Literal["unauthenticated", "source", "logging-in", "pace", "penalty", "banned", "proxy", "files"]
"""Why a connection is refused.

* "unauthenticated": no place for another client that has not logged in.
* "source": too many connections from one source.
* "logging-in": too many clients of one source that have not logged in yet.
* "pace": too many clients of one source are waiting.
* "penalty": the source has misbehaved.
* "banned": the host has banned the address.
* "proxy": the PROXY protocol header is missing or invalid.
* "files": no file descriptor is left.
"""

_PENALTIES_BEFORE_LOGIN: Final[Mapping[Ending, float]] = {
    "done": 1.0,
    "lost": 1.0,
    "mismatch": 1.0,
    "auth": 5.0,
    "slow": 0.0,
    "grace": 10.0,
    "protocol": 10.0,
    "attempts": 20.0,
    "crashed": 30.0,
}
"""Penalty seconds for a connection that ended this way before login."""
_PENALTIES_AFTER_LOGIN: Final[Mapping[Ending, float]] = {"protocol": 10.0, "attempts": 10.0, "crashed": 10.0}
"""Penalty seconds for a connection that ended this way after login."""
MAX_WAITING_PER_SOURCE: Final = 6
"""Connections of one source that may wait for the login rate."""
MAX_WAITING_FOR_OTHERS: Final = 8
"""Connections of one source up to which one may wait for other key exchanges: with two of these, ten people at once."""
MAX_WAITING: Final = 36
"""Connections that may wait in all."""
RETRY_INTERVAL: Final = 0.25
"""Seconds between two tries while others of the same source log in."""
MAX_LOGIN_WAIT: Final = 5.0
"""Seconds to keep trying; clients that fall silent during login may take longer."""
OVERFLOW_PENALTY: Final = 0.25
"""Penalty seconds for a connection that finds no place to wait.

A second takes one away again, and a source is blocked from 15 on (`rate_limit.ENFORCED_FROM`): at 20 connections a
second too many, after four seconds.
"""
_EVICTED: Final = 10.0
_EVICTED_EARLY: Final = 4.0
"""Penalty seconds for an evicted connection; fewer if it had been open for only a moment.

Eviction also happens to players when many connect at once, as after a restart.
"""


class Admitted(msgspec.Struct, frozen=True):
    """The connection is admitted; `instead_of` is the number of the one evicted for it, or 0."""

    connection: int
    instead_of: int = 0


class Held(msgspec.Struct, frozen=True):
    """The connection waits `seconds`, then calls `AdmissionControl.retry`."""

    connection: int
    seconds: float


class AdmissionRefused(msgspec.Struct, frozen=True):
    """The connection is refused, which is not held against its source.

    `seconds` is the rest of a penalty if known; `words` is the message for a banned address.
    """

    reason: Reason
    seconds: float = 0.0
    words: str = ""


class _Table:
    """All connections that wait or are admitted, by their state; counted per network."""

    def __init__(self) -> None:
        self._connections: dict[State, dict[int, Candidate]] = {state: {} for state in get_args(State)}
        self._counts: Counter[tuple[State, str]] = Counter()

    def get(self, number: int) -> Candidate | None:
        """Return the connection with that number, if there is one."""
        return next((each[number] for each in self._connections.values() if number in each), None)

    def number_in(self, state: State, network: str | None = None) -> int:
        """Return how many connections of the network, or of all, are in that state."""
        return len(self._connections[state]) if network is None else self._counts[state, network]

    def select(self, state: State, network: str | None = None) -> dict[int, Candidate]:
        """Return the connections of the network, or of all, in that state."""
        found = self._connections[state].items()
        return {number: each for number, each in found if network in {None, each.source.network}}

    def put(self, number: int, connection: Candidate, state: State) -> None:
        """Add a connection, or move it to another state."""
        self.remove(number)
        connection.move(state)
        self._connections[state][number] = connection
        self._counts[state, connection.source.network] += 1

    def remove(self, number: int) -> Candidate | None:
        """Remove a connection and return it, None if it isn't here."""
        connection = self.get(number)
        if connection is not None:
            del self._connections[connection.state][number]
            key = connection.state, connection.source.network
            self._counts[key] -= 1
            if not self._counts[key]:
                del self._counts[key]
        return connection


class AdmissionControl:
    """Decide about connections; does no I/O. Connection numbers are never reused."""

    def __init__(
        self,
        limits: AdmissionLimits,
        clock: Callable[[], float],
        is_banned: Callable[[str], bool] = lambda _: False,
        count_refusal: Callable[[str], object] = lambda _: None,
        why_banned: Callable[[str], str] = lambda _: "",
    ) -> None:
        """Use `clock` (monotonic seconds) and `is_banned(address)`; `why_banned(address)` is the message or "".

        Raises ValueError if the limits contain an invalid network.
        """
        self._clock = clock
        self._is_banned = is_banned
        self._why_banned = why_banned
        self._count_refusal = count_refusal
        self._numbers = count(1)
        self._newest = 0
        """The highest number that was admitted."""
        self._table = _Table()
        self._logins = RateLimiter()
        self._penalties = Penalties(limits.penalties)
        self._limits = limits
        self.configure(limits)

    def configure(self, limits: AdmissionLimits) -> None:
        """Apply `limits` to new connections. Raises ValueError and changes nothing if a network is invalid."""
        exempt, proxies = Networks(limits.exempt), Networks(limits.proxies)
        if limits.penalties != self._limits.penalties:
            self._penalties = Penalties(limits.penalties)
        if limits.arrivals_each != self._limits.arrivals_each:
            self._logins.clear()
        self._login_policy = login_policy(limits.arrivals_each)
        self._limits = limits
        self._exempt, self._proxies = exempt, proxies

    @property
    def connections(self) -> int:
        """Number of admitted connections."""
        return self.unauthenticated + self._table.number_in("in")

    @property
    def waiting(self) -> int:
        """Number of waiting connections."""
        return self._table.number_in("waiting")

    @property
    def unauthenticated(self) -> int:
        """Number of admitted connections that have not logged in."""
        return self._table.number_in("handshake") + self._table.number_in("answered")

    def is_proxy(self, address: str) -> bool:
        """Return whether `address` is a proxy that must send a PROXY header."""
        return self._proxies.has(address)

    def admit_proxy(self, progress: Callable[[], Progress] = no_progress) -> Admitted:
        """Admit a connection of a proxy; call `identify` once its header has come."""
        number = next(self._numbers)
        # Each proxy connection is its own source until its client is known.
        return self._admit(number, Candidate(Source("", f"#{number}"), progress))

    def identify(self, connection: int, address: str) -> Admitted | Held | AdmissionRefused:
        """Decide about the client at `address` behind an admitted proxy connection.

        The connection counts as ended if it is refused.
        """
        brought = self._table.remove(connection)
        if brought is None:
            return self.refuse("unauthenticated")
        return self._decide(connection, Candidate(source_of(address), brought.progress))

    def request(
        self, address: str, progress: Callable[[], Progress] = no_progress
    ) -> Admitted | Held | AdmissionRefused:
        """Decide about a new connection; `progress()` returns its handshake progress.

        If it is held, call `retry` later, or `record_connection_end` if it goes away.
        """
        return self._decide(next(self._numbers), Candidate(source_of(address), progress))

    def retry(self, connection: int) -> Admitted | Held | AdmissionRefused:
        """Decide again about a held connection whose wait is over."""
        held = self._table.remove(connection)
        assert held is not None
        return self._decide(connection, held, has_waited=True)

    def refuse(self, reason: Reason, seconds: float = 0.0, words: str = "") -> AdmissionRefused:
        """Count and return a refusal, also for reasons found elsewhere."""
        self._count_refusal(reason)
        return AdmissionRefused(reason, seconds, words)

    def has_ended(self, connection: int) -> bool:
        """Return whether the connection was admitted and has ended."""
        return connection <= self._newest and self._table.get(connection) is None

    def logged_in(self, connection: int) -> None:
        """Free the connection's place among those that have not logged in."""
        known = self._table.get(connection)
        if known is None or known.state not in {"handshake", "answered"}:
            return
        known.log_in()
        self._table.put(connection, known, "in")
        if self._limits.arrivals_each and self._counts(known.source):
            self._logins.draw(self._login_policy, known.source.network, self._clock())

    def record_connection_end(self, connection: int, why: Ending) -> None:
        """Record that the connection has ended and penalise its source; ignored if it had ended before."""
        known = self._table.remove(connection)
        if known is not None and known.state != "waiting":
            penalties = _PENALTIES_AFTER_LOGIN if known.state == "in" else _PENALTIES_BEFORE_LOGIN
            self._punish(known.source, penalties.get(why, 0.0))

    def _decide(
        self, number: int, client: Candidate, *, has_waited: bool = False
    ) -> Admitted | Held | AdmissionRefused:
        source, network = client.source, client.source.network
        refused = self._refusal(source)
        if refused is not None:
            return refused
        if self._counts(source):
            now = self._clock()
            seconds = self._logins.wait(self._login_policy, network, now)
            if seconds > 0:
                if not has_waited:
                    # Clients are counted only after login, so those waiting are spread out here.
                    seconds += self._table.number_in("waiting", network) / self._limits.arrivals_each
                if has_waited or self._may_wait(network, MAX_WAITING_PER_SOURCE):
                    return self._hold(number, client, min(seconds, MAX_WAIT))
                self._punish(source, OVERFLOW_PENALTY)
                return self.refuse("pace")
            if self._is_full(network):
                if now < client.wait_until(now + MAX_LOGIN_WAIT) and (
                    has_waited or self._may_wait(network, MAX_WAITING_FOR_OTHERS)
                ):
                    return self._hold(number, client, RETRY_INTERVAL)
                return self.refuse("logging-in")
        return self._admit(number, client)

    def _refusal(self, source: Source) -> AdmissionRefused | None:
        """Return why the source itself is refused, if it is."""
        if self._is_banned(source.address):
            return self.refuse("banned", words=self._why_banned(source.address))
        if not self._counts(source):
            return None
        now, network = self._clock(), source.network
        if self._penalties.keeps_out(network, now):
            return self.refuse("penalty", self._penalties.seconds_left(network, now))
        admitted = sum(self._table.number_in(state, network) for state in ADMITTED)
        if 0 < self._limits.connections_each <= admitted:
            return self.refuse("source")
        return None

    def _counts(self, source: Source) -> bool:
        """Return whether limits apply to the source."""
        # A proxy's own connections, such as health checks, are exempt.
        return not (self._exempt.has(source.address) or self._proxies.has(source.address))

    def _may_wait(self, network: str, most: int) -> bool:
        """Return whether another one of the source may wait, of which there may be `most`."""
        table = self._table
        return table.number_in("waiting", network) < most and table.number_in("waiting") < MAX_WAITING

    def _hold(self, number: int, client: Candidate, seconds: float) -> Held:
        self._table.put(number, client, "waiting")
        return Held(number, seconds)

    def _is_full(self, network: str | None = None) -> bool:
        """Return whether the source, or everybody, has no place for another connection in the handshake."""
        limits, table = self._limits, self._table
        most, logging_in = limits.unauthenticated_each, limits.logging_in_each
        if network is None:
            most, logging_in = limits.unauthenticated, limits.logging_in

        def taken() -> int:
            # Connections beyond the places for logging in count as in the handshake.
            beyond = table.number_in("answered", network) - logging_in if logging_in else 0
            return table.number_in("handshake", network) + max(0, beyond)

        if 0 < most <= taken():
            now = self._clock()
            for number, each in table.select("handshake", network).items():
                each.look(now)
                if each.is_answered:
                    table.put(number, each, "answered")
        return 0 < most <= taken()

    def _admit(self, number: int, client: Candidate) -> Admitted:
        now = self._clock()
        instead_of = self._evict(now) if self._is_full() else 0
        self._newest = max(number, self._newest)
        client.admit(now)
        self._table.put(number, client, "handshake")
        return Admitted(number, instead_of)

    def _evict(self, now: float) -> int:
        """Free a place in the handshake; return the number of the connection that had it."""
        shaking, answered = self._table.select("handshake"), self._table.select("answered")
        beyond = len(answered) - self._limits.logging_in
        if not self._limits.logging_in or beyond < 0:
            answered, beyond = {}, 0
        chosen = choose_eviction(shaking, answered, beyond, now)
        evicted = (shaking | answered)[chosen]
        self._table.remove(chosen)
        self._count_refusal("unauthenticated")
        if not evicted.is_under_way:
            self._punish(evicted.source, _EVICTED if now - evicted.came > GRACE else _EVICTED_EARLY)
        return chosen

    def _punish(self, source: Source, seconds: float) -> None:
        if source.address and self._counts(source):
            self._penalties.add(source.network, seconds, self._clock())
