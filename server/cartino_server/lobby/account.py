"""A person's account: their keys, what is stored about them, and its deletion.

A deletion is noted in the journal first and cleared last, so that a restart finishes it. A key code is valid once, for
minutes, and only its keyed hash is kept.
"""

from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from secrets import token_bytes
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
from cartino_protocol.base import CODE_ALPHABET
from cartino_protocol.commands import Profile, Say
from cartino_protocol.refusals import Refusal, RefusalReason
from cartino_protocol.views import Bye, ProfileView
from cartino_server.lobby.history import GameHistory
from cartino_server.lobby.moderation import Moderation
from cartino_server.lobby.names import key_of
from cartino_server.lobby.people import NameKeeper
from cartino_server.lobby.presence import PresenceRegistry, SeatIndex
from cartino_server.lobby.ratings import Profiles
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.store.data_removal import ReportCounts, count_reports, delete_person
from cartino_server.store.people import NEW_PERSON_PREFIX, KnownKey, PeopleDatabase
from cartino_server.store.people import PersonKeys as KeptKeys
from cartino_server.store.port import Journal
from cartino_server.table.entries import rewrite_without_person
from cartino_server.table.environment import AuthorMarks, Ports, unix_time
from cartino_server.table.link import Person
from cartino_server.table.task import TableTask

CODE_LETTERS: Final = 10
"""Of an alphabet of 32 letters and digits: 50 bits."""
GOOD_FOR: Final = 600.0
"""Seconds that a code is good for, and that a wrong try is held against somebody."""
MAX_CODES: Final = 100_000
"""Codes that wait at once, and persons whose wrong tries are remembered."""
TRIES: Final = 5
"""Wrong tries that one person has in that time."""


class _PendingCode(msgspec.Struct, frozen=True):
    person: str
    until: float


class KeyCodes:
    """The codes that wait, one a person. Of a code only a hash is kept, with a key that this process alone has."""

    def __init__(self, entropy: Callable[[int], bytes], clock: Callable[[], float]) -> None:
        """Codes are made of `entropy`; `clock` is seconds that only rise."""
        self._entropy = entropy
        self._clock = clock
        self._key = token_bytes(32)
        self._waiting: OrderedDict[bytes, _PendingCode] = OrderedDict()
        self._digests: dict[str, bytes] = {}
        self._wrong: OrderedDict[str, list[float]] = OrderedDict()

    def make(self, person: str) -> str:
        """A code for `person` (an id), instead of the one before."""
        self._clean()
        letters = "".join(CODE_ALPHABET[byte % len(CODE_ALPHABET)] for byte in self._entropy(CODE_LETTERS))
        self._drop(self._digests.get(person))
        digest = self._digest(letters)
        self._waiting[digest] = _PendingCode(person, self._clock() + GOOD_FOR)
        self._digests[person] = digest
        return f"{letters[: CODE_LETTERS // 2]}-{letters[CODE_LETTERS // 2 :]}"

    def may_try(self, person: str) -> bool:
        """Whether `person` may try a code now: not after too many that were none."""
        since = self._clock() - GOOD_FOR
        return sum(at > since for at in self._wrong.get(person, ())) < TRIES

    def take(self, person: str, typed: str) -> str | None:
        """Whose code `person` has `typed`; nobody can use it any more. None for no code, which is held against them."""
        self._clean()
        # What is looked up is a keyed hash, so that how long it takes says nothing.
        digest = self._digest(_normalize_code(typed))
        found = self._waiting.get(digest)
        if found is None:
            self._wrong[person] = [*self._wrong.pop(person, ()), self._clock()][-TRIES:]
            return None
        self._drop(digest)
        return found.person

    def _drop(self, digest: bytes | None) -> None:
        gone = None if digest is None else self._waiting.pop(digest, None)
        if gone is not None:
            self._digests.pop(gone.person, None)

    def _digest(self, letters: str) -> bytes:
        return blake2b(letters.encode(errors="surrogatepass"), key=self._key).digest()

    def _clean(self) -> None:
        """Forget what is too old, and the oldest of what is too much."""
        now = self._clock()
        while self._waiting:
            oldest = next(iter(self._waiting))
            if self._waiting[oldest].until > now and len(self._waiting) < MAX_CODES:
                break
            self._drop(oldest)
        while self._wrong:
            who, times = next(iter(self._wrong.items()))
            if times[-1] > now - GOOD_FOR and len(self._wrong) < MAX_CODES:
                break
            del self._wrong[who]


