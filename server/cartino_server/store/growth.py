"""How much the data take on disk, and by how much they grew in the last day."""

from collections import deque
from pathlib import Path
from typing import Final

import msgspec

_EVERY: Final = 3600.0
_HOURS: Final = 24
_OURS: Final = ("journal.", "people.")


class Growth(msgspec.Struct, frozen=True):
    """What the data take: `size` in bytes, by how many they `grew` in the last day, or since the server started.

    `games` is how many finished games are kept.
    """

    size: int = 0
    grew: int = 0
    games: int = 0


class Samples:
    """The sizes of the last day, an hour apart."""

    def __init__(self) -> None:
        """Nothing was looked at yet."""
        self._sizes: deque[tuple[float, int]] = deque(maxlen=_HOURS + 1)

    def note(self, now: float, size: int, games: int) -> Growth:
        """Take the size at `now` (seconds that only rise); return what it comes to."""
        if not self._sizes or now - self._sizes[-1][0] >= _EVERY:
            self._sizes.append((now, size))
        return Growth(size, size - self._sizes[0][1], games)


def data_bytes(data: Path) -> int:
    """Return the bytes of the journal and the register in the directory `data`, as far as they can be looked at."""
    total = 0
    for entry in data.iterdir():
        if entry.name.startswith(_OURS):
            try:
                total += entry.stat().st_size
            except OSError:
                continue
    return total
