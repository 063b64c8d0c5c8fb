"""What people have set for themselves: their client's settings, and whom they have muted.

Settings are stored field by field and never interpreted here.
"""

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec
import structlog

from cartino_protocol.accounts import Ignored, IgnoredPerson
from cartino_server.store.moderation import MAX_IGNORED_EACH, ignore, ignored_by, unignore
from cartino_server.store.people import PeopleDatabase
from cartino_server.store.port import Journal, JournalClosed, NotSaved
from cartino_server.table.environment import AuthorMarks
from cartino_server.table.link import Person

MAX_SETTINGS_BYTES = 2048
"""Bytes that one person's choices may have."""

Fields = dict[str, msgspec.Raw]
"""What was chosen, by the names of the client's own."""

_fields: Final = msgspec.msgpack.Decoder(Fields)
_NIL: Final = msgspec.msgpack.encode(None)


class SettingsStore:
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
        with contextlib.suppress(NotSaved, JournalClosed):
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
    except _UNDECODABLE:
        return None
    chosen: Fields = {}
    with contextlib.suppress(*_UNDECODABLE):
        chosen = _fields.decode(settings)
    kept = {name: value for name, value in (chosen | changed).items() if bytes(value) != _NIL}
    found = msgspec.msgpack.encode(kept) if kept else b""
    return found if len(found) <= MAX_SETTINGS_BYTES else None


_UNDECODABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


_log = structlog.get_logger(__name__)


class MuteLists:
    """Persons by ids; those whom they ignore by their marks (see `Authors`), whatever they are called."""

    def __init__(self, authors: AuthorMarks, register: PeopleDatabase | None, now: Callable[[], int]) -> None:
        """Kept in `register`, or only while they are here where there is none; `now` is Unix time."""
        self._authors = authors
        self._register = register
        self._now = now
        self._known: dict[str, dict[str, str]] = {}

    def knows(self, person: str) -> bool:
        """Whether the person's list was looked up since they came."""
        return person in self._known

    async def look_up(self, person: Person) -> None:
        """Learn whom a person ignores. What can't be read just now is nobody: nobody stays out for it."""
        if person.id not in self._known:
            found = {} if person.guest else await self._kept(person.id)
            self._known.setdefault(person.id, found)

    def of(self, person: str) -> Ignored:
        """Whom a person ignores who is here, longest ago first."""
        known = self._known.get(person, {})
        return Ignored(tuple(IgnoredPerson(who, name) for who, name in known.items()))

    async def is_ignored(self, person: str, other: str) -> bool:
        """Whether `person`, here or not, ignores `other`."""
        known = self._known.get(person)
        return self._authors.mark(other) in (await self._kept(person) if known is None else known)

    async def names_of(self, person: str) -> tuple[str, ...]:
        """What those were called whom the person ignores, longest ago first."""
        known = self._known.get(person)
        return tuple((await self._kept(person) if known is None else known).values())

    async def add(self, person: Person, who: str, name: str) -> bool:
        """`person` ignores whoever has the mark `who` and is called `name`; False where they ignore too many already.

        Raises NotSaved.
        """
        if self._register is not None and not person.guest:
            kept = await self._register.do(
                partial(ignore, person=person.id, other=who, name=name, now=self._now())
            )
        else:
            kept = len(self._known.get(person.id, {}).keys() - {who}) < MAX_IGNORED_EACH
        if kept and (person.guest or person.id in self._known):
            self._known.setdefault(person.id, {})[who] = name
        return kept

    async def drop(self, person: Person, who: str) -> None:
        """`person` hears whoever has the mark `who` again. Raises NotSaved."""
        if self._register is not None and not person.guest:
            await self._register.do(partial(unignore, person=person.id, other=who))
        self._known.get(person.id, {}).pop(who, None)

    def forget(self, person: str) -> None:
        """The person has gone; a guest's list with them."""
        self._known.pop(person, None)

    async def _kept(self, person: str) -> dict[str, str]:
        if self._register is None:
            return {}
        try:
            return await self._register.do(partial(ignored_by, person=person))
        except NotSaved as error:
            _log.warning("whom somebody ignores can't be read", why=str(error))
            return {}
