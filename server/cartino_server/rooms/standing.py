"""What is told of people: their profiles, who leads, who is meant by a name, and what somebody chose for themselves."""

from collections.abc import Mapping
from typing import Final, Protocol

from cartino_protocol.commands import Leaders, Profile
from cartino_protocol.records import BOT
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import LeadersView, ProfileView
from cartino_server.engine.port import AnyGame
from cartino_server.rooms.people import Person
from cartino_server.store.port import Journal, JournalDead, NotSaved
from cartino_server.store.standing import Asking

_BOT_SAID: Final = "bot "


class Register(Protocol):
    """Who is called what in the house just now."""

    def person_called(self, name: str) -> str | None:
        """The id of the person who goes by `name` here, now or by the seat they have; None for nobody."""

    def kept_name(self, person_id: str) -> str:
        """What a person is called who need not be here; "" where that is not kept."""


class Standing:
    """What `journal` has summed up of people."""

    def __init__(self, journal: Journal, games: Mapping[str, AnyGame], register: Register) -> None:
        """`games` by name, the first being the one of which leaders are shown; `register` is up to date."""
        self._journal = journal
        self._games = games
        self._register = register

    def kept_name(self, person: str) -> str:
        """What the person of that id is called, here or not; "" where that is not kept."""
        return self._register.kept_name(person)

    async def profile(self, person: Person, name: str, asked: Profile) -> ProfileView | Refusal:
        """What `person`, who is called `name` here, asked for."""
        wanted, against = asked.name.strip(), asked.against.strip()
        if self._called(wanted) == person.id:
            wanted = ""
        found = await self._journal.profile(
            Asking(
                person=person.id,
                player=asked.player,
                of=self._called(wanted) if wanted else person.id,
                name=self._name(wanted),
                against=self._called(against) if against else person.id,
                against_name=self._name(against),
            )
        )
        if found is not None:
            return found
        if not (asked.player or wanted):
            return ProfileView(name, you=True)
        return Refusal("unknown-person", wanted)

    async def leaders(self, person: str, asked: Leaders) -> LeadersView | Refusal:
        """Who leads, as `person` (an id) sees it."""
        game = asked.game or next(iter(self._games))
        if game not in self._games:
            return Refusal("unknown-game", game)
        return await self._journal.leaders(game, person)

    async def person_called(self, name: str) -> str | None:
        """The id of whoever last went by `name` in a listed game that is over; None for nobody, or a bot."""
        return await self._journal.person_called(name)

    async def choices(self, person: str) -> bytes:
        """What the person has chosen for themselves (see Prefer), as it was kept; b"" for nothing.

        So it is too while it can't be read: nobody stays without an answer for it.
        """
        try:
            return await self._journal.settings(person)
        except (NotSaved, JournalDead):
            return b""

    def _called(self, name: str) -> str:
        """The id of the person who is called `name` in the house now; "" for nobody."""
        return self._register.person_called(name) or ""

    def _name(self, name: str) -> str:
        """A bot by its name in records, however its name was said."""
        folded = name.casefold()
        if folded.startswith(_BOT_SAID):
            return f"{BOT}{folded.removeprefix(_BOT_SAID).strip()}"
        return name
