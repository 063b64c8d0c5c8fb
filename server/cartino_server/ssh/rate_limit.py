"""Rate limits: penalties and login rate per source, input per connection.

Input is counted before it is read: everything a client sends costs work. A client that sends too much waits, and the
bytes stay in the network rather than in memory.

Logins are work too: a key exchange and usually a first screen. Fast loops are mostly harmless scripts, so they are
slowed down without a message. A loop that waits for its previous login runs no faster anyway.
"""

from collections import OrderedDict
from typing import Final

from asyncssh.constants import (
    MSG_CHANNEL_OPEN,
    MSG_GLOBAL_REQUEST,
    MSG_KEXINIT,
    MSG_USERAUTH_REQUEST,
)

from cartino_server.rate_limit import Policy, TokenBucket

ENFORCED_FROM: Final = 15.0
"""Penalty seconds from which on a source is blocked, so that one accident has no effect."""
MAX_SOURCES: Final = 65_536


class _Record:
    __slots__ = ("is_out", "times", "until")

    def __init__(self) -> None:
        self.until = 0.0
        self.is_out = False
        self.times = 0
        """How often it was blocked; each block lasts twice as long as the last."""


class Penalties:
    """Penalty seconds per source, after OpenSSH's PerSourcePenalties. Times are monotonic seconds.

    The table is bounded: when full, it drops the source that was punished longest ago.
    """

    def __init__(self, most: float, sources: int = MAX_SOURCES) -> None:
        """Block a source for at most `most` seconds (0: never); remember at most `sources` of them."""
        self._most = most
        self._sources = sources
        self._records: OrderedDict[str, _Record] = OrderedDict()

    def __len__(self) -> int:
        return len(self._records)

    def add(self, source: str, seconds: float, now: float) -> None:
        """Add `seconds` to the penalty of `source`."""
        if seconds <= 0 or self._most <= 0:
            return
        record = self._records.setdefault(source, _Record())
        self._records.move_to_end(source)
        left = max(0.0, record.until - now)
        if not left:
            record.is_out = False
        left += seconds
        if not record.is_out and left >= min(ENFORCED_FROM, self._most):
            record.is_out = True
            # Far more doublings than are needed to reach the maximum.
            left *= 2.0 ** min(record.times, 30)
            record.times += 1
        record.until = now + min(left, self._most)
        self._forget(now)

    def seconds_left(self, source: str, now: float) -> float:
        """Return the remaining penalty seconds of `source`."""
        record = self._records.get(source)
        return 0.0 if record is None else max(0.0, record.until - now)

    def keeps_out(self, source: str, now: float) -> bool:
        """Return whether `source` is blocked at `now`."""
        record = self._records.get(source)
        return record is not None and record.is_out and record.until > now

    def _forget(self, now: float) -> None:
        """Forget sources once they were quiet for as long as the longest block, and the first ones of too many."""
        while self._records:
            source, record = next(iter(self._records.items()))
            if len(self._records) <= self._sources and record.until + self._most >= now:
                return
            del self._records[source]


PACKETS_PER_SECOND: Final = 240.0
"""Four times the key rate that a player is allowed."""
PACKET_BURST: Final = 480.0
"""Packets that may arrive at once."""
ABUSE_AFTER: Final = 10.0
"""Seconds of constant excess packets after which a client is disconnected.

Excess bytes may last longer: a large paste is legitimate.
"""
PACKET_COSTS: Final = {
    MSG_KEXINIT: 60.0,
    MSG_CHANNEL_OPEN: 10.0,
    MSG_USERAUTH_REQUEST: 10.0,
    MSG_GLOBAL_REQUEST: 1.0,
}
"""Extra cost, in packets, of message types that are expensive to handle."""


class InputLimit:
    """Limit on the packets and bytes that one connection may send."""

    def __init__(self, input_rate: float, input_burst: float, now: float) -> None:
        self._bytes = TokenBucket(input_rate, input_burst, now)
        self._packets = TokenBucket(PACKETS_PER_SECOND, PACKET_BURST, now)
        self._short_since: float | None = None

    def charge(self, packets: float, size: int = 0) -> None:
        """Count received packets and bytes; the last packet may exceed the limit."""
        self._packets.draw(packets)
        self._bytes.draw(size)

    def wait(self, now: float) -> float:
        """Return the seconds until the next packet may be read."""
        wait = self._packets.wait(now)
        if self._packets.is_nearly_full:
            self._short_since = None
        elif wait > 0 and self._short_since is None:
            self._short_since = now
        return max(wait, self._bytes.wait(now))

    def is_abused(self, now: float) -> bool:
        """Return whether the packet limit has been exceeded for longer than `ABUSE_AFTER`."""
        return self._short_since is not None and now - self._short_since > ABUSE_AFTER


BURST_SECONDS: Final = 10.0
"""Seconds' worth of logins that may come at once: at 4 a second, 40 people."""
MAX_WAIT: Final = 5.0
"""Longest wait in seconds; clients give up after about ten."""


def login_policy(rate: int) -> Policy:
    """Return the policy for `rate` logins a second of a source."""
    return Policy("logins", rate, BURST_SECONDS * rate, MAX_WAIT * rate)