def _normalize_code(typed: str) -> str:
    """The letters of a code as somebody typed it: any case, blanks or dashes anywhere."""
    return "".join(letter for letter in typed.upper() if letter.isalnum())


KeyQuery = Keys | KeyCode | AddKey | DropKey

LEAST_OF_A_FINGERPRINT: Final = 8
"""Characters of one, behind its kind, by which it can be named."""
_KIND: Final = "SHA256:"
_NEW_PERSON_BYTES: Final = 16

_NOT_ADDED: Final[dict[str, RefusalReason]] = {"yours": "key-yours", "too-many": "too-many-keys"}
_NOT_DROPPED: Final[dict[str, RefusalReason]] = {"unknown": "unknown-key", "last": "last-key"}


class KeyManager:
    """Answers what people ask about their keys. Raises NotSaved where the register can't."""

    def __init__(
        self,
        register: PeopleDatabase | None,
        sitting: SeatIndex,
        ports: Ports,
        naming: NameKeeper,
        hand: Moderation,
    ) -> None:
        """Keys are kept in `register`; without one nobody has any. `sitting` is up to date.

        `naming` hears of persons who are nobody any more; `hand` sends away who is here by a key that moved.
        """
        self.moved: Callable[[str], object] = lambda _: None
        """Is told the fingerprint of a key that is another person's now; it may be replaced."""
        self._keys = None if register is None else KeptKeys(register)
        self._codes = KeyCodes(ports.entropy, ports.clock)
        self._seat_index = sitting
        self._ports = ports
        self._naming = naming
        self._hand = hand

    async def answer(self, person: Person, command: KeyQuery) -> KeysView | Refusal:
        """What `person` asked for, or why not. Raises NotSaved."""
        if self._keys is None or not person.key:
            return Refusal("no-key")
        known = await self._keys.of(person.id)
        if all(key.fingerprint != person.key for key in known):
            # It was added to somebody, or dropped, after they came.
            return Refusal("key-moved")
        match command:
            case Keys():
                return _keys_view(known, person.key)
            case KeyCode():
                return _keys_view(known, person.key, "code", self._codes.make(person.id))
            case AddKey():
                return await self._add(self._keys, person, command.code, known)
            case DropKey():
                return await self._drop(self._keys, person, command.fingerprint, known)

    async def fingerprints(self, person: Person) -> tuple[str, ...]:
        """The keys of `person`. Raises NotSaved."""
        known = () if self._keys is None else await self._keys.of(person.id)
        return tuple(key.fingerprint for key in known)

    async def _add(
        self, keys: KeptKeys, person: Person, typed: str, known: Sequence[KnownKey]
    ) -> KeysView | Refusal:
        if self._seat_index.rooms_of(person.id):
            # The seat would be nobody's.
            return Refusal("key-seated")
        if not self._codes.may_try(person.id):
            return Refusal("too-many-tries")
        owner = self._codes.take(person.id, typed)
        if owner is None:
            return Refusal("bad-code")
        if owner == person.id:
            return Refusal("key-yours")
        added = await keys.add(owner, person.key, self._now())
        if added in _NOT_ADDED:
            return Refusal(_NOT_ADDED[added])
        if len(known) == 1:
            # Nobody can come as that one any more.
            self._naming.forget(person.id)
        # Whoever went on as whom they came would be nobody: no ban could name them, and a seat of theirs be lost.
        self._let_go(person.key, person.id, Bye("key-added"))
        return _keys_view(await keys.of(owner), person.key, "added")

    async def _drop(
        self, keys: KeptKeys, person: Person, typed: str, known: Sequence[KnownKey]
    ) -> KeysView | Refusal:
        wanted = typed.strip().removeprefix(_KIND)
        meant = [key.fingerprint for key in known if key.fingerprint.removeprefix(_KIND).startswith(wanted)]
        if len(wanted) < LEAST_OF_A_FINGERPRINT or len(meant) != 1:
            return Refusal("unknown-key", typed)
        fresh = f"{NEW_PERSON_PREFIX}{self._ports.entropy(_NEW_PERSON_BYTES).hex()}"
        dropped = await keys.drop(person.id, meant[0], fresh, self._now())
        if dropped in _NOT_DROPPED:
            return Refusal(_NOT_DROPPED[dropped], typed)
        view = _keys_view(await keys.of(person.id), person.key, "dropped")
        self._let_go(meant[0], person.id, Bye("key"))
        return view

    def _let_go(self, key: str, person: str, bye: Bye) -> None:
        """Who is here as `person` by that key, which is somebody else's now, comes again as whom it is."""
        self._hand.send_away(lambda link: link.person.key == key and link.person.id == person, bye)
        self.moved(key)

    def _now(self) -> int:
        return unix_time(self._ports.now())


