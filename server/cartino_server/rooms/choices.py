"""What people have chosen for themselves: kept for them as it is, and never read."""

import contextlib

from cartino_server.store.port import Journal, JournalDead, NotSaved

MOST = 2048
"""Bytes that one person's choices may have."""


class Choices:
    """The choices of those who are here. Of a guest without a word they go with the guest."""

    def __init__(self, journal: Journal) -> None:
        """They are kept in `journal`."""
        self._journal = journal
        self._known: dict[str, bytes] = {}

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

    def choose(self, person: str, settings: bytes) -> bool:
        """The person has chosen `settings`; False where that is too much to keep."""
        if len(settings) > MOST:
            return False
        self._known[person] = settings
        return True

    async def save(self, person: str) -> None:
        """Have the choices of a person kept beyond their visit. Raises NotSaved, JournalDead."""
        if person in self._known:
            await self._journal.keep_settings(person, self._known[person])

    def forget(self, person: str) -> None:
        """The person has gone."""
        self._known.pop(person, None)
