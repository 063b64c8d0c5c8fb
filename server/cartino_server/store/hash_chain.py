"""The hash chain over each game's entries, and the file that remembers where each chain ended.

Each entry's hash covers the one before it, so that a game proves to be whole. A missing tail shows only in the file of
heads beside the database: SQLite silently drops the commits in a damaged end of its write-ahead log. After each commit
the game's new head goes into its own slot, without waiting for the disk. A slot older than the database says nothing
(the power failed before it was on disk); a newer one proves that the database lost entries.
"""

import contextlib
import hashlib
import os
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from cartino_protocol.base import CODE_ALPHABET, PRIVATE_CODE_LENGTH
from cartino_protocol.text import LazyMessageError, lazy_gettext
from cartino_server.files import read_file
from cartino_server.store.data_directory import replace_file
from cartino_server.store.port import GameState

_POSITION = struct.Struct("<QQ")


class ChainHead(msgspec.Struct, frozen=True):
    """The end of a game's chain: the number of entries, and the hash (32 bytes) of the last."""

    seq: int
    hash: bytes


class StoredEntry(NamedTuple):
    """A stored entry: its place, the game's state after it, its hash and its body."""

    place: int
    state: bytes
    hash: bytes
    body: bytes


class VerificationError(LazyMessageError):
    """Stored data fails verification; the sentence is a clause."""


def start_chain(game: int, code: str) -> ChainHead:
    """Return the head of a game without entries; the chain covers its number and code."""
    return ChainHead(0, hashlib.sha256(b"cartino\0" + _POSITION.pack(game, 0) + code.encode()).digest())


def extend_chain(head: ChainHead, game: int, state: GameState, body: bytes) -> ChainHead:
    """Return the head after one more entry."""
    return ChainHead(head.seq + 1, _hash_entry(head.hash, game, head.seq + 1, state.encode(), body))


def verify_chain(game: int, code: str, entries: Iterable[StoredEntry]) -> ChainHead:
    """Verify the chain from its start; return its head. Raises VerificationError at the first bad entry."""
    seq, last = 0, start_chain(game, code).hash
    for seq, (_, state, digest, body) in enumerate(entries, 1):
        last = _hash_entry(last, game, seq, state, body)
        if last != digest:
            raise VerificationError(lazy_gettext("entry {seq} was altered", seq=seq))
    return ChainHead(seq, last)


def _hash_entry(last: bytes, game: int, seq: int, state: bytes, body: bytes) -> bytes:
    return hashlib.sha256(b"".join((last, _POSITION.pack(game, seq), state, b"\0", body))).digest()


HEADS_FILE = "journal.heads"
SLOT_BYTES = 32

_PREFIX_BYTES = 16
_SLOT_FORMAT = struct.Struct("<IB7s16s")
_HEADER_FORMAT = struct.Struct("<16sdI")
_CHECKSUM_FORMAT = struct.Struct("<I")
_BLANK_SLOT = bytes(SLOT_BYTES)
_MAX_FILE_BYTES: Final = 1 << 30
_BLOCK_SLOTS = 256
"""Slots are dropped in multiples of this number."""
MIN_DROPPED_SLOTS = 8192
"""Minimum of unused slots for which the file is rewritten at a start."""

# The byte of a slot's state. Older slots have a 0 there: the game may be open or over.
_STATE_AT = 4
_OPEN, _OVER = 1, 2
_MAY_BE_OPEN = re.compile(b"[^%c]" % _OVER)
_WRITTEN = re.compile(rb"[^\0]")


class HeadSlot(msgspec.Struct, frozen=True):
    """A game's last head in the file: its code, its number of entries, and 16 bytes of the hash.

    `over`: the game is certainly not open.
    """

    code: str
    seq: int
    prefix: bytes
    over: bool = False

    def fits(self, head: ChainHead) -> bool:
        """Return whether the slot matches the head."""
        return self.seq == head.seq and self.prefix == head.hash[:_PREFIX_BYTES]


