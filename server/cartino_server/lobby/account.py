"""A person's account: their SSH keys, and what is stored about them."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Final

import msgspec
import structlog

from cartino_protocol.accounts import (
    Account,
    AccountRating,
    AccountView,
    AddKey,
    DeleteAccount,
    DropKey,
    KeyAction,
    KeyCode,
    KeyLine,
    Keys,
    KeysView,
)
from cartino_protocol.base import DECODE_ERRORS
from cartino_protocol.commands import Profile
from cartino_protocol.records import BOT_MARK
from cartino_protocol.refusals import Refusal, RefusalReason
from cartino_protocol.views import Bye, ProfileView
from cartino_server.deals.store import attempts_of
from cartino_server.environment import Ports, unix_time
from cartino_server.lobby.key_codes import GOOD_FOR, KeyCodes
from cartino_server.lobby.moderation import Moderation, RecentVisitors
from cartino_server.lobby.people.names import key_of, marked_name
from cartino_server.lobby.people.preferences import SettingsStore
from cartino_server.lobby.people.presence import PresenceRegistry
from cartino_server.lobby.queries import Queries
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.store.journal import Journal
from cartino_server.store.people import NEW_PERSON_PREFIX, KnownKey, PeopleDatabase, PersonKeys
from cartino_server.store.personal_data import ReportCounts, count_reports, delete_person
from cartino_server.table.link import Person
from cartino_server.table.saving import rewrite_without_person
from cartino_server.visitors import BOT_PERSON_PREFIX, BecomeBot, is_bot_person

AccountQuery = Account | DeleteAccount
KeyQuery = Keys | KeyCode | AddKey | DropKey

LEAST_OF_A_FINGERPRINT: Final = 8
"""Characters after "SHA256:" that identify a key."""
_KIND: Final = "SHA256:"
_ID_BYTES: Final = 16
"""Random bytes in a new person's id."""

_log = structlog.get_logger(__name__)

_NOT_ADDED: Final[dict[str, RefusalReason]] = {"yours": "key-yours", "too-many": "too-many-keys"}
_NOT_DROPPED: Final[dict[str, RefusalReason]] = {"unknown": "unknown-key", "last": "last-key"}


