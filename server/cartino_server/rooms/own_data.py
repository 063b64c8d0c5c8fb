"""A person's account: what is kept of them, and its deletion."""

from collections.abc import Collection
from functools import partial

import msgspec
import structlog

from cartino_protocol.account import Account, AccountRating, AccountView, DeleteAccount
from cartino_protocol.commands import Profile, Say
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, ProfileView
from cartino_server.rooms.archive import Archive
from cartino_server.rooms.authors import Authors
from cartino_server.rooms.building import Building
from cartino_server.rooms.erased import rewriting
from cartino_server.rooms.hall import Hall
from cartino_server.rooms.hand import Hand
from cartino_server.rooms.keyring import Keyring
from cartino_server.rooms.names import key_of
from cartino_server.rooms.naming import Naming
from cartino_server.rooms.people import Person
from cartino_server.rooms.ports import Ports
from cartino_server.rooms.runner import RoomRunner
from cartino_server.rooms.sitting import Sitting
from cartino_server.rooms.standing import Standing
from cartino_server.store.port import Journal
from cartino_server.store.register.erasing import Counts, counts_of, erase
from cartino_server.store.register.register import Register

AccountEnquiry = Account | DeleteAccount

_ID_BYTES = 16

_log = structlog.get_logger(__name__)


class OwnData:
    """Answers what people ask about their accounts, and deletes them, tables and stores alike.

    First the journal knows that it has begun; then the tables forget the person, the journal's games, and the
    register. Only then the journal knows that it is done, so that a start goes on where the server was stopped.
    """

    def __init__(
        self,
        journal: Journal,
        archive: Archive,
        register: Register | None,
        building: Building,
        hall: Hall[RoomRunner],
        hand: Hand,
        naming: Naming,
        standing: Standing,
        keyring: Keyring,
        sitting: Sitting,
        authors: Authors,
        ports: Ports,
    ) -> None:
        """All of them are the house's, and up to date."""
        self._journal = journal
        self._archive = archive
        self._register = register
        self._building = building
        self._hall = hall
        self._hand = hand
        self._naming = naming
        self._standing = standing
        self._keyring = keyring
        self._sitting = sitting
        self._authors = authors
        self._ports = ports
        self._going: set[str] = set()

    def is_going(self, person: str) -> bool:
        """Return whether the person's account is being deleted just now, so that they can't come yet."""
        return person in self._going

    async def answer(
        self, person: Person, name: str, command: AccountEnquiry, connection: int = 0
    ) -> AccountView | Refusal:
        """Return what is kept of `person`, who is called `name`, or that it is deleted.

        Raises NotSaved, JournalDead.
        """
        if person.guest:
            return Refusal("no-key") if isinstance(command, DeleteAccount) else AccountView(name, guest=True)
        if self.is_going(person.id):
            return Refusal("busy")
        if isinstance(command, Account):
            return await self._view(person, name)
        if self._hand.refuses(person.id, Say(""), connection) is not None:
            # Whoever is muted would speak again at once.
            return Refusal("account-muted")
        if key_of(command.name.strip()) != key_of(name):
            return Refusal("account-name", name)
        await self.erase(person.id, self._authors.mark(person.id))
        return AccountView(name, done="deleted")

    async def finish(self) -> None:
        """Finish what was begun before the house last ended, before anybody comes. Raises NotSaved, JournalDead."""
        for person, mark in await self._journal.erasing():
            await self.erase(person, mark)

    async def erase(self, person: str, mark: str) -> None:
        """Delete all that is kept of the person of that id. Raises NotSaved, JournalDead; what is left goes later."""
        self._going.add(person)
        try:
            await self._erase(person, mark)
        finally:
            self._going.discard(person)
        _log.info("an account was deleted")

    async def _erase(self, person: str, mark: str) -> None:
        rewrite = rewriting(person, mark)
        self._hand.send_away(lambda link: link.person.id == person, Bye("deleted"))
        # So that a start knows of it whatever happens next.
        await self._journal.erase(person, mark, rewrite)
        for runner in tuple(self._building):
            await runner.erase(person)
        # Once more, for what tables have written meanwhile.
        await self._journal.erase(person, mark, rewrite)
        self._archive.forget()
        keys: Collection[str] = ()
        if self._register is not None:
            keys = await self._register.do(partial(erase, person=person, fresh=self._fresh))
        self._naming.forget(person)
        self._hall.erase(person)
        self._hand.forget(person)
        await self._journal.erased(person)
        for key in keys:
            self._keyring.moved(key)

    def _fresh(self) -> str:
        return self._ports.entropy(_ID_BYTES).hex()

    async def _view(self, person: Person, name: str) -> AccountView:
        counts = Counts(0, 0)
        if self._register is not None:
            counts = await self._register.do(partial(counts_of, person=person.id))
        profile = await self._standing.profile(person, name, Profile())
        ratings = profile.ratings if isinstance(profile, ProfileView) else ()
        mark = self._authors.mark(person.id)
        return AccountView(
            name=name,
            keys=await self._keyring.fingerprints(person),
            games=await self._journal.count_games(person.id),
            ratings=tuple(AccountRating(line.game, line.rating) for line in ratings),
            settings=_fields(await self._standing.choices(person.id)),
            ignored=tuple(await self._hall.ignoring.names_of(person.id)),
            invitations=tuple(line.code for line in self._hall.cards.of(person.id).lines),
            tables=tuple(sorted(self._sitting.rooms_of(person.id))),
            chat=sum(runner.room.talk.count(mark) for runner in self._building),
            reports=counts.reports_by,
            reported=counts.reports_about,
        )


def _fields(settings: bytes) -> int:
    try:
        return len(msgspec.msgpack.decode(settings, type=dict[str, msgspec.Raw])) if settings else 0
    except (msgspec.DecodeError, UnicodeDecodeError):
        return 0
