"""A person's keys, as they see them and change them: what they ask of the house is answered here."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

from cartino_protocol.own_keys import AddKey, Done, DropKey, KeyCode, KeyLine, Keys, KeysView
from cartino_protocol.refusals import Reason, Refusal
from cartino_protocol.views import Bye
from cartino_server.rooms.hand import Hand
from cartino_server.rooms.key_codes import GOOD_FOR, KeyCodes
from cartino_server.rooms.naming import Naming
from cartino_server.rooms.people import Person
from cartino_server.rooms.ports import Ports, unix_time
from cartino_server.rooms.sitting import Sitting
from cartino_server.store.register.keys import SOMEBODY_NEW, KnownKey
from cartino_server.store.register.keys import Keys as KeptKeys
from cartino_server.store.register.register import Register

KeyEnquiry = Keys | KeyCode | AddKey | DropKey

LEAST_OF_A_FINGERPRINT: Final = 8
"""Characters of one, behind its kind, by which it can be named."""
_KIND: Final = "SHA256:"
_ID_BYTES: Final = 16

_NOT_ADDED: Final[dict[str, Reason]] = {"yours": "key-yours", "too-many": "too-many-keys"}
_NOT_DROPPED: Final[dict[str, Reason]] = {"unknown": "unknown-key", "last": "last-key"}


class Keyring:
    """Answers what people ask about their keys. Raises NotSaved where the register can't."""

    def __init__(
        self,
        register: Register | None,
        sitting: Sitting,
        ports: Ports,
        naming: Naming,
        hand: Hand,
    ) -> None:
        """Keys are kept in `register`; without one nobody has any. `sitting` is up to date.

        `naming` hears of persons who are nobody any more; `hand` sends away who is here by a key that moved.
        """
        self.moved: Callable[[str], object] = lambda _: None
        """Is told the fingerprint of a key that is another person's now; it may be replaced."""
        self._keys = None if register is None else KeptKeys(register)
        self._codes = KeyCodes(ports.entropy, ports.clock)
        self._sitting = sitting
        self._ports = ports
        self._naming = naming
        self._hand = hand

    async def answer(self, person: Person, command: KeyEnquiry) -> KeysView | Refusal:
        """What `person` asked for, or why not. Raises NotSaved."""
        if self._keys is None or not person.key:
            return Refusal("no-key")
        known = await self._keys.of(person.id)
        if all(key.fingerprint != person.key for key in known):
            # It was added to somebody, or dropped, after they came.
            return Refusal("key-moved")
        match command:
            case Keys():
                return _view(known, person.key)
            case KeyCode():
                return _view(known, person.key, "code", self._codes.make(person.id))
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
        if self._sitting.rooms_of(person.id):
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
        return _view(await keys.of(owner), person.key, "added")

    async def _drop(
        self, keys: KeptKeys, person: Person, typed: str, known: Sequence[KnownKey]
    ) -> KeysView | Refusal:
        wanted = typed.strip().removeprefix(_KIND)
        meant = [key.fingerprint for key in known if key.fingerprint.removeprefix(_KIND).startswith(wanted)]
        if len(wanted) < LEAST_OF_A_FINGERPRINT or len(meant) != 1:
            return Refusal("unknown-key", typed)
        fresh = f"{SOMEBODY_NEW}{self._ports.entropy(_ID_BYTES).hex()}"
        dropped = await keys.drop(person.id, meant[0], fresh, self._now())
        if dropped in _NOT_DROPPED:
            return Refusal(_NOT_DROPPED[dropped], typed)
        view = _view(await keys.of(person.id), person.key, "dropped")
        self._let_go(meant[0], person.id, Bye("key"))
        return view

    def _let_go(self, key: str, person: str, bye: Bye) -> None:
        """Who is here as `person` by that key, which is somebody else's now, comes again as whom it is."""
        self._hand.send_away(lambda link: link.person.key == key and link.person.id == person, bye)
        self.moved(key)

    def _now(self) -> int:
        return unix_time(self._ports.now())


def _view(known: Sequence[KnownKey], here: str, done: Done = "", code: str = "") -> KeysView:
    lines = tuple(_line(key, here) for key in known)
    return KeysView(lines, done, code, round(GOOD_FOR / 60) if code else 0)


def _line(key: KnownKey, here: str) -> KeyLine:
    return KeyLine(key.fingerprint, _moment(key.added), _moment(key.used), key.fingerprint == here)


def _moment(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if seconds else ""
