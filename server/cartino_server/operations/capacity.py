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
"""Places that make no crowd yet: of a source, a neighbourhood, a provider."""
MIN_IDLE: Final = 10.0
"""Seconds of silence that everybody is taken to have had, so that nobody is safe by typing all the time."""
STARTUP_SECONDS: Final = 10.0
"""Seconds in which something begins to run for whoever has come."""
ABANDONED_AFTER: Final = 600.0
"""Seconds of silence after which a game against bots alone counts as left."""
RESUME_SECONDS: Final = 60.0
"""Seconds that a guest may take to say their word, and that newcomers have to sit down beside a crowd."""
MAX_RESUMING_GUESTS: Final = 4
"""Guests of one neighbourhood who may be about to say their word at the same time."""


class ConnectionSlot(msgspec.Struct, frozen=True):
    """One of those that are taken, by a connection.

    `person`: whom it serves; `source`: the address that it comes from, "" where that doesn't count; `seat`: what they
    have; `stands`: they stand by this connection where they sit; `runs`: something runs here; `quiet`, `age`: seconds
    since something was said, or since it came; `host`: it is a host's; `claims`: they came to say a guest's word, and
    have not said it.
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
    """Who knocks. `waited`: they are in a game that runs, or, as a guest, may be."""

    person: str
    source: str = ""
    guest: bool = False
    waited: bool = False


class CapacityLimits(msgspec.Struct, frozen=True):
    """`most` places, 0 for any number; the settings have so many connections of one source (`each`, 0 for any)."""

    most: int
    each: int = 0

    @property
    def reserve(self) -> int:
        """Places beyond that, for those who come back to a game."""
        return max(4, self.most // 4)

    @property
    def shares(self) -> tuple[float, ...]:
        """How many kept places one neighbourhood may have, and how many one provider's."""
        if not self.each:
            return (float("inf"),) * 2
        tenth, quarter = self.most // 10, self.most // 4
        return max(tenth, self.each, FREE_PER_NETWORK[1]), max(quarter, self.each, FREE_PER_NETWORK[2])


class CapacityDecision(msgspec.Struct, frozen=True):
    """Whether somebody comes in; the connection whose place they get, 0 for nobody's; whether they may say a word."""

    comes: bool
    instead_of: int = 0
    claims: bool = False


def decide_admission(
    comer: Newcomer, places: Sequence[ConnectionSlot], outside: int, bound: CapacityLimits
) -> CapacityDecision:
    """Whether `comer`, who is no host, comes into a house of these places; `outside` are there besides."""
    if not bound.most or len(places) + outside < bound.most:
        return CapacityDecision(True)
    full = _FullServer(places, bound)
    is_crowd = full.is_crowd(comer)
    waited = comer.waited and not is_crowd
    claims = waited and comer.guest and full.may_resume(comer)
    is_known = waited and not comer.guest
    gone = full.connection_to_evict(comer, is_crowd=is_crowd, is_known=is_known)
    if not gone and comer.waited and not comer.guest:
        gone = full.own(comer.person)
    if gone:
        return CapacityDecision(True, gone, claims)
    if is_known or claims:
        reserve = bound.reserve if is_known else bound.reserve // 2
        if full.taken < bound.most + reserve:
            return CapacityDecision(True, 0, claims)
    return CapacityDecision(False)


class _FullServer:
    """What can be told of the places when all are taken."""

    def __init__(self, places: Sequence[ConnectionSlot], bound: CapacityLimits) -> None:
        self._bound = bound
        self._places = [place for place in places if not place.host]
        kept = _protected_connections(self._places)
        self._kept = [place for place in self._places if place.connection in kept]
        self._claims = [
            place for place in self._places if _may_be_resuming(place) and place.connection not in kept
        ]
        spoken_for = kept.union(place.connection for place in self._claims)
        self._free = [place for place in self._places if place.connection not in spoken_for]
        self._held = _count_networks(self._places)
        self._playing = _count_networks(self._kept)

    @property
    def taken(self) -> int:
        """How many places are, but for those of hosts."""
        return len(self._places)

    def is_crowd(self, comer: Newcomer) -> bool:
        """Whether those in games who come from around there have all that they may."""
        return any(self._playing[near] >= share for near, share in self._shares(comer.source))

    def may_resume(self, comer: Newcomer) -> bool:
        """Whether a guest from there may come to say a word."""
        near = _enclosing_networks(comer.source)[1:2]
        return (
            not near
            or sum(_enclosing_networks(place.source)[1:2] == near for place in self._claims)
            < MAX_RESUMING_GUESTS
        )

    def own(self, person: str) -> int:
        """The person's own connection of which nothing was heard for longest; 0 for none."""
        return _longest_idle([place for place in self._places if place.person == person])

    def connection_to_evict(self, comer: Newcomer, *, is_crowd: bool, is_known: bool) -> int:
        """The connection whose place `comer` gets, 0 for none."""
        offered = [place for place in self._free if not is_crowd or place.age >= RESUME_SECONDS]
        if offered:
            return max(offered, key=self._can_be_spared).connection
        if is_known and self._claims:
            return _longest_idle(self._claims)
        theirs = {near for near, _ in self._shares(comer.source)}
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
        """The wider networks of that address, and how many kept places each may have."""
        return tuple(zip(_enclosing_networks(source)[1:], self._bound.shares, strict=False))

    def _can_be_spared(self, place: ConnectionSlot) -> tuple[bool, float, int]:
        crowds = zip(_enclosing_networks(place.source), FREE_PER_NETWORK, strict=False)
        crowd = max([1.0, *(self._held[near] / some for near, some in crowds)])
        weight = crowd * (2 if place.guest else 1) / (1 if place.seat == "none" else 4)
        is_idle = not place.runs and place.age >= STARTUP_SECONDS
        return is_idle, max(place.quiet, MIN_IDLE) * weight, -place.connection


def _protected_connections(places: Sequence[ConnectionSlot]) -> set[int]:
    """The connections by which somebody plays."""
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


def _may_be_resuming(place: ConnectionSlot) -> bool:
    return place.claims and place.age < RESUME_SECONDS


def _longest_idle(places: Sequence[ConnectionSlot]) -> int:
    """The connection of which nothing was heard for longest; 0 for none."""
    return max(places, key=lambda each: (each.quiet, -each.connection)).connection if places else 0


def _count_networks(places: Sequence[ConnectionSlot]) -> Counter[str]:
    return Counter(near for place in places for near in _enclosing_networks(place.source))


def _enclosing_networks(source: str) -> tuple[str, ...]:
    """The source and the wider networks that an address belongs to; none for one that doesn't count."""
    return (source_of(source).network, *wider_networks(source)) if source else ()