class HeadFile:
    """The heads file, open for writing. It is only an aid: after opening, no method raises OSError."""

    def __init__(self, path: Path, journal: bytes) -> None:
        """Open or create the file of the journal with the id `journal` (16 bytes); empty another journal's.

        Blank slots at its beginning are dropped if that saves enough. Raises OSError.
        """
        read = read_heads(path, journal)
        self._journal, self._base = journal, read.base
        first = next((game for game, _ in read.slots()), read.base + len(read.content) // SLOT_BYTES)
        base = max(first - 1, 0) // _BLOCK_SLOTS * _BLOCK_SLOTS
        if base - read.base >= MIN_DROPPED_SLOTS:
            rest = read.content[(base - read.base + 1) * SLOT_BYTES :]
            with contextlib.suppress(OSError):
                replace_file(path, _pack_header(journal, read.time, base) + rest)
                self._base = base
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if read.foreign:
            os.ftruncate(self._file, 0)
            self.put_time(0.0)

    def put(self, game: int, code: str, head: ChainHead, *, over: bool = False) -> None:
        """Write the head of a game that is on disk, and whether the game is over."""
        slot = _SLOT_FORMAT.pack(
            head.seq, _OVER if over else _OPEN, _pack_code(code), head.hash[:_PREFIX_BYTES]
        )
        if game > self._base:
            with contextlib.suppress(OSError):
                os.pwrite(self._file, slot + _checksum(game, slot), (game - self._base) * SLOT_BYTES)

    def get(self, game: int) -> HeadSlot | None:
        """Return the game's slot. May be called in any thread."""
        with contextlib.suppress(OSError, OverflowError):
            if game > self._base:
                return _read_slot(game, os.pread(self._file, SLOT_BYTES, (game - self._base) * SLOT_BYTES))
        return None

    def clear(self, games: Iterable[int]) -> bool:
        """Blank the slots of `games` and sync; return whether it succeeded."""
        try:
            for game in games:
                if game > self._base:
                    os.pwrite(self._file, _BLANK_SLOT, (game - self._base) * SLOT_BYTES)
            os.fsync(self._file)
        except (OSError, OverflowError):
            return False
        return True

    def put_time(self, time: float) -> None:
        """Write the server time (seconds)."""
        with contextlib.suppress(OSError):
            os.pwrite(self._file, _pack_header(self._journal, time, self._base), 0)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


class HeadSnapshot(msgspec.Struct, frozen=True):
    """The content of the heads file at one moment; `foreign` if it isn't this journal's.

    Slots are parsed when needed, since a start needs few of maybe a hundred thousand. Games up to `base` have none.
    """

    content: bytes = b""
    time: float = 0.0
    foreign: bool = False
    base: int = 0

    @property
    def last(self) -> int:
        """The highest game with a slot; 0 for none."""
        games = range(self.base + len(self.content) // SLOT_BYTES, self.base, -1)
        return next((game for game in games if self.get(game)), self.base)

    @property
    def count(self) -> int:
        """How many slots are not blank, without checking each."""
        states = self.content[_STATE_AT + SLOT_BYTES :: SLOT_BYTES]
        return len(states) - states.count(0)

    def get(self, game: int) -> HeadSlot | None:
        """Return the game's slot; None if it is blank or invalid."""
        at = (game - self.base) * SLOT_BYTES
        return _read_slot(game, self.content[at : at + SLOT_BYTES]) if at > 0 else None

    def slots(self, *, open_only: bool = False) -> Iterator[tuple[int, HeadSlot]]:
        """Yield the valid slots by game; or only those of games that may be open."""
        states = self.content[_STATE_AT::SLOT_BYTES]
        for found in (_MAY_BE_OPEN if open_only else _WRITTEN).finditer(states):
            game = self.base + found.start()
            if (slot := self.get(game)) is not None:
                yield game, slot


def read_heads(path: Path, journal: bytes | None) -> HeadSnapshot:
    """Read the heads of the journal with the id `journal` (None: any).

    A missing or damaged file is foreign.
    """
    try:
        content = read_file(path, _MAX_FILE_BYTES)
    except OSError:
        return HeadSnapshot(foreign=True)
    first = _verified_slot(0, content[:SLOT_BYTES])
    if first is None:
        return HeadSnapshot(foreign=True)
    owner, time, blocks = _HEADER_FORMAT.unpack(first)
    if journal is not None and owner != journal:
        return HeadSnapshot(foreign=True)
    return HeadSnapshot(content, time, base=blocks * _BLOCK_SLOTS)


def _read_slot(game: int, slot: bytes) -> HeadSlot | None:
    content = None if game < 1 or slot == _BLANK_SLOT else _verified_slot(game, slot)
    if content is None:
        return None
    seq, state, code, prefix = _SLOT_FORMAT.unpack(content)
    return HeadSlot(_unpack_code(code), seq, prefix, state == _OVER)


# A slot has 7 bytes for a table's code: 4 letters at the end, or, for the longer code of a private table, a 1 and a
# number with 5 bits per letter.


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


def _pack_header(journal: bytes, time: float, base: int) -> bytes:
    header = _HEADER_FORMAT.pack(journal, time, base // _BLOCK_SLOTS)
    return header + _checksum(0, header)


def _verified_slot(place: int, slot: bytes) -> bytes | None:
    """Return the slot at `place` without its checksum; None if that is wrong."""
    if len(slot) < SLOT_BYTES or slot[_SLOT_FORMAT.size :] != _checksum(place, slot[: _SLOT_FORMAT.size]):
        return None
    return slot[: _SLOT_FORMAT.size]


def _checksum(place: int, slot: bytes) -> bytes:
    return _CHECKSUM_FORMAT.pack(zlib.crc32(slot, place & 0xFFFFFFFF))
