"""What people have chosen for themselves: kept field by field for them, and no field is ever read."""

import contextlib
from typing import Final

import msgspec

from cartino_server.store.port import Journal, JournalDead, NotSaved

MOST = 2048
"""Bytes that one person's choices may have."""

Fields = dict[str, msgspec.Raw]
"""What was chosen, by the names of the client's own."""

_fields: Final = msgspec.msgpack.Decoder(Fields)
_NIL: Final = msgspec.msgpack.encode(None)


class Choices:
    """The choices of those who are here. Of a guest without a word they go with the guest."""

    def __init__(self, journal: Journal) -> None:
        """They are kept in `journal`."""
        self._journal = journal
        self._known: dict[str, bytes] = {}
        self._saving: dict[str, int] = {}
        """How many times somebody's are being saved just now."""

    def of(self, person: str) -> bytes:
        """The choices of a person who is here; b"" for none, or where they were not looked up."""
        return self._known.get(person, b"")

    def knows(self, person: str) -> bool:
        """Whether the person's choices were looked up, or said, since they came."""
        return person in self._known

    async def look_up(self, person: str) -> None:
        """Learn what a person has chosen before. What can't be read just now is none: nobody stays out for it."""
        if person in self._known:
            return
        found = b""
        with contextlib.suppress(NotSaved, JournalDead):
            found = await self._journal.settings(person)
        # They may have said others meanwhile.
        self._known.setdefault(person, found)

    def choose(self, person: str, changes: bytes) -> bool:
        """The person, who is here, has chosen `changes` (see `merged`); False for what can't be kept."""
        settings = merged(self.of(person), changes)
        if settings is None:
            return False
        self._known[person] = settings
        return True

    def to_save(self, person: str) -> bytes:
        """The choices of a person as they are now, which `save` is to be called with; they stay known until then."""
        self._saving[person] = self._saving.get(person, 0) + 1
        return self.of(person)

    async def save(self, person: str, settings: bytes) -> None:
        """Have what `to_save` gave kept beyond the person's visit. Raises NotSaved, JournalDead."""
        try:
            await self._journal.keep_settings(person, settings)
        finally:
            left = self._saving.pop(person) - 1
            if left:
                self._saving[person] = left

    def forget(self, person: str) -> None:
        """The person has gone. As long as their choices are being saved they stay: the journal's are older."""
        if person not in self._saving:
            self._known.pop(person, None)


def merged(settings: bytes, changes: bytes) -> bytes | None:
    """`settings` with `changes`, both by field in MessagePack; None where that can't be read, or is too much to keep.

    A field that is nil now is left out, and so is what can't be read of `settings`.
    """
    try:
        changed = _fields.decode(changes)
    except _UNREADABLE:
        return None
    chosen: Fields = {}
    with contextlib.suppress(*_UNREADABLE):
        chosen = _fields.decode(settings)
    kept = {name: value for name, value in (chosen | changed).items() if bytes(value) != _NIL}
    found = msgspec.msgpack.encode(kept) if kept else b""
    return found if len(found) <= MOST else None


_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
