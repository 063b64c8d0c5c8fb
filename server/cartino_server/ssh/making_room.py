"""Who makes room for a newcomer where all places of those who have not logged in are taken.

Who has begun a key exchange stays where others have not, for they cost more and are about to come in. But a stranger
can begin one and fall silent, so that half of the places are always for those who have only just come.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from cartino_server.ssh.progress import NONE, UNDER_WAY, Progress
from cartino_server.ssh.sources import Source, around

MOMENT: Final = 1.0
"""Seconds in which who has come, or come further in a key exchange, is not behind others: the way may be long."""
RECORD: Final = 5.0
"""Seconds against a source that tell it from one that had an accident."""


class Ticket:
    """One connection."""

    __slots__ = ("_progress", "around", "came", "is_in", "moved", "seen", "source")

    def __init__(self, source: Source, came: float, progress: Callable[[], Progress]) -> None:
        """It came at `came` in seconds, and `progress()` is how far it has come."""
        self.source = source
        self.came = came
        self.is_in = False
        self.moved = came
        """When it was seen to have come further in a key exchange; when it came, before that."""
        self.seen = NONE
        """How far it had come then."""
        # Whoever a proxy is about to bring may be from anywhere.
        self.around = around(source.address or source.network)
        self._progress = progress

    @property
    def progress(self) -> Callable[[], Progress]:
        """How to learn how far it has come."""
        return self._progress

    @property
    def is_under_way(self) -> bool:
        """Whether it had begun a key exchange when it was looked at last."""
        return self.seen.stage >= UNDER_WAY

    def look(self, now: float) -> None:
        """See how far it has come."""
        told = self._progress()
        if told > self.seen:
            self.seen = told
            # A name is said in no time.
            self.moved = now if self.is_under_way else self.came

    def log_in(self) -> None:
        """It needs no place any more, and is not looked at."""
        self.is_in = True
        self.around = ()
        self._progress = nowhere


def nowhere() -> Progress:
    """How far somebody has come of whom nothing is known."""
    return NONE


def who_goes(outside: Mapping[int, Ticket], held_against: Callable[[str], float], now: float) -> int:
    """The number of the one of `outside` who makes room; there is at least one.

    `held_against(network)`: the seconds that stand against a source. In this order: who has begun no key exchange; who
    is less far, and has had a moment to come further; of the source that has most here, and of the wider networks that
    have; who has a record; who has not come further for the longest time.
    """
    for ticket in outside.values():
        ticket.look(now)
    far = {number: ticket for number, ticket in outside.items() if ticket.is_under_way}
    near = {number: ticket for number, ticket in outside.items() if not ticket.is_under_way}
    among = far if 2 * len(far) > len(outside) else near
    sources = Counter(ticket.source.network for ticket in outside.values())
    networks = Counter(network for ticket in outside.values() for network in ticket.around)

    def holds_up(number: int) -> tuple[int, int, list[int], bool, float, int, int, int]:
        ticket = among[number]
        is_behind = now - ticket.moved > MOMENT
        return (
            -ticket.seen.stage if is_behind else -UNDER_WAY - 1,
            sources[ticket.source.network],
            [networks[network] for network in ticket.around],
            held_against(ticket.source.network) > RECORD,
            -ticket.moved,
            # Whoever was looked at for the first time just now has come further just now.
            -ticket.seen.stage,
            -ticket.seen.taken,
            -number,
        )

    return max(among, key=holds_up)
