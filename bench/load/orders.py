"""The orders to a load process and its answers, a line of JSON each.

Moments are those of `time.perf_counter`, which on Linux and macOS is one clock for all processes; in seconds.
"""

import math
from collections.abc import Sequence

import msgspec

from bench.figures import percentile


class Enter(msgspec.Struct, frozen=True, tag=True):
    """`count` more visitors come, numbered from `first`, each with `words` behind the host's name, `{}` its number.

    `shown` is what stands on the screen of each when it is there.
    """

    first: int
    count: int
    words: str
    shown: str


class Prepare(msgspec.Struct, frozen=True, tag=True):
    """Find for each visitor that is new two keys that move its cursor to and fro, among `pairs` if there are any."""

    pairs: list[tuple[str, str]]


class Press(msgspec.Struct, frozen=True, tag=True):
    """Each visitor that has keys presses one a second for `seconds`, from the moment `start`.

    The n-th of them in this process begins (`offset` + n) / `crowd` of a second later.
    """

    start: float
    seconds: int
    offset: int
    crowd: int


class Mark(msgspec.Struct, frozen=True, tag=True):
    """Start counting what each visitor receives."""


class Settle(msgspec.Struct, frozen=True, tag=True):
    """Wait until nobody has received anything for so many seconds."""

    silence: float


class Storm(msgspec.Struct, frozen=True, tag=True):
    """From the moment `start`, log in `rate` times a second for `seconds`, and close each connection once it is in.

    The moments are not moved where the answers are slow.
    """

    start: float
    rate: float
    seconds: float


class Drop(msgspec.Struct, frozen=True, tag=True):
    """Come with `words`, wait for `shown`, vanish without a word: so many times, a few at a time."""

    cycles: int
    words: str
    shown: str


Order = Enter | Prepare | Press | Mark | Settle | Storm | Drop


class Entered(msgspec.Struct, frozen=True, tag=True):
    """All are in; milliseconds from each one's first packet to its screen."""

    waits: list[float]


class Prepared(msgspec.Struct, frozen=True, tag=True):
    """So many visitors in all have keys that move their cursor; the others will press none."""

    able: int


class Pressed(msgspec.Struct, frozen=True, tag=True):
    """Milliseconds from the moment each key was due to the first byte it changed, of all keys that were answered.

    `late`: milliseconds after its moment that each key was really pressed, for which the load is to blame.
    `missed`: keys without an answer when all was over. `count`: bytes that came to all.
    """

    waits: list[float]
    late: list[float]
    missed: int
    count: int

    def percentile(self, share: float) -> float:
        """Return that percentile of all waits; those of keys without an answer are endless."""
        return percentile([*self.waits, *[math.inf] * self.missed], share)


def pooled(parts: Sequence[Pressed]) -> Pressed:
    """Return the keys of all `parts` together."""
    return Pressed(
        waits=[wait for part in parts for wait in part.waits],
        late=[late for part in parts for late in part.late],
        missed=sum(part.missed for part in parts),
        count=sum(part.count for part in parts),
    )


class Seen(msgspec.Struct, frozen=True, tag=True):
    """For each visitor, how many bytes have come since the last mark, and the moment of the last of them."""

    counts: list[int]
    last: list[float]


class Stormed(msgspec.Struct, frozen=True, tag=True):
    """Milliseconds from the moment each log-in was due until it was done; how many failed; the moment of the last."""

    waits: list[float]
    late: list[float]
    failed: int
    ended: float

    def percentile(self, share: float) -> float:
        """Return that percentile of all waits; those that failed are endless."""
        return percentile([*self.waits, *[math.inf] * self.failed], share)


class Dropped(msgspec.Struct, frozen=True, tag=True):
    """All have come and gone."""


class Failed(msgspec.Struct, frozen=True, tag=True):
    """The order could not be carried out; why, in words."""

    why: str


Answer = Entered | Prepared | Pressed | Seen | Stormed | Dropped | Failed
