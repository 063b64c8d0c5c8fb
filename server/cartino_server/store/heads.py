"""Where each game's chain ended last, in a file beside the database: it tells that a tail is missing.

SQLite drops the commits in a damaged end of its write-ahead log without a word. So after each commit the new head of
the game goes into a slot of its own here, without waiting for the disk. A slot that is older than the database says
nothing (the power went before it was on disk); one that is newer proves that the database lost what it had.
"""

import contextlib
import os
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from cartino_protocol.ids import CODE_ALPHABET, PRIVATE_CODE_LENGTH
from cartino_server.store.chain import Head
from cartino_server.store.database import sync_directory

FILE = "journal.heads"
SLOT_BYTES = 32

_PREFIX = 16
_SLOT = struct.Struct("<IB7s16s")
_FIRST = struct.Struct("<16sdI")
_CHECK = struct.Struct("<I")
_BLANK = bytes(SLOT_BYTES)
_BLOCK = 256
"""Slots by which the file's beginning moves."""
LEAST_DROPPED = 8192
"""Slots that have to be of no use before the file is written anew without them."""

# A slot's state; older ones have a 0 there, and their games may be open or over.
_STATE_AT = 4
_OPEN, _OVER = 1, 2
_MAY_BE_OPEN = re.compile(b"[^%c]" % _OVER)
_WRITTEN = re.compile(rb"[^\0]")


