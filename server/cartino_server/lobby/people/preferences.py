"""What people set for themselves: their client's settings, and whom they mute.

Settings are stored field by field and never interpreted here.
"""

import contextlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import msgspec
import structlog

from cartino_protocol.accounts import Ignored, IgnoredPerson
from cartino_protocol.base import DECODE_ERRORS
from cartino_server.environment import AuthorMarks
from cartino_server.store.journal import Journal
from cartino_server.store.moderation import MAX_IGNORED_EACH, copy_ignored, ignore, ignored_by, unignore
from cartino_server.store.people import PeopleDatabase
from cartino_server.store.port import JournalClosed, NotSaved
from cartino_server.table.link import Person

MAX_SETTINGS_BYTES = 2048
"""Largest size of one person's settings, encoded."""

Fields = dict[str, msgspec.Raw]
"""Settings by the client's own field names."""

_fields: Final = msgspec.msgpack.Decoder(Fields)
_NIL: Final = msgspec.msgpack.encode(None)

_log = structlog.get_logger(__name__)


class SettingsStore:
    """The settings of the people online; those of a guest without a resume code are never saved."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._known: dict[str, bytes] = {}
        self._saving: dict[str, int] = {}
        """How many saves of each person's settings are under way."""

    def settings_of(self, person: str) -> bytes:
        """Return the settings of a person online; b"" for none."""
        return self._known.get(person, b"")

    def knows(self, person: str) -> bool:
        """Return whether the person's settings are loaded."""
        return person in self._known

    async def look_up(self, person: str) -> None:
        """Load a person's settings; if they can't be read, go on without."""
        if person not in self._known:
            found = await self.read(person)
            # They may have chosen others meanwhile.
            self._known.setdefault(person, found)

    async def read(self, person: str) -> bytes:
        """Return a person's stored settings; b"" for none, or if they can't be read."""
        with contextlib.suppress(NotSaved, JournalClosed):
            return await self._journal.settings(person)
        return b""

    def choose(self, person: str, changes: bytes) -> bool:
        """Apply `changes` (see `merged`); return False if they can't be kept."""
        settings = merged(self.settings_of(person), changes)
        if settings is None:
            return False
        self._known[person] = settings
        return True

    def to_save(self, person: str) -> bytes:
        """Return the settings to call `save` with; they stay loaded until it is done."""
        self._saving[person] = self._saving.get(person, 0) + 1
        return self.settings_of(person)

    async def save(self, person: str, settings: bytes) -> None:
        """Store what `to_save` returned. Raises NotSaved, JournalClosed."""
        try:
            await self._journal.keep_settings(person, settings)
        finally:
            left = self._saving.pop(person) - 1
            if left:
                self._saving[person] = left

    def forget(self, person: str) -> None:
        """Unload the settings of a person who left, unless they are still being saved."""
        if person not in self._saving:
            self._known.pop(person, None)


def merged(settings: bytes, changes: bytes) -> bytes | None:
    """Merge two MessagePack maps; return None if `changes` can't be read or the result is too large.

    A field that is nil is removed; `settings` that can't be read count as empty.
    """
    try:
        changed = _fields.decode(changes)
    except DECODE_ERRORS:
        return None
    chosen: Fields = {}
    with contextlib.suppress(*DECODE_ERRORS):
        chosen = _fields.decode(settings)
    kept = {name: value for name, value in (chosen | changed).items() if bytes(value) != _NIL}
    found = msgspec.msgpack.encode(kept) if kept else b""
    return found if len(found) <= MAX_SETTINGS_BYTES else None


class MuteLists(msgspec.Struct, frozen=True, eq=False):
    """Whom each person mutes, as author marks (see `AuthorMarks`), so a new name doesn't end a mute.

    Without a `people_db`, lists last as long as their owner is online; `now` is Unix time.
    """

    _authors: AuthorMarks
    _people_db: PeopleDatabase | None
    _now: Callable[[], int]
    _known: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)

    def knows(self, person: str) -> bool:
        """Return whether the person's list is loaded."""
        return person in self._known

    async def look_up(self, person: Person) -> None:
        """Load a person's list; if it can't be read, it counts as empty."""
        if person.id not in self._known:
            found = {} if person.guest else await self._stored(person.id)
            self._known.setdefault(person.id, found)

    def mute_list_of(self, person: str) -> Ignored:
        """Return the list of a person online, oldest first."""
        known = self._known.get(person, {})
        return Ignored(tuple(IgnoredPerson(who, name) for who, name in known.items()))

    async def is_ignored(self, person: str, other: str) -> bool:
        """Return whether `person`, online or not, mutes `other`."""
        return self._authors.mark(other) in await self._list(person)

    async def names_of(self, person: str) -> tuple[str, ...]:
        """Return the names that muted people had, oldest first."""
        return tuple((await self._list(person)).values())

    async def add(self, person: Person, who: str, name: str) -> bool:
        """Mute the author mark `who`, called `name`; return False if the list is full. Raises NotSaved."""
        if self._people_db is not None and not person.guest:
            kept = await self._people_db.do(
                partial(ignore, person=person.id, other=who, name=name, now=self._now())
            )
        else:
            kept = len(self._known.get(person.id, {}).keys() - {who}) < MAX_IGNORED_EACH
        if kept and (person.guest or person.id in self._known):
            self._known.setdefault(person.id, {})[who] = name
        return kept

    async def drop(self, person: Person, who: str) -> None:
        """Unmute the author mark `who`. Raises NotSaved."""
        if self._people_db is not None and not person.guest:
            await self._people_db.do(partial(unignore, person=person.id, other=who))
        self._known.get(person.id, {}).pop(who, None)

    async def carry(self, person: str, other: str) -> Sequence[str]:
        """Mute `other` in each list that has `person`, whose key signs in as `other` now. Raises NotSaved.

        Return the people online whose list changed.
        """
        who, to = self._authors.mark(person), self._authors.mark(other)
        if self._people_db is not None:
            await self._people_db.do(partial(copy_ignored, who=who, to=to))
        changed = [each for each, known in self._known.items() if who in known and to not in known]
        for each in changed:
            self._known[each][to] = self._known[each][who]
        return changed

    def forget(self, person: str) -> None:
        """Unload the list of a person who left; a guest's is gone."""
        self._known.pop(person, None)

    async def _list(self, person: str) -> dict[str, str]:
        known = self._known.get(person)
        return await self._stored(person) if known is None else known

    async def _stored(self, person: str) -> dict[str, str]:
        if self._people_db is None:
            return {}
        try:
            return await self._people_db.do(partial(ignored_by, person=person))
        except NotSaved as error:
            _log.warning("whom somebody ignores can't be read", why=str(error))
            return {}
