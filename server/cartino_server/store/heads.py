"""Where each game's chain ended last, in a file beside the database: it tells that a tail is missing.

SQLite drops the commits in a damaged end of its write-ahead log without a word. So after each commit the new head of
the game goes into a slot of its own here, without waiting for the disk. A slot that is older than the database says
nothing (the power went before it was on disk); one that is newer proves that the database lost what it had.
"""

import contextlib
import os
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from cartino_server.store.chain import Head

FILE = "journal.heads"
SLOT_BYTES = 32

_PREFIX = 16
_SLOT = struct.Struct("<Q4s16s")
_FIRST = struct.Struct("<16sd4x")
_CHECK = struct.Struct("<I")


class Slot(msgspec.Struct, frozen=True):
    """A game's last head as the file knows it: its table's code, its entries, the hash's first 16 bytes."""

    code: str
    seq: int
    prefix: bytes

    def fits(self, head: Head) -> bool:
        """Whether this is that very head."""
        return self.seq == head.seq and self.prefix == head.hash[:_PREFIX]


class Heads:
    """The file, open for writing. Nothing here ever raises OSError after it was opened: it only helps."""

    def __init__(self, path: Path, journal: bytes) -> None:
        """Open or make the file of the journal whose id (16 bytes) is `journal`; another's is emptied.

        Raises OSError.
        """
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._journal = journal
        if read_heads(path, journal).foreign:
            os.ftruncate(self._file, 0)
            self.put_time(0.0)

    def put(self, game: int, code: str, head: Head) -> None:
        """Note the game's head, which is on disk for good."""
        slot = _SLOT.pack(head.seq, code.encode()[:4], head.hash[:_PREFIX])
        self._write(game, slot)

    def put_time(self, time: float) -> None:
        """Note the house's time (seconds)."""
        self._write(0, _FIRST.pack(self._journal, time))

    def close(self) -> None:
        """Close the file; nothing may be put any more."""
        os.close(self._file)

    def _write(self, place: int, slot: bytes) -> None:
        with contextlib.suppress(OSError):
            os.pwrite(self._file, slot + _check(place, slot), place * SLOT_BYTES)


class Read(msgspec.Struct, frozen=True):
    """What the file said: the slots that hold by game, the house's time; `foreign` where it is none of ours."""

    slots: dict[int, Slot] = {}
    time: float = 0.0
    foreign: bool = False


def read_heads(path: Path, journal: bytes | None) -> Read:
    """What stands in the file, if it belongs to the journal with the id `journal` (None: to whichever).

    A missing or damaged one is foreign.
    """
    try:
        content = path.read_bytes()
    except OSError:
        return Read(foreign=True)
    first = _checked(0, content)
    if first is None:
        return Read(foreign=True)
    owner, time = _FIRST.unpack(first)
    if journal is not None and owner != journal:
        return Read(foreign=True)
    return Read(dict(_slots(content)), time)


def _slots(content: bytes) -> Iterable[tuple[int, Slot]]:
    blank = bytes(SLOT_BYTES)
    for place in range(1, len(content) // SLOT_BYTES):
        if content.startswith(blank, place * SLOT_BYTES):
            continue
        slot = _checked(place, content)
        if slot is not None:
            seq, code, prefix = _SLOT.unpack(slot)
            yield place, Slot(code.rstrip(b"\0").decode("ascii", "replace"), seq, prefix)


def _checked(place: int, content: bytes) -> bytes | None:
    """The slot at `place` without its check sum; None where that is wrong."""
    slot = content[place * SLOT_BYTES : (place + 1) * SLOT_BYTES]
    if len(slot) < SLOT_BYTES or slot[_SLOT.size :] != _check(place, slot[: _SLOT.size]):
        return None
    return slot[: _SLOT.size]


def _check(place: int, slot: bytes) -> bytes:
    return _CHECK.pack(zlib.crc32(slot, place & 0xFFFFFFFF))
