"""Admission under load: who gets in when the server is full, and whose connection is ended for it.

- Connections that no running game needs can be evicted. First those on which nothing runs although there was time to
  start; then the one with the highest product of idle seconds and crowding of its network beyond a household's share
  (doubled for guests, a quarter for people with a seat).
- A player in a running game keeps the connection they play on, and briefly a newer one, since the old one may be dead.
  Alone with bots they keep it only while active.
- Players of a running game can return even when every place is kept: they replace their own connection or use a reserve
  beyond the limit. A guest proves who they are only later, with a resume code, so guests get half of the reserve, a few
  per network at a time, and are not evicted while they may be typing it.
- No network can fill the server with its own games: when one neighbourhood (IPv4 /24, IPv6 /48) holds more than a tenth
  of the places, or one provider (/16, /32) more than a quarter, one of its players can be evicted for somebody else.

Each admission evicts at most one connection, so the number never exceeds limit plus reserve, except for admins.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from cartino_server.lobby.moderation import SeatValue
from cartino_server.networks import source_of, wider_networks

FREE_PER_NETWORK: Final = (4, 8, 32)
"""Connections without a crowding penalty: of a source, a neighbourhood, a provider."""
MIN_IDLE: Final = 10.0
"""Least idle seconds that count, so that constant typing protects nobody."""
STARTUP_SECONDS: Final = 10.0
"""Seconds in which a session starts after login."""
ABANDONED_AFTER: Final = 600.0
"""Idle seconds after which a game against bots alone counts as left."""
RESUME_SECONDS: Final = 60.0
"""Seconds for a guest to type a resume code, and for newcomers from a crowd to sit down."""
MAX_RESUMING_GUESTS: Final = 4
"""Guests of one neighbourhood who may be typing a resume code at the same time."""


class ConnectionSlot(msgspec.Struct, frozen=True):
    """A taken place.

    `source`: the address, "" if exempt; `stands`: the person uses their seat by this connection; `runs`: a session
    runs; `quiet`, `age`: seconds since the last input, and since login; `host`: an admin's; `claims`: a guest who may
    still type a resume code.
    """

    connection: int
    person: str
    source: str = ""
    guest: bool = False
    seat: SeatValue = "none"
    stands: bool = False
    runs: bool = True
    quiet: float = 0.0
    age: float = 0.0
    host: bool = False
    claims: bool = False


class Newcomer(msgspec.Struct, frozen=True):
    """Somebody who logs in; `waited`: they play in a running game or, as a guest, may do."""

    person: str
    source: str = ""
    guest: bool = False
    waited: bool = False


class CapacityLimits(msgspec.Struct, frozen=True):
    """The limits on connections in all (`most`) and per source (`each`); 0 is no limit."""

    most: int
    each: int = 0

    @property
    def reserve(self) -> int:
        """Places beyond the limit for people who return to a game."""
        return max(4, self.most // 4)

    @property
    def shares(self) -> tuple[float, ...]:
        """Protected places that one neighbourhood, and one provider, may have."""
        if not self.each:
            return (float("inf"),) * 2
        tenth, quarter = self.most // 10, self.most // 4
        return max(tenth, self.each, FREE_PER_NETWORK[1]), max(quarter, self.each, FREE_PER_NETWORK[2])


class CapacityDecision(msgspec.Struct, frozen=True):
    """Whether somebody is admitted, which connection is evicted (0: none), and whether a resume code is awaited."""

    comes: bool
    instead_of: int = 0
    claims: bool = False


def decide_admission(
    newcomer: Newcomer, places: Sequence[ConnectionSlot], outside: int, bound: CapacityLimits
) -> CapacityDecision:
    """Decide whether `newcomer` is admitted beside `places` and `outside` connections that have not logged in."""
    if not bound.most or len(places) + outside < bound.most:
        return CapacityDecision(True)
    full = _FullServer(places, bound)
    is_crowd = full.is_crowd(newcomer)
    waited = newcomer.waited and not is_crowd
    claims = waited and newcomer.guest and full.may_resume(newcomer)
    is_known = waited and not newcomer.guest
    gone = full.connection_to_evict(newcomer, is_crowd=is_crowd, is_known=is_known)
    if not gone and newcomer.waited and not newcomer.guest:
        gone = full.own(newcomer.person)
    if gone:
        return CapacityDecision(True, gone, claims)
    if is_known or claims:
        reserve = bound.reserve if is_known else bound.reserve // 2
        if full.taken_places < bound.most + reserve:
            return CapacityDecision(True, 0, claims)
    return CapacityDecision(False)


class _FullServer:
    def __init__(self, places: Sequence[ConnectionSlot], bound: CapacityLimits) -> None:
        self._bound = bound
        self._places = [place for place in places if not place.host]
        kept = _protected_connections(self._places)
        self._kept = [place for place in self._places if place.connection in kept]
        typing = [place for place in self._places if place.claims and place.age < RESUME_SECONDS]
        self._claims = [place for place in typing if place.connection not in kept]
        spoken_for = kept.union(place.connection for place in self._claims)
        self._free = [place for place in self._places if place.connection not in spoken_for]
        self._held = _count_networks(self._places)
        self._playing = _count_networks(self._kept)

    @property
    def taken_places(self) -> int:
        """Number of places, without those of admins."""
        return len(self._places)

    def is_crowd(self, newcomer: Newcomer) -> bool:
        """Return whether the newcomer's networks have their share of protected places."""
        return any(self._playing[near] >= share for near, share in self._shares(newcomer.source))

    def may_resume(self, newcomer: Newcomer) -> bool:
        """Return whether another guest of that neighbourhood may type a resume code."""
        near = _enclosing_networks(newcomer.source)[1:2]
        return (
            not near
            or sum(_enclosing_networks(place.source)[1:2] == near for place in self._claims)
            < MAX_RESUMING_GUESTS
        )

    def own(self, person: str) -> int:
        """Return the person's longest idle connection; 0 for none."""
        return _longest_idle([place for place in self._places if place.person == person])

    def connection_to_evict(self, newcomer: Newcomer, *, is_crowd: bool, is_known: bool) -> int:
        """Return the connection to evict for `newcomer`, 0 for none."""
        offered = [place for place in self._free if not is_crowd or place.age >= RESUME_SECONDS]
        if offered:
            return max(offered, key=self._can_be_spared).connection
        if is_known and self._claims:
            return _longest_idle(self._claims)
        theirs = {near for near, _ in self._shares(newcomer.source)}
        beyond = [
            place
            for place in self._kept
            if any(
                self._playing[near] > share and near not in theirs
                for near, share in self._shares(place.source)
            )
        ]
        return _longest_idle(beyond)

    def _shares(self, source: str) -> Collection[tuple[str, float]]:
        """Return the wider networks of an address with their shares."""
        return tuple(zip(_enclosing_networks(source)[1:], self._bound.shares, strict=False))

    def _can_be_spared(self, place: ConnectionSlot) -> tuple[bool, float, int]:
        crowds = zip(_enclosing_networks(place.source), FREE_PER_NETWORK, strict=False)
        crowd = max([1.0, *(self._held[near] / some for near, some in crowds)])
        weight = crowd * (2 if place.guest else 1) / (1 if place.seat == "none" else 4)
        is_idle = not place.runs and place.age >= STARTUP_SECONDS
        return is_idle, max(place.quiet, MIN_IDLE) * weight, -place.connection


def _protected_connections(places: Sequence[ConnectionSlot]) -> set[int]:
    """Return the connections that people play by."""
    people: defaultdict[str, list[ConnectionSlot]] = defaultdict(list)
    for place in places:
        if place.seat == "game" or (place.seat == "alone" and place.quiet < ABANDONED_AFTER):
            people[place.person].append(place)
    kept = set()
    for theirs in people.values():
        playing = min(theirs, key=lambda each: (not each.stands, not each.runs, each.quiet, -each.connection))
        newest = min(theirs, key=lambda each: (each.age, -each.connection))
        kept.add(playing.connection)
        if newest.age < STARTUP_SECONDS:
            kept.add(newest.connection)
    return kept


def _longest_idle(places: Sequence[ConnectionSlot]) -> int:
    """Return the longest idle connection; 0 for none."""
    return max(places, key=lambda each: (each.quiet, -each.connection)).connection if places else 0


def _count_networks(places: Sequence[ConnectionSlot]) -> Counter[str]:
    return Counter(near for place in places for near in _enclosing_networks(place.source))


def _enclosing_networks(source: str) -> tuple[str, ...]:
    """Return the source and wider networks of an address; none if it is exempt."""
    return (source_of(source).network, *wider_networks(source)) if source else ()