class KeyManager:
    """Answers queries about keys, and ends links whose key moved to another person."""

    def __init__(
        self,
        people_db: PeopleDatabase | None,
        ports: Ports,
        presence: PresenceRegistry,
        moderation: Moderation,
        queries: Queries,
        moved: Callable[[str], object],
    ) -> None:
        """Without a `people_db` nobody has keys. `moved(fingerprint)` ends the connections of a key that moved."""
        self.moved = moved
        self._keys = None if people_db is None else PersonKeys(people_db)
        self._codes = KeyCodes(ports.entropy, ports.clock)
        self._ports = ports
        self._presence = presence
        self._moderation = moderation
        self._queries = queries

    async def answer_key_query(
        self, person: Person, command: KeyQuery, connection: int = 0
    ) -> KeysView | Refusal:
        """Answer a query of `person`, who uses that connection. Raises NotSaved."""
        if self._keys is None or not person.key:
            return Refusal("no-key")
        known = await self._keys.keys_of(person.id)
        if all(key.fingerprint != person.key for key in known):
            # The key was added to another person, or dropped, after they logged in.
            return Refusal("key-moved")
        match command:
            case Keys():
                return _keys_view(known, person.key)
            case _ if is_bot_person(person.id):
                # Another key could take the account's place, or leave it as a person's.
                return Refusal("bot-account")
            case AddKey() | DropKey() if self._moderation.is_muted(person.id, connection):
                # The key would sign in as somebody who isn't.
                return Refusal("account-muted")
            case KeyCode():
                return _keys_view(known, person.key, "code", self._codes.make(person.id))
            case AddKey():
                return await self._add(self._keys, person, command.code, known)
            case DropKey():
                return await self._drop(self._keys, person, command.fingerprint, known)

    async def fingerprints(self, person: Person) -> tuple[str, ...]:
        """Return the keys of `person`. Raises NotSaved."""
        known = () if self._keys is None else await self._keys.keys_of(person.id)
        return tuple(key.fingerprint for key in known)

    async def make_bot(self, person: Person) -> None:
        """Make the key of `person`, whose account was deleted, a bot account's. Raises NotSaved."""
        assert self._keys is not None
        await self._keys.make_bot(
            person.key, f"{BOT_PERSON_PREFIX}{self._ports.entropy(_ID_BYTES).hex()}", self._now()
        )
        self.moved(person.key)

    async def carry_mutes(self, person: str, key: str) -> None:
        """Mute the person of `key`, which was the key of `person`, wherever `person` is muted. Raises NotSaved."""
        if self._keys is not None:
            await self._queries.carry_mutes(person, await self._keys.whose(key))

    def forget_code(self, person: str) -> None:
        """Drop the pending code of a person whose keys have changed, or who deletes their account."""
        self._codes.forget(person)

    async def has_room(self, person: Person) -> bool:
        """Return whether another key of `person` can be stored. Raises NotSaved."""
        return self._keys is not None and await self._keys.has_room(person.id, self._now())

    async def _add(
        self, keys: PersonKeys, person: Person, typed: str, known: Sequence[KnownKey]
    ) -> KeysView | Refusal:
        if self._presence.seats.tables_of(person.id):
            # The seat would belong to nobody.
            return Refusal("key-seated")
        if not self._codes.may_try(person.id):
            return Refusal("too-many-tries")
        owner = self._codes.redeem_code(person.id, typed)
        if owner is None:
            return Refusal("bad-code")
        if owner == person.id:
            return Refusal("key-yours")
        added = await keys.add(owner, person.key, self._now())
        if added in _NOT_ADDED:
            return Refusal(_NOT_ADDED[added])
        self.forget_code(person.id)
        if len(known) == 1:
            # Nobody can log in as that person any more.
            self._presence.people.book.forget(person.id)
            self._queries.erase(person.id)
        # A link that went on as the old person could not be banned, and would lose its seat.
        self._let_go(person.key, person.id, Bye("key-added"))
        await self.carry_mutes(person.id, person.key)
        return _keys_view(await keys.keys_of(owner), person.key, "added")

    async def _drop(
        self, keys: PersonKeys, person: Person, typed: str, known: Sequence[KnownKey]
    ) -> KeysView | Refusal:
        wanted = typed.strip().removeprefix(_KIND)
        meant = [key.fingerprint for key in known if key.fingerprint.removeprefix(_KIND).startswith(wanted)]
        if len(wanted) < LEAST_OF_A_FINGERPRINT or len(meant) != 1:
            return Refusal("unknown-key", typed)
        fresh = f"{NEW_PERSON_PREFIX}{self._ports.entropy(_ID_BYTES).hex()}"
        dropped = await keys.drop(person.id, meant[0], fresh, self._now())
        if dropped in _NOT_DROPPED:
            return Refusal(_NOT_DROPPED[dropped], typed)
        # The dropped key may have made it.
        self.forget_code(person.id)
        view = _keys_view(await keys.keys_of(person.id), person.key, "dropped")
        self._let_go(meant[0], person.id, Bye("key"))
        await self.carry_mutes(person.id, meant[0])
        return view

    def _let_go(self, key: str, person: str, bye: Bye) -> None:
        """End the links of `person` by a key that moved, so that its owner logs in again."""
        self._moderation.send_away(lambda link: link.person.key == key and link.person.id == person, bye)
        self.moved(key)

    def _now(self) -> int:
        return unix_time(self._ports.now())


def _keys_view(known: Sequence[KnownKey], here: str, done: KeyAction = "", code: str = "") -> KeysView:
    lines = tuple(
        KeyLine(key.fingerprint, _moment(key.added), _moment(key.used), key.fingerprint == here)
        for key in known
    )
    return KeysView(lines, done, code, round(GOOD_FOR / 60) if code else 0)