class Slot(msgspec.Struct, frozen=True):
    """A game's last head as the file knows it: its table's code, its entries, the hash's first 16 bytes.

    `over`: the game is surely not open.
    """

    code: str
    seq: int
    prefix: bytes
    over: bool = False

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
        self._path = path
        self._journal = journal
        read = read_heads(path, journal)
        self._base, self._time = read.base, read.time
        if read.foreign:
            os.ftruncate(self._file, 0)
            self.put_time(0.0)

    def put(self, game: int, code: str, head: Head, *, over: bool = False) -> None:
        """Note the game's head, which is on disk for good, and whether the game is `over`."""
        slot = _SLOT.pack(head.seq, _OVER if over else _OPEN, _pack_code(code), head.hash[:_PREFIX])
        self._write(game, slot)

    def get(self, game: int) -> Slot | None:
        """What was noted of the game last. May be called in any thread."""
        with contextlib.suppress(OSError, OverflowError):
            if game > self._base:
                return _read_slot(game, os.pread(self._file, SLOT_BYTES, (game - self._base) * SLOT_BYTES))
        return None

    def clear(self, games: Iterable[int]) -> bool:
        """Blank the slots of `games` and wait for the disk; return whether they are surely blank from now on."""
        try:
            for game in games:
                if game > self._base:
                    os.pwrite(self._file, _BLANK, (game - self._base) * SLOT_BYTES)
            os.fsync(self._file)
        except (OSError, OverflowError):
            return False
        return True

    def begin_at(self, game: int) -> None:
        """Give back the room of all slots below `game`, which are blank, where that is worth the work."""
        base = (game - 1) // _BLOCK * _BLOCK
        with contextlib.suppress(OSError):
            rest = os.fstat(self._file).st_size // SLOT_BYTES - (base - self._base) - 1
            if base - self._base >= max(LEAST_DROPPED, rest):
                self._move(base, max(rest, 0))

    def put_time(self, time: float) -> None:
        """Note the house's time (seconds)."""
        self._time = time
        self._write(0, _FIRST.pack(self._journal, time, self._base // _BLOCK))

    def close(self) -> None:
        """Close the file; nothing may be put any more."""
        os.close(self._file)

    def _write(self, game: int, slot: bytes) -> None:
        """Write the slot of `game`, 0 for the first one; a game before the file's beginning has none."""
        if game == 0 or game > self._base:
            at = (game - self._base) * SLOT_BYTES if game else 0
            with contextlib.suppress(OSError):
                os.pwrite(self._file, slot + _check(game, slot), at)

    def _move(self, base: int, rest: int) -> None:
        """Put a file in the place of this one that begins behind `base`, with `rest` slots. Raises OSError.

        Whoever reads a slot meanwhile reads the wrong one at worst, which its check sum tells.
        """
        kept = os.pread(self._file, rest * SLOT_BYTES, (base - self._base + 1) * SLOT_BYTES)
        first = _FIRST.pack(self._journal, self._time, base // _BLOCK)
        fresh = self._path.with_name(f"{self._path.name}.new")
        file = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            with open(file, "wb", closefd=False) as out:
                out.write(first + _check(0, first) + kept)
            os.fsync(file)
            os.replace(fresh, self._path)
            os.dup2(file, self._file, inheritable=False)
            self._base = base
        finally:
            os.close(file)
        sync_directory(self._path.parent)


class Read(msgspec.Struct, frozen=True):
    """What the file said at one moment: its bytes, the house's time; `foreign` where it is none of ours.

    There may be a hundred thousand slots, and a start needs a few of them: they are read when they are asked for.
    `base`: the games up to that number have none.
    """

    content: bytes = b""
    time: float = 0.0
    foreign: bool = False
    base: int = 0

    @property
    def last(self) -> int:
        """The highest game that has a slot; 0 for none."""
        games = range(self.base + len(self.content) // SLOT_BYTES, self.base, -1)
        return next((game for game in games if self.get(game)), self.base)

    @property
    def count(self) -> int:
        """How many slots were written, as far as can be told without a look at each."""
        states = self.content[_STATE_AT + SLOT_BYTES :: SLOT_BYTES]
        return len(states) - states.count(0)

    def get(self, game: int) -> Slot | None:
        """The game's slot; None where there is none that holds."""
        at = (game - self.base) * SLOT_BYTES
        return _read_slot(game, self.content[at : at + SLOT_BYTES]) if at > 0 else None

    def slots(self) -> Iterator[tuple[int, Slot]]:
        """All slots that hold, by game."""
        states = self.content[_STATE_AT::SLOT_BYTES]
        return self._at(found.start() for found in _WRITTEN.finditer(states))

    def open_slots(self) -> Iterator[tuple[int, Slot]]:
        """The slots of games that may be open, by game."""
        states = self.content[_STATE_AT::SLOT_BYTES]
        return self._at(found.start() for found in _MAY_BE_OPEN.finditer(states))

    def _at(self, places: Iterable[int]) -> Iterator[tuple[int, Slot]]:
        games = (self.base + place for place in places)
        return ((game, slot) for game in games if (slot := self.get(game)) is not None)


def read_heads(path: Path, journal: bytes | None) -> Read:
    """What stands in the file, if it belongs to the journal with the id `journal` (None: to whichever).

    A missing or damaged one is foreign.
    """
    try:
        content = path.read_bytes()
    except OSError:
        return Read(foreign=True)
    first = _checked(0, content[:SLOT_BYTES])
    if first is None:
        return Read(foreign=True)
    owner, time, blocks = _FIRST.unpack(first)
    if journal is not None and owner != journal:
        return Read(foreign=True)
    return Read(content, time, base=blocks * _BLOCK)


def _read_slot(game: int, slot: bytes) -> Slot | None:
    content = None if game < 1 or slot == _BLANK else _checked(game, slot)
    if content is None:
        return None
    seq, state, code, prefix = _SLOT.unpack(content)
    return Slot(_unpack_code(code), seq, prefix, state == _OVER)


# A slot has 7 bytes for a table's code. One of 4 letters stands in the last 4 of them. One of a private table is a
# number behind a 1, with 5 bits a letter.


def _pack_code(code: str) -> bytes:
    if len(code) != PRIVATE_CODE_LENGTH:
        return bytes(3) + code.encode()[:4].ljust(4, b"\0")
    number = 0
    for letter in code:
        number = number * len(CODE_ALPHABET) + CODE_ALPHABET.index(letter)
    return b"\1" + number.to_bytes(6, "big")


def _unpack_code(packed: bytes) -> str:
    if packed[0] == 0:
        return packed[3:].rstrip(b"\0").decode("ascii", "replace")
    letters, number = "", int.from_bytes(packed[1:], "big")
    for _ in range(PRIVATE_CODE_LENGTH):
        number, letter = divmod(number, len(CODE_ALPHABET))
        letters = CODE_ALPHABET[letter] + letters
    return letters


def _checked(place: int, slot: bytes) -> bytes | None:
    """The slot at `place` without its check sum; None where that is wrong."""
    if len(slot) < SLOT_BYTES or slot[_SLOT.size :] != _check(place, slot[: _SLOT.size]):
        return None
    return slot[: _SLOT.size]


def _check(place: int, slot: bytes) -> bytes:
    return _CHECK.pack(zlib.crc32(slot, place & 0xFFFFFFFF))
