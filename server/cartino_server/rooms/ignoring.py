"""Who is ignored by whom, of those who are here: the lists that the register keeps, and the guests' own."""

from collections.abc import Callable
from functools import partial

import structlog

from cartino_protocol.neighbours import Ignored, IgnoredPerson
from cartino_server.rooms.authors import Authors
from cartino_server.rooms.people import Person
from cartino_server.store.port import NotSaved
from cartino_server.store.register.ignores import MOST_EACH, hear_again, ignore, ignored_by
from cartino_server.store.register.register import Register

_log = structlog.get_logger(__name__)


class Ignoring:
    """Persons by ids; those whom they ignore by their marks (see `Authors`), whatever they are called."""

    def __init__(self, authors: Authors, register: Register | None, now: Callable[[], int]) -> None:
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
            kept = len(self._known.get(person.id, {}).keys() - {who}) < MOST_EACH
        if kept and (person.guest or person.id in self._known):
            self._known.setdefault(person.id, {})[who] = name
        return kept

    async def drop(self, person: Person, who: str) -> None:
        """`person` hears whoever has the mark `who` again. Raises NotSaved."""
        if self._register is not None and not person.guest:
            await self._register.do(partial(hear_again, person=person.id, other=who))
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
