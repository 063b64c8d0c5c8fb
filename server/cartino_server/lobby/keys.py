"""A person's SSH keys: list, add by a one-time code, and drop.

A key code is valid once, for minutes, and only its keyed hash is kept.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from secrets import token_bytes
from typing import Final

import msgspec

from cartino_protocol.accounts import AddKey, DropKey, KeyAction, KeyCode, KeyLine, Keys, KeysView
from cartino_protocol.base import CODE_ALPHABET
from cartino_protocol.refusals import Refusal, RefusalReason
from cartino_protocol.views import Bye
from cartino_server.lobby.moderation import Moderation
from cartino_server.lobby.people import NameKeeper
from cartino_server.store.people import NEW_PERSON_PREFIX, KnownKey, PeopleDatabase
from cartino_server.store.people import PersonKeys as KeptKeys
from cartino_server.table.environment import Ports, unix_time
from cartino_server.table.link import Person

CODE_LETTERS: Final = 10
"""From an alphabet of 32: 50 bits."""
GOOD_FOR: Final = 600.0
"""Seconds that a code is valid and a wrong try counts."""
MAX_CODES: Final = 100_000
"""Pending codes, and people whose wrong tries are remembered."""
TRIES: Final = 5
"""Wrong tries allowed in that time."""


class _PendingCode(msgspec.Struct, frozen=True):
    person: str
    until: float


class KeyCodes:
    """Pending codes, one per person, as hashes keyed by a secret of this process."""

    def __init__(self, entropy: Callable[[int], bytes], clock: Callable[[], float]) -> None:
        self._entropy = entropy
        self._clock = clock
        self._key = token_bytes(32)
        self._waiting: OrderedDict[bytes, _PendingCode] = OrderedDict()
        self._digests: dict[str, bytes] = {}
        self._wrong: OrderedDict[str, list[float]] = OrderedDict()

    def make(self, person: str) -> str:
        """Return a new code for `person`, which replaces the one before."""
        self._clean()
        letters = "".join(CODE_ALPHABET[byte % len(CODE_ALPHABET)] for byte in self._entropy(CODE_LETTERS))
        self._drop(self._digests.get(person))
        digest = self._digest(letters)
        self._waiting[digest] = _PendingCode(person, self._clock() + GOOD_FOR)
        self._digests[person] = digest
        return f"{letters[: CODE_LETTERS // 2]}-{letters[CODE_LETTERS // 2 :]}"

    def may_try(self, person: str) -> bool:
        """Return whether `person` may try a code now."""
        since = self._clock() - GOOD_FOR
        return sum(at > since for at in self._wrong.get(person, ())) < TRIES

    def take(self, person: str, typed: str) -> str | None:
        """Consume the code that `person` typed and return its owner; None, counted as a wrong try, if there is none."""
        self._clean()
        # A keyed hash is looked up, so the time that it takes reveals nothing.
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
        """Drop what has expired, and the oldest beyond the limit."""
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
    """Return the letters of a typed code: any case, spaces or dashes anywhere."""
    return "".join(letter for letter in typed.upper() if letter.isalnum())


KeyQuery = Keys | KeyCode | AddKey | DropKey

LEAST_OF_A_FINGERPRINT: Final = 8
"""Characters after "SHA256:" that identify a key."""
_KIND: Final = "SHA256:"
_NEW_PERSON_BYTES: Final = 16

_NOT_ADDED: Final[dict[str, RefusalReason]] = {"yours": "key-yours", "too-many": "too-many-keys"}
_NOT_DROPPED: Final[dict[str, RefusalReason]] = {"unknown": "unknown-key", "last": "last-key"}


class KeyManager:
    """Answers queries about keys, and ends links whose key moved to another person."""

    def __init__(
        self, register: PeopleDatabase | None, ports: Ports, names: NameKeeper, moderation: Moderation
    ) -> None:
        """Without a `register` nobody has keys."""
        self.moved: Callable[[str], object] = lambda _: None
        """Called with the fingerprint of a key that moved; replaced when authentication is set up."""
        self._keys = None if register is None else KeptKeys(register)
        self._codes = KeyCodes(ports.entropy, ports.clock)
        self._ports = ports
        self._names = names
        self._moderation = moderation

    async def answer(self, person: Person, command: KeyQuery) -> KeysView | Refusal:
        """Answer a query of `person`. Raises NotSaved."""
        if self._keys is None or not person.key:
            return Refusal("no-key")
        known = await self._keys.of(person.id)
        if all(key.fingerprint != person.key for key in known):
            # The key was added to another person, or dropped, after they logged in.
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
        """Return the keys of `person`. Raises NotSaved."""
        known = () if self._keys is None else await self._keys.of(person.id)
        return tuple(key.fingerprint for key in known)

    async def _add(
        self, keys: KeptKeys, person: Person, typed: str, known: Sequence[KnownKey]
    ) -> KeysView | Refusal:
        if self._moderation.presence.seats.rooms_of(person.id):
            # The seat would belong to nobody.
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
            # Nobody can log in as that person any more.
            self._names.forget(person.id)
        # A link that went on as the old person could not be banned, and would lose its seat.
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
        """End the links of `person` by a key that moved, so that its owner logs in again."""
        self._moderation.send_away(lambda link: link.person.key == key and link.person.id == person, bye)
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
