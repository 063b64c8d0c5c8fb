"""The hash chain of a game: each entry's hash covers the one before, so that what is kept is proved whole."""

import hashlib
import struct
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from cartino_protocol.marking import SentenceError, later
from cartino_server.store.port import State

HASH_BYTES = 32

_PLACE = struct.Struct("<QQ")


class Head(msgspec.Struct, frozen=True):
    """Where a game's chain ends: how many entries it has, and the hash (32 bytes) of the last one."""

    seq: int
    hash: bytes


class Entry(NamedTuple):
    """One entry as it is kept: where it lies, the game's state from then on, its hash, and what it says."""

    place: int
    state: bytes
    hash: bytes
    body: bytes


class Broken(SentenceError):
    """The entries are not what was written; the sentence is a clause that says in what."""


def begin(game: int, code: str) -> Head:
    """The head of a game without entries: its number and its table's code are in the chain too."""
    return Head(0, hashlib.sha256(b"cartino\0" + _PLACE.pack(game, 0) + code.encode()).digest())


def extend(head: Head, game: int, state: State, body: bytes) -> Head:
    """The head after one more entry."""
    return Head(head.seq + 1, _hash(head.hash, game, head.seq + 1, state.encode(), body))


def verify(game: int, code: str, entries: Iterable[Entry]) -> Head:
    """Follow the chain from its beginning; its head. Raises Broken at the first entry that doesn't fit."""
    seq, last = 0, begin(game, code).hash
    for seq, (_, state, digest, body) in enumerate(entries, 1):
        last = _hash(last, game, seq, state, body)
        if last != digest:
            raise Broken(later("entry {seq} is not what was written", seq=seq))
    return Head(seq, last)


def _hash(last: bytes, game: int, seq: int, state: bytes, body: bytes) -> bytes:
    return hashlib.sha256(b"".join((last, _PLACE.pack(game, seq), state, b"\0", body))).digest()