def _moment(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if seconds else ""


class AccountData(msgspec.Struct, frozen=True, eq=False):
    """Shows what is stored about a person, and deletes it.

    A deletion is noted in the journal first; then tables, the journal's games and the people database forget the
    person. Only then is it noted as done, so that a restart finishes what was cut short.

    Call `erased` when all else of a person is deleted.
    """

    _journal: Journal
    _people_db: PeopleDatabase | None
    keys: KeyManager
    _presence: PresenceRegistry
    _registry: TableRegistry
    _moderation: Moderation
    _visitors: RecentVisitors
    _queries: Queries
    settings: SettingsStore
    _ports: Ports
    _erased: Callable[[str], Awaitable[object]]
    _going: set[str] = msgspec.field(default_factory=set)

    def is_going(self, person: str) -> bool:
        """Return whether the person's account is being deleted."""
        return person in self._going

    async def answer_account_query(
        self, person: Person, name: str, command: AccountQuery | BecomeBot, connection: int = 0
    ) -> AccountView | Refusal:
        """Return what is stored about `person`, called `name`; delete it; or make their key a bot's.

        Raises NotSaved, JournalClosed.
        """
        if person.guest:
            return AccountView(name, guest=True) if isinstance(command, Account) else Refusal("no-key")
        if person.id in self._going:
            return Refusal("busy")
        if isinstance(command, Account):
            return await self._view(person, name)
        if self._moderation.is_muted(person.id, connection):
            # A new account would end their mute.
            return Refusal("account-muted")
        if key_of(command.name.strip()) != key_of(name):
            return Refusal("account-name", name)
        if isinstance(command, BecomeBot):
            return await self._become_bot(person, name)
        await self.erase(person.id, self._ports.authors.mark(person.id))
        return AccountView(name, done="deleted")

    async def _become_bot(self, person: Person, name: str) -> AccountView | Refusal:
        """Delete the account, in which nothing was played yet, and make its key that of a bot account."""
        if is_bot_person(person.id):
            return Refusal("bot-account")
        has_played = self._presence.people.book.has_played(person.id) or await self._journal.count_games(
            person.id
        )
        if has_played or len(await self.keys.fingerprints(person)) > 1:
            return Refusal("bot-late")
        if not await self.keys.has_room(person):
            return Refusal("too-many-keys")
        if self._presence.seats.tables_of(person.id):
            return Refusal("bot-late")
        await self.erase(person.id, self._ports.authors.mark(person.id))
        await self.keys.make_bot(person)
        return AccountView(marked_name(name, BOT_MARK), done="bot")

    async def finish(self) -> None:
        """Finish deletions that a restart cut short. Raises NotSaved, JournalClosed."""
        for person, mark in await self._journal.erasing():
            await self.erase(person, mark)

    async def erase(self, person: str, mark: str) -> None:
        """Delete the person and what their author mark wrote. Raises NotSaved, JournalClosed; then it is resumed."""
        self._going.add(person)
        self.keys.forget_code(person)
        try:
            await self._erase(person, mark)
        finally:
            self._going.discard(person)
        _log.info("account_deleted")

    async def _erase(self, person: str, mark: str) -> None:
        rewrite = rewrite_without_person(person, mark)
        self._moderation.send_away(lambda link: link.person.id == person, Bye("deleted"))
        # First, so that a restart knows of it whatever happens next.
        await self._journal.erase(person, mark, rewrite)
        for task in tuple(self._registry):
            await task.erase(person)
        # Again, for what tables have written meanwhile.
        await self._journal.erase(person, mark, rewrite)
        self._queries.history.forget()
        keys: Collection[str] = ()
        if self._people_db is not None:
            work = partial(delete_person, person=person, fresh=lambda: self._ports.entropy(_ID_BYTES).hex())
            keys = await self._people_db.do(work)
        self._presence.people.book.forget(person)
        self.settings.forget(person)
        self._queries.erase(person)
        self._presence.forget(person)
        self._visitors.forget(person)
        await self._erased(person)
        await self._journal.erased(person)
        for key in keys:
            self.keys.moved(key)
            await self.keys.carry_mutes(person, key)

    async def _view(self, person: Person, name: str) -> AccountView:
        counts, attempts = ReportCounts(0, 0), 0
        if self._people_db is not None:
            attempts = len(await self._people_db.do(partial(attempts_of, person=person.id)))
            counts = await self._people_db.do(partial(count_reports, person=person.id))
        profile = await self._queries.profiles.profile(person, name, Profile())
        ratings = profile.ratings if isinstance(profile, ProfileView) else ()
        mark = self._ports.authors.mark(person.id)
        return AccountView(
            name=name,
            keys=await self.keys.fingerprints(person),
            games=await self._journal.count_games(person.id),
            ratings=tuple(AccountRating(line.game, line.rating) for line in ratings),
            settings=_count_settings(await self.settings.read(person.id)),
            ignored=await self._queries.mutes.names_of(person.id),
            invitations=tuple(
                line.code for line in self._queries.invitations.invitations_of(person.id).lines
            ),
            tables=tuple(sorted(self._presence.seats.tables_of(person.id))),
            chat=sum(task.table.chat.count_of(mark) for task in self._registry),
            reports=counts.reports_by,
            reported=counts.reports_about,
            attempts=attempts,
        )


def _count_settings(settings: bytes) -> int:
    try:
        return len(msgspec.msgpack.decode(settings, type=dict[str, msgspec.Raw])) if settings else 0
    except DECODE_ERRORS:
        return 0
