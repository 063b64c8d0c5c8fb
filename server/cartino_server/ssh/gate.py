"""Who may knock: every connection until it ends, counted by where it comes from.

Whoever has not logged in costs the house and may be anybody. So there are few places for them, and when all are taken
the newcomer gets the one of somebody who holds up (see `making_room`). Silent connections thus never keep a player out,
and each that is put out so counts against its source; but nobody is punished who had begun a key exchange.

Who logs in again and again is no offender either, but waits for their turn (see `pacing`), and only those are held
against their source who come while others of it wait already: no loop does that which waits for its own. Nobody is
refused at once since others of their source log in just then: a few wait for them, for a while.
"""

from collections.abc import Callable, Mapping
from itertools import count
from typing import Final, Literal, get_args

import asyncssh
import msgspec
from asyncssh.constants import (
    DISC_AUTH_CANCELLED_BY_USER,
    DISC_BY_APPLICATION,
    DISC_HOST_KEY_NOT_VERIFIABLE,
)
from asyncssh.packet import PacketDecodeError

from cartino_server.ssh.making_room import MOMENT, Ticket, nowhere, who_goes
from cartino_server.ssh.pacing import LONGEST_WAIT, Pacing
from cartino_server.ssh.penalties import Penalties
from cartino_server.ssh.progress import Progress
from cartino_server.ssh.sources import Networks, Source, source_of

Ending = Literal["done", "grace", "auth", "attempts", "mismatch", "protocol", "crashed", "lost"]
"""How a connection ended.

"done": as it should; "grace": nobody had logged in in time; "auth": nobody had logged in, though it was tried;
"attempts": it was tried too often; "mismatch": there is no way of SSH that both sides know, as where somebody asks
for a kind of host key that the house has not; "protocol": what came was no SSH; "crashed": something broke here;
"lost": the other side was gone.
"""

ENDINGS: Final[Mapping[str, Ending]] = {name: name for name in get_args(Ending)}
"""All of them, by their names."""

Reason = Literal["unauthenticated", "source", "logging-in", "pace", "penalty", "banned", "proxy", "files"]
"""Why one is turned away.

"unauthenticated": there is no place for one more who has not logged in; "source": too many of one source;
"logging-in": too many of one source that have not logged in yet; "pace": too many of one source wait for their turn;
"penalty": the source has misbehaved; "banned": the host wants none of it; "proxy": no header where there has to be one;
"files": no more descriptors.
"""

_OUTSIDE: Final[Mapping[Ending, float]] = {
    "done": 1.0,
    "lost": 1.0,
    "mismatch": 1.0,
    "auth": 5.0,
    "grace": 10.0,
    "protocol": 10.0,
    "attempts": 20.0,
    "crashed": 30.0,
}
"""Seconds against the source of a connection that ended so before anybody had logged in."""
_INSIDE: Final[Mapping[Ending, float]] = {"protocol": 10.0, "attempts": 10.0, "crashed": 10.0}
"""And afterwards."""
WAITING_EACH: Final = 6
"""How many of one source may wait for their turn: with two that log in, eight commands begun at once."""
WAITING: Final = 36
"""How many of all."""
IN_THE_WAY: Final = 0.25
"""Seconds after which somebody knocks again while others of their source log in."""
PATIENCE: Final = 5.0
"""Seconds for which they do so; others may be silent for longer."""
PUSHED: Final = 0.25
"""Seconds for one who comes while these wait. A second takes one away again, and 15 have to come together before the
source is kept out (`penalties.ENFORCED`): with 20 too many a second, each soon refused, after four.
"""
_FAREWELLS: Final = frozenset(
    {DISC_BY_APPLICATION, DISC_HOST_KEY_NOT_VERIFIABLE, DISC_AUTH_CANCELLED_BY_USER}
)
"""What programs say when a person goes: who says no to a host key that they don't know yet may look and come again."""
_PUT_OUT: Final = 10.0
_PUT_OUT_EARLY: Final = 4.0
"""Seconds for having held a place that somebody else needed; fewer where it was only for a moment.

That happens to players too, when many of them come at once, as after a restart.
"""


class GateLimits(msgspec.Struct, frozen=True):
    """The settings of these names; a number that is 0 is no limit."""

    unauthenticated: int = 10
    unauthenticated_each: int = 2
    connections_each: int = 20
    arrivals_each: int = 4
    penalties: float = 600.0
    exempt: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()


class Admitted(msgspec.Struct, frozen=True):
    """A connection may be spoken with: its number, and that of the one whose place it got, 0 for nobody's."""

    connection: int
    instead_of: int = 0


class Held(msgspec.Struct, frozen=True):
    """A connection, by its number, waits for its turn so many `seconds`; then it is to `knock_again`."""

    connection: int
    seconds: float


