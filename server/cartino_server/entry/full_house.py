"""A full house: who comes in all the same, and whose place they get.

- Places that no game needs go round. First go those on which nothing runs, though there was time to begin. Then goes
  the one that is needed least: the seconds in which nothing was said there, times how crowded it is where it comes
  from, beyond what a household has; twice that for a guest, a quarter for who has a seat where no game runs just now.
- Who is in a game that runs keeps the one place by which they play, and for a moment the one by which they have just
  come, since the other may be of a line that has broken. Alone with bots they keep it while they do something.
- Somebody of a game that runs comes back even where all places are kept: in place of themselves, or beyond the limit,
  up to a reserve. A guest shows who they are only later, by their word. So guests have half of the reserve, while one
  of theirs is missed, a few of them from one place at a time, and are left in peace while they may be typing it.
- Nobody has the house to themselves by games of their own. Where those in games come from one neighbourhood (IPv4 /24,
  IPv6 /48) and are more than a tenth of the house, or a quarter from one provider's (/16, /32), and more than the host
  has one source have, one of them makes room for somebody from elsewhere, and what they may do is what newcomers may.

Each gets one place and takes one, so that never more are in than the limit and the reserve, but for hosts.
What somebody comes for is not known yet: it is asked of who is in, so that a command of a moment takes a place too.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from cartino_server.rooms.hand import Hold
from cartino_server.ssh.client_address import source_of, wider_networks

HOUSEHOLD: Final = (4, 8, 32)
"""Places that make no crowd yet: of a source, a neighbourhood, a provider."""
CALM: Final = 10.0
"""Seconds of silence that everybody is taken to have had, so that nobody is safe by typing all the time."""
STARTING: Final = 10.0
"""Seconds in which something begins to run for whoever has come."""
LEFT: Final = 600.0
"""Seconds of silence after which a game against bots alone counts as left."""
FRESH: Final = 60.0
"""Seconds that a guest may take to say their word, and that newcomers have to sit down beside a crowd."""
CLAIMS: Final = 4
"""Guests of one neighbourhood who may be about to say their word at the same time."""


class Place(msgspec.Struct, frozen=True):
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
    seat: Hold = "none"
    stands: bool = False
    runs: bool = True
    quiet: float = 0.0
    age: float = 0.0
    host: bool = False
    claims: bool = False


class Comer(msgspec.Struct, frozen=True):
    """Who knocks. `waited`: they are in a game that runs, or, as a guest, may be."""

    person: str
    source: str = ""
    guest: bool = False
    waited: bool = False


class Bound(msgspec.Struct, frozen=True):
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
        return max(tenth, self.each, HOUSEHOLD[1]), max(quarter, self.each, HOUSEHOLD[2])


class Admission(msgspec.Struct, frozen=True):
    """Whether somebody comes in; the connection whose place they get, 0 for nobody's; whether they may say a word."""

    comes: bool
    instead_of: int = 0
    claims: bool = False


def admit(comer: Comer, places: Sequence[Place], outside: int, bound: Bound) -> Admission:
    """Whether `comer`, who is no host, comes into a house of these places; `outside` are there besides."""
    if not bound.most or len(places) + outside < bound.most:
        return Admission(True)
    full = _FullHouse(places, bound)
    is_crowd = full.is_crowd(comer)
    waited = comer.waited and not is_crowd
    claims = waited and comer.guest and full.may_claim(comer)
    is_known = waited and not comer.guest
    gone = full.gives_way(comer, is_crowd=is_crowd, is_known=is_known)
    if not gone and comer.waited and not comer.guest:
        gone = full.own(comer.person)
    if gone:
        return Admission(True, gone, claims)
    if is_known or claims:
        reserve = bound.reserve if is_known else bound.reserve // 2
        if full.taken < bound.most + reserve:
            return Admission(True, 0, claims)
    return Admission(False)


class _FullHouse:
    """What can be told of the places when all are taken."""

    def __init__(self, places: Sequence[Place], bound: Bound) -> None:
        self._bound = bound
        self._places = [place for place in places if not place.host]
        kept = _kept(self._places)
        self._kept = [place for place in self._places if place.connection in kept]
        self._claims = [place for place in self._places if _is_claim(place) and place.connection not in kept]
        spoken_for = kept.union(place.connection for place in self._claims)
        self._free = [place for place in self._places if place.connection not in spoken_for]
        self._held = _count(self._places)
        self._playing = _count(self._kept)

    @property
    def taken(self) -> int:
        """How many places are, but for those of hosts."""
        return len(self._places)

    def is_crowd(self, comer: Comer) -> bool:
        """Whether those in games who come from around there have all that they may."""
        return any(self._playing[near] >= share for near, share in self._shares(comer.source))

    def may_claim(self, comer: Comer) -> bool:
        """Whether a guest from there may come to say a word."""
        near = _networks(comer.source)[1:2]
        return not near or sum(_networks(place.source)[1:2] == near for place in self._claims) < CLAIMS

    def own(self, person: str) -> int:
        """The person's own connection of which nothing was heard for longest; 0 for none."""
        return _last([place for place in self._places if place.person == person])

    def gives_way(self, comer: Comer, *, is_crowd: bool, is_known: bool) -> int:
        """The connection whose place `comer` gets, 0 for none."""
        offered = [place for place in self._free if not is_crowd or place.age >= FRESH]
        if offered:
            return max(offered, key=self._can_be_spared).connection
        if is_known and self._claims:
            return _last(self._claims)
        theirs = {near for near, _ in self._shares(comer.source)}
        beyond = [
            place
            for place in self._kept
            if any(
                self._playing[near] > share and near not in theirs
                for near, share in self._shares(place.source)
            )
        ]
        return _last(beyond)

    def _shares(self, source: str) -> Collection[tuple[str, float]]:
        """The wider networks of that address, and how many kept places each may have."""
        return tuple(zip(_networks(source)[1:], self._bound.shares, strict=False))

    def _can_be_spared(self, place: Place) -> tuple[bool, float, int]:
        crowds = zip(_networks(place.source), HOUSEHOLD, strict=False)
        crowd = max([1.0, *(self._held[near] / some for near, some in crowds)])
        weight = crowd * (2 if place.guest else 1) / (1 if place.seat == "none" else 4)
        is_idle = not place.runs and place.age >= STARTING
        return is_idle, max(place.quiet, CALM) * weight, -place.connection


def _kept(places: Sequence[Place]) -> set[int]:
    """The connections by which somebody plays."""
    people: defaultdict[str, list[Place]] = defaultdict(list)
    for place in places:
        if place.seat == "game" or (place.seat == "alone" and place.quiet < LEFT):
            people[place.person].append(place)
    kept = set()
    for theirs in people.values():
        playing = min(theirs, key=lambda each: (not each.stands, not each.runs, each.quiet, -each.connection))
        newest = min(theirs, key=lambda each: (each.age, -each.connection))
        kept.add(playing.connection)
        if newest.age < STARTING:
            kept.add(newest.connection)
    return kept


def _is_claim(place: Place) -> bool:
    return place.claims and place.age < FRESH


def _last(places: Sequence[Place]) -> int:
    """The connection of which nothing was heard for longest; 0 for none."""
    return max(places, key=lambda each: (each.quiet, -each.connection)).connection if places else 0


def _count(places: Sequence[Place]) -> Counter[str]:
    return Counter(near for place in places for near in _networks(place.source))


def _networks(source: str) -> tuple[str, ...]:
    """The source and the wider networks that an address belongs to; none for one that doesn't count."""
    return (source_of(source).network, *wider_networks(source)) if source else ()
