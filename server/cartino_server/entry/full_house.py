"""A full house: whose place a newcomer gets."""

from collections import Counter
from collections.abc import Sequence

import msgspec


class Place(msgspec.Struct, frozen=True):
    """One of those that are taken, by a connection.

    `network`: where it comes from, "" where that doesn't count; `keeps`: it is nobody else's, as of people with a
    seat; `heard`: smaller where nothing was said for longer, 0 where no session runs that could say anything.
    """

    connection: int
    network: str
    guest: bool
    keeps: bool
    heard: int = 0


def gives_way(places: Sequence[Place]) -> int:
    """The connection whose place a newcomer gets, 0 where there is none.

    First go those for whom nothing runs. Then those of the network that holds most, for no house is filled from one;
    then guests, and then whoever has done nothing for longest.
    """
    held = Counter(place.network for place in places if place.network)

    def needs_it_least(place: Place) -> tuple[bool, int, bool, int, int]:
        among = held[place.network] if place.network else 1
        return place.heard == 0, among, place.guest, -place.heard, -place.connection

    offered = [place for place in places if not place.keeps]
    return max(offered, key=needs_it_least).connection if offered else 0