class Refused(msgspec.Struct, frozen=True):
    """A connection is turned away. That alone is nothing that is held against its source.

    `seconds`: for how long its source is kept out still, where that is known; `words`: what is told of a ban.
    """

    reason: Reason
    seconds: float = 0.0
    words: str = ""


class _Waiter(msgspec.Struct):
    """Somebody who waits for their turn, and until when they also wait for others to log in, once it has come."""

    source: Source
    progress: Callable[[], Progress]
    until: float = float("inf")


class Gate:
    """Decides about connections, and does nothing else. Numbers are given once in its life."""

    def __init__(
        self,
        limits: GateLimits,
        clock: Callable[[], float],
        is_banned: Callable[[str], bool] = lambda _: False,
        count_refusal: Callable[[str], object] = lambda _: None,
        why_banned: Callable[[str], str] = lambda _: "",
    ) -> None:
        """`clock` gives seconds that only rise; `is_banned(address)`; `count_refusal(reason)` is told each.

        `why_banned(address)` is the sentence for whoever comes from there, "" for the usual one.
        Raises ValueError where the limits name a network that is none.
        """
        self._clock = clock
        self._is_banned = is_banned
        self._why_banned = why_banned
        self._count_refusal = count_refusal
        self._numbers = count(1)
        self._newest = 0
        """The highest number that was given."""
        self._tickets: dict[int, Ticket] = {}
        self._outside: dict[int, Ticket] = {}
        """Those of them who have not logged in, in the order in which they came."""
        self._held: dict[str, int] = {}
        self._held_outside: dict[str, int] = {}
        """How many of each network these are."""
        self._waiting: dict[int, _Waiter] = {}
        """Those who wait for their turn, who have no ticket."""
        self._waiting_of: dict[str, int] = {}
        self._pacing = Pacing()
        self._penalties = Penalties(limits.penalties)
        self._limits = limits
        self.configure(limits)

    def configure(self, limits: GateLimits) -> None:
        """From now on these hold; who is there already stays. Raises ValueError, and then nothing has changed."""
        exempt, proxies = Networks(limits.exempt), Networks(limits.proxies)
        if limits.penalties != self._limits.penalties:
            self._penalties = Penalties(limits.penalties)
        self._limits, self._exempt, self._proxies = limits, exempt, proxies

    @property
    def connections(self) -> int:
        """How many there are."""
        return len(self._tickets)

    @property
    def waiting(self) -> int:
        """How many wait for their turn besides."""
        return len(self._waiting)

    @property
    def unauthenticated(self) -> int:
        """How many of them have not logged in."""
        return len(self._outside)

    # -- those who come

    def is_proxy(self, address: str) -> bool:
        """Whether connections from there have to say whom they bring."""
        return self._proxies.has(address)

    def expect(self, progress: Callable[[], Progress] = nowhere) -> Admitted:
        """A proxy knocks; whom it brings is said later, by `reveal`. See `knock`."""
        number = next(self._numbers)
        # Nobody else comes from there, so that it counts for itself.
        return self._take(number, Source("", f"#{number}"), progress)

    def reveal(self, connection: int, address: str) -> Admitted | Held | Refused:
        """That is whom the proxy brings, on a connection that `expect` admitted; it has ended where it is refused."""
        ticket = self._leave(connection)
        if ticket is None:
            return self.refuse("unauthenticated")
        return self._let_in(connection, _Waiter(source_of(address), ticket.progress))

    def knock(self, address: str, progress: Callable[[], Progress] = nowhere) -> Admitted | Held | Refused:
        """Somebody knocks; `progress()`: how far they have come. Who is held has to `knock_again`, or has `ended`."""
        return self._let_in(next(self._numbers), _Waiter(source_of(address), progress))

    def knock_again(self, connection: int) -> Admitted | Held | Refused:
        """Somebody who was held has waited as long as they had to."""
        return self._let_in(connection, self._waits_no_more(connection), has_waited=True)

    def refuse(self, reason: Reason, seconds: float = 0.0, words: str = "") -> Refused:
        """One is turned away, for a reason that may not be known here."""
        self._count_refusal(reason)
        return Refused(reason, seconds, words)

    # -- those who are there

    def has_ended(self, connection: int) -> bool:
        """Whether that connection was there and is no more."""
        return connection <= self._newest and connection not in self._tickets

    def logged_in(self, connection: int) -> None:
        """The connection needs its place among the others no more."""
        ticket = self._outside.pop(connection, None)
        if ticket is not None:
            ticket.log_in()
            _less(self._held_outside, ticket.source.network)
            if self._counts(ticket.source):
                self._pacing.came_in(ticket.source.network, self._limits.arrivals_each, self._clock())

    def ended(self, connection: int, why: Ending) -> None:
        """The connection has ended; one that is not known any more ended before."""
        if connection in self._waiting:
            self._waits_no_more(connection)
        ticket = self._leave(connection)
        if ticket is not None:
            self._punish(ticket.source, _INSIDE.get(why, 0.0) if ticket.is_in else _OUTSIDE[why])

    # -- what it counts

    def _let_in(self, number: int, comer: _Waiter, *, has_waited: bool = False) -> Admitted | Held | Refused:
        """What becomes of `comer`, by that number."""
        source, network, limits = comer.source, comer.source.network, self._limits
        refused = self._objection(source)
        if refused is not None:
            return refused
        if self._counts(source):
            now = self._clock()
            seconds = self._pacing.wait(network, limits.arrivals_each, now)
            if seconds > 0:
                if not has_waited:
                    # One after the other: nobody is counted before they have logged in.
                    seconds += self._waiting_of.get(network, 0) / limits.arrivals_each
                return self._hold(number, comer, min(seconds, LONGEST_WAIT))
            if 0 < limits.unauthenticated_each <= self._held_outside.get(network, 0):
                comer.until = min(comer.until, now + PATIENCE)
                if now < comer.until and (has_waited or self._may_wait(network)):
                    return self._hold(number, comer, IN_THE_WAY)
                return self.refuse("logging-in")
        return self._take(number, source, comer.progress)

    def _objection(self, source: Source) -> Refused | None:
        """What speaks against `source` itself, however many log in from there."""
        if self._is_banned(source.address):
            return self.refuse("banned", words=self._why_banned(source.address))
        if not self._counts(source):
            return None
        now = self._clock()
        if self._penalties.keeps_out(source.network, now):
            return self.refuse("penalty", self._penalties.left(source.network, now))
        if 0 < self._limits.connections_each <= self._held.get(source.network, 0):
            return self.refuse("source")
        return None

    def _counts(self, source: Source) -> bool:
        """Whether that is a stranger's, whose limits hold."""
        # A proxy's own connections, as those by which it looks whether the house is well, are not a stranger's.
        return not (self._exempt.has(source.address) or self._proxies.has(source.address))

    def _hold(self, number: int, comer: _Waiter, seconds: float) -> Held | Refused:
        network = comer.source.network
        if not self._may_wait(network):
            self._punish(comer.source, PUSHED)
            return self.refuse("pace")
        self._waiting[number] = comer
        self._waiting_of[network] = self._waiting_of.get(network, 0) + 1
        return Held(number, seconds)

    def _may_wait(self, network: str) -> bool:
        return self._waiting_of.get(network, 0) < WAITING_EACH and len(self._waiting) < WAITING

    def _waits_no_more(self, number: int) -> _Waiter:
        waiter = self._waiting.pop(number)
        _less(self._waiting_of, waiter.source.network)
        return waiter

    def _take(self, number: int, source: Source, progress: Callable[[], Progress]) -> Admitted:
        instead_of = 0
        if 0 < self._limits.unauthenticated <= len(self._outside):
            now = self._clock()
            instead_of = who_goes(self._outside, lambda network: self._penalties.left(network, now), now)
            put_out = self._leave(instead_of)
            assert put_out is not None
            self._count_refusal("unauthenticated")
            if not put_out.is_under_way:
                self._punish(put_out.source, _PUT_OUT if now - put_out.came > MOMENT else _PUT_OUT_EARLY)
        self._newest = max(number, self._newest)
        self._enter(number, source, progress)
        return Admitted(number, instead_of)

    def _enter(self, number: int, source: Source, progress: Callable[[], Progress]) -> None:
        self._tickets[number] = self._outside[number] = Ticket(source, self._clock(), progress)
        for held in (self._held, self._held_outside):
            held[source.network] = held.get(source.network, 0) + 1

    def _leave(self, number: int) -> Ticket | None:
        ticket = self._tickets.pop(number, None)
        if ticket is not None:
            _less(self._held, ticket.source.network)
            if self._outside.pop(number, None) is not None:
                _less(self._held_outside, ticket.source.network)
        return ticket

    def _punish(self, source: Source, seconds: float) -> None:
        if source.address and self._counts(source):
            self._penalties.add(source.network, seconds, self._clock())


def ending_of(error: BaseException | None) -> Ending:
    """How a connection ended that asyncssh gave up for `error`."""
    match error:
        case None:
            return "done"
        # A packet that is cut: a key exchange tells of it in these words, and is behind a bad line or a bad box.
        case asyncssh.ConnectionLost() | OSError() | PacketDecodeError():
            return "lost"
        case asyncssh.DisconnectError(code=code) if code in _FAREWELLS:
            return "done"
        case asyncssh.KeyExchangeFailed():
            return "mismatch"
        # asyncssh reads as text what has to be some, as a client's name, and doesn't mind where it is none.
        case asyncssh.Error() | UnicodeDecodeError():
            return "protocol"
        case _:
            return "crashed"


def _less(held: dict[str, int], network: str) -> None:
    if held[network] > 1:
        held[network] -= 1
    else:
        del held[network]
