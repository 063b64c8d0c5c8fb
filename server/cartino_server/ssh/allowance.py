"""How much of what a client sends is taken in: so many packets a second, and so many bytes, and some at once.

Everything a client may send costs something to read, whatever it is for. So all of it is counted in one place, before
it is read, and a client that sends more waits for its turn: in the network, not in our memory.
"""

from typing import Final

from asyncssh.constants import (
    MSG_CHANNEL_OPEN,
    MSG_GLOBAL_REQUEST,
    MSG_KEXINIT,
    MSG_USERAUTH_REQUEST,
)

PACKETS: Final = 240.0
"""Packets a second: four times the keys that anybody is allowed."""
BURST: Final = 480.0
"""Packets at once."""
PATIENCE: Final = 10.0
"""Seconds after which somebody who always sends too many packets is none who plays. Bytes may take as long as they do:
somebody may paste them."""
COSTS: Final = {
    MSG_KEXINIT: 60.0,
    MSG_CHANNEL_OPEN: 10.0,
    MSG_USERAUTH_REQUEST: 10.0,
    MSG_GLOBAL_REQUEST: 1.0,
}
"""What some count for in packets beyond the one that they are: about as much as their work is more."""


class Level:
    """Holds at most `most` and gains `rate` a second, full at first; it may be drawn below nothing, and fills again."""

    def __init__(self, rate: float, most: float, now: float) -> None:
        """`now` in seconds, as in all calls."""
        self._rate, self._most = rate, most
        self._held = most
        self._seen = now

    def draw(self, amount: float) -> None:
        """Take so much out, whether or not it is there."""
        self._held -= amount

    def take(self, amount: float, now: float) -> bool:
        """Whether so much is there; if it is, it is taken out."""
        self._fill(now)
        if self._held < amount:
            return False
        self._held -= amount
        return True

    @property
    def is_nearly_full(self) -> bool:
        """Whether there was nearly as much as may be when it was looked at last."""
        return self._held >= 0.9 * self._most

    def wait(self, now: float) -> float:
        """Seconds until something is there, 0 if it is."""
        self._fill(now)
        return max(0.0, -self._held / self._rate)

    def _fill(self, now: float) -> None:
        self._held = min(self._most, self._held + (now - self._seen) * self._rate)
        self._seen = now


class Allowance:
    """What one connection may still send."""

    def __init__(self, input_rate: float, input_burst: float, now: float) -> None:
        """In bytes a second, and bytes at once."""
        self._bytes = Level(input_rate, input_burst, now)
        self._packets = Level(PACKETS, BURST, now)
        self._short_since: float | None = None

    def charge(self, packets: float, size: int = 0) -> None:
        """So much has come; the last packet may be one too many."""
        self._packets.draw(packets)
        self._bytes.draw(size)

    def wait(self, now: float) -> float:
        """Seconds until the next packet may be read, 0 for at once."""
        wait = self._packets.wait(now)
        if self._packets.is_nearly_full:
            self._short_since = None
        elif wait > 0 and self._short_since is None:
            self._short_since = now
        return max(wait, self._bytes.wait(now))

    def is_abused(self, now: float) -> bool:
        """Whether there were too many packets all the time, for longer than can be meant well."""
        return self._short_since is not None and now - self._short_since > PATIENCE
