"""What is stored about a person: show it, and delete it."""

from collections.abc import Collection
from functools import partial

import msgspec
import structlog

from cartino_protocol.accounts import Account, AccountRating, AccountView, DeleteAccount
from cartino_protocol.commands import Profile, Say
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, ProfileView
from cartino_server.lobby.moderation import Moderation
from cartino_server.lobby.names import key_of
from cartino_server.lobby.people import NameKeeper
from cartino_server.lobby.preferences import SettingsStore
from cartino_server.lobby.queries import Queries
from cartino_server.store.data_removal import ReportCounts, count_reports, delete_person
from cartino_server.store.people import PeopleDatabase
from cartino_server.store.port import Journal
from cartino_server.table.environment import Ports
from cartino_server.table.link import Person
from cartino_server.table.saving import rewrite_without_person

AccountQuery = Account | DeleteAccount

_ID_BYTES = 16

_log = structlog.get_logger(__name__)


class AccountData:
    """Shows what is stored about a person, and deletes it.

    A deletion is noted in the journal first; then tables, the journal's games and the people database forget the
    person. Only then is it noted as done, so that a restart finishes what was cut short.
    """

    def __init__(
        self,
        journal: Journal,
        register: PeopleDatabase | None,
        moderation: Moderation,
        queries: Queries,
        names: NameKeeper,
        settings: SettingsStore,
        ports: Ports,
    ) -> None:
        self.settings = settings
        self._journal = journal
        self._register = register
        self._moderation = moderation
        self._presence = moderation.presence
        self._registry = moderation.registry
        self._queries = queries
        self._names = names
        self._ports = ports
        self._going: set[str] = set()

    def is_going(self, person: str) -> bool:
        """Return whether the person's account is being deleted."""
        return person in self._going

    async def answer(
        self, person: Person, name: str, command: AccountQuery, connection: int = 0
    ) -> AccountView | Refusal:
        """Return what is stored about `person`, called `name`, or delete it. Raises NotSaved, JournalClosed."""
        if person.guest:
            return Refusal("no-key") if isinstance(command, DeleteAccount) else AccountView(name, guest=True)
        if self.is_going(person.id):
            return Refusal("busy")
        if isinstance(command, Account):
            return await self._view(person, name)
        if self._moderation.refuses(person.id, Say(""), connection) is not None:
            # A new account would end their mute.
            return Refusal("account-muted")
        if key_of(command.name.strip()) != key_of(name):
            return Refusal("account-name", name)
        await self.erase(person.id, self._ports.authors.mark(person.id))
        return AccountView(name, done="deleted")

    async def finish(self) -> None:
        """Finish deletions that a restart cut short. Raises NotSaved, JournalClosed."""
        for person, mark in await self._journal.erasing():
            await self.erase(person, mark)

    async def erase(self, person: str, mark: str) -> None:
        """Delete the person and what their author mark wrote. Raises NotSaved, JournalClosed; then it is resumed."""
        self._going.add(person)
        try:
            await self._erase(person, mark)
        finally:
            self._going.discard(person)
        _log.info("an account was deleted")

    async def _erase(self, person: str, mark: str) -> None:
        rewrite = rewrite_without_person(person, mark)
        self._moderation.send_away(lambda link: link.person.id == person, Bye("deleted"))
        # First, so that a restart knows of it whatever happens next.
        await self._journal.erase(person, mark, rewrite)
        for runner in tuple(self._registry):
            await runner.erase(person)
        # Again, for what tables have written meanwhile.
        await self._journal.erase(person, mark, rewrite)
        self._queries.history.forget()
        keys: Collection[str] = ()
        if self._register is not None:
            fresh = partial(_random_id, self._ports)
            keys = await self._register.do(partial(delete_person, person=person, fresh=fresh))
        self._names.forget(person)
        self.settings.forget(person)
        self._queries.erase(person)
        self._presence.forget(person)
        self._moderation.overview.visitors.forget(person)
        await self._journal.erased(person)
        for key in keys:
            self._queries.keys.moved(key)

    async def _view(self, person: Person, name: str) -> AccountView:
        counts = ReportCounts(0, 0)
        if self._register is not None:
            counts = await self._register.do(partial(count_reports, person=person.id))
        profile = await self._queries.profiles.profile(person, name, Profile())
        ratings = profile.ratings if isinstance(profile, ProfileView) else ()
        mark = self._ports.authors.mark(person.id)
        return AccountView(
            name=name,
            keys=await self._queries.keys.fingerprints(person),
            games=await self._journal.count_games(person.id),
            ratings=tuple(AccountRating(line.game, line.rating) for line in ratings),
            settings=_count_settings(await self.settings.read(person.id)),
            ignored=await self._queries.mutes.names_of(person.id),
            invitations=tuple(line.code for line in self._queries.invitations.of(person.id).lines),
            tables=tuple(sorted(self._presence.seats.rooms_of(person.id))),
            chat=sum(runner.room.chat.count_of(mark) for runner in self._registry),
            reports=counts.reports_by,
            reported=counts.reports_about,
        )


def _random_id(ports: Ports) -> str:
    return ports.entropy(_ID_BYTES).hex()


def _count_settings(settings: bytes) -> int:
    try:
        return len(msgspec.msgpack.decode(settings, type=dict[str, msgspec.Raw])) if settings else 0
    except (msgspec.DecodeError, UnicodeDecodeError):
        return 0