def _keys_view(known: Sequence[KnownKey], here: str, done: KeyAction = "", code: str = "") -> KeysView:
    lines = tuple(_key_line(key, here) for key in known)
    return KeysView(lines, done, code, round(GOOD_FOR / 60) if code else 0)


def _key_line(key: KnownKey, here: str) -> KeyLine:
    return KeyLine(key.fingerprint, _moment(key.added), _moment(key.used), key.fingerprint == here)


def _moment(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if seconds else ""


AccountQuery = Account | DeleteAccount

_ID_BYTES = 16

_log = structlog.get_logger(__name__)


class AccountData:
    """Answers what people ask about their accounts, and deletes them, tables and stores alike.

    First the journal knows that it has begun; then the tables forget the person, the journal's games, and the
    register. Only then the journal knows that it is done, so that a start goes on where the server was stopped.
    """

    def __init__(
        self,
        journal: Journal,
        archive: GameHistory,
        register: PeopleDatabase | None,
        building: TableRegistry,
        hall: PresenceRegistry[TableTask],
        hand: Moderation,
        naming: NameKeeper,
        standing: Profiles,
        keyring: KeyManager,
        sitting: SeatIndex,
        authors: AuthorMarks,
        ports: Ports,
    ) -> None:
        """All of them are the house's, and up to date."""
        self._journal = journal
        self._archive = archive
        self._register = register
        self._registry = building
        self._presence = hall
        self._hand = hand
        self._naming = naming
        self._standing = standing
        self._keyring = keyring
        self._seat_index = sitting
        self._authors = authors
        self._ports = ports
        self._going: set[str] = set()

    def is_going(self, person: str) -> bool:
        """Return whether the person's account is being deleted just now, so that they can't come yet."""
        return person in self._going

    async def answer(
        self, person: Person, name: str, command: AccountQuery, connection: int = 0
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
        rewrite = rewrite_without_person(person, mark)
        self._hand.send_away(lambda link: link.person.id == person, Bye("deleted"))
        # So that a start knows of it whatever happens next.
        await self._journal.erase(person, mark, rewrite)
        for runner in tuple(self._registry):
            await runner.erase(person)
        # Once more, for what tables have written meanwhile.
        await self._journal.erase(person, mark, rewrite)
        self._archive.forget()
        keys: Collection[str] = ()
        if self._register is not None:
            keys = await self._register.do(partial(delete_person, person=person, fresh=self._fresh))
        self._naming.forget(person)
        self._presence.erase(person)
        self._hand.forget(person)
        await self._journal.erased(person)
        for key in keys:
            self._keyring.moved(key)

    def _fresh(self) -> str:
        return self._ports.entropy(_ID_BYTES).hex()

    async def _view(self, person: Person, name: str) -> AccountView:
        counts = ReportCounts(0, 0)
        if self._register is not None:
            counts = await self._register.do(partial(count_reports, person=person.id))
        profile = await self._standing.profile(person, name, Profile())
        ratings = profile.ratings if isinstance(profile, ProfileView) else ()
        mark = self._authors.mark(person.id)
        return AccountView(
            name=name,
            keys=await self._keyring.fingerprints(person),
            games=await self._journal.count_games(person.id),
            ratings=tuple(AccountRating(line.game, line.rating) for line in ratings),
            settings=_count_settings(await self._standing.choices(person.id)),
            ignored=tuple(await self._presence.ignoring.names_of(person.id)),
            invitations=tuple(line.code for line in self._presence.cards.of(person.id).lines),
            tables=tuple(sorted(self._seat_index.rooms_of(person.id))),
            chat=sum(runner.room.chat.count_of(mark) for runner in self._registry),
            reports=counts.reports_by,
            reported=counts.reports_about,
        )


def _count_settings(settings: bytes) -> int:
    try:
        return len(msgspec.msgpack.decode(settings, type=dict[str, msgspec.Raw])) if settings else 0
    except (msgspec.DecodeError, UnicodeDecodeError):
        return 0
