"""Decide who may log in, and track who is connected.

Applies the login rules, bans and per-person limits once a key is known, and disconnects people who are removed.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Collection, Iterable
from typing import Final

import msgspec
import structlog

from cartino_protocol.notices import Expulsion, expulsion_message
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import EMPTY_MESSAGE, LazyMessage, lazy_gettext, lazy_ngettext
from cartino_protocol.views import Bye
from cartino_server.lobby.moderation import Moderation
from cartino_server.lobby.names import GUEST, looks, usable_name
from cartino_server.networks import Networks, source_of
from cartino_server.operations.capacity import CapacityLimits, ConnectionSlot, Newcomer, decide_admission
from cartino_server.operations.settings import ServerSettings
from cartino_server.ssh.authentication import LoginRequest, LoginResult
from cartino_server.store.moderation import Ban, BanList
from cartino_server.store.people import PersonKeys
from cartino_server.store.port import NotSaved

MAX_REFUSED_CONNECTIONS: Final = 20
"""Connections that may stay for as long as it takes to read why they were refused; of a banned key, or of the guests of
one network whose name is banned, only the last."""
FAREWELL_SECONDS: Final = 1.5
"""Seconds that what runs for somebody has to end itself with its own last word, before the connection is closed."""

GUESTS_REFUSED: Final = Refusal("no-key").words()
SERVER_DRAINING: Final = lazy_gettext(
    "The house is about to end, and only those come in who have a seat in a game that runs; try again later."
)
KEY_MOVED: Final = Refusal("key-moved").words()
SERVER_FULL: Final = lazy_gettext("The house is full, and everybody here has a seat; come back in a while.")
_GUEST_PREFIX: Final = "guest:"
LOOKUP_FAILED: Final = lazy_gettext("The house can't look up who you are just now; come back in a moment.")

_log = structlog.get_logger(__name__)


class LoginRules(msgspec.Struct, frozen=True):
    """What the settings say of the door.

    `guests`: whether people without a key come in; `each`: the most connections of a person, `most` of all,
    `each_source` those that a source may have, 0 for any number;
    `admins`: the fingerprints of the hosts' keys, for which nothing of all this holds; `exempt`: where guests come
    from who are not counted together.
    """

    guests: bool = True
    each: int = 0
    admins: frozenset[str] = frozenset()
    exempt: Networks = Networks(())
    most: int = 0
    each_source: int = 0


def login_rules(settings: ServerSettings) -> LoginRules:
    """The rules that `settings` make."""
    return LoginRules(
        settings.guests,
        settings.connections_a_person,
        frozenset(settings.admins),
        Networks(settings.exempt),
        settings.connections,
        settings.connections_each,
    )


class ActiveConnection(msgspec.Struct, frozen=True):
    """A connection that was let in; the fields are those of the `LoginRequest`. `since` in Unix seconds."""

    connection: int
    source: str
    person: str
    key: str
    user: str
    client: str
    since: float


class Removal(msgspec.Struct, frozen=True):
    """Why somebody has to go, or doesn't come in; `text` and `until` as in `hosts_words.expelled`."""

    why: Expulsion
    text: str = ""
    until: str = ""

    @property
    def bye(self) -> Bye:
        """What their links are told."""
        return Bye(self.why, self.text, self.until)

    @property
    def sentence(self) -> LazyMessage:
        """The same for whatever has no link."""
        return expulsion_message(self.why, self.text, self.until)


def is_guest(person: str) -> bool:
    """Whether the person of that id has no key."""
    return person.startswith(_GUEST_PREFIX)


def find_name_ban(bans: BanList, name: str) -> Ban | None:
    """A ban of what somebody is called, or of a name that looks like it; whether they are a guest tells nothing.

    `name` may be what they would like to be called, of which the house makes a name.
    """
    if not (name and bans.has_names):
        return None
    return bans.of("name", *looks(name.removeprefix(GUEST)), *looks(usable_name(name)))


class ServerAuthenticator:
    """An `Authenticator` that applies the rules and bans of this server. Its input is already cleaned."""

    def __init__(
        self,
        keys: PersonKeys,
        bans: BanList,
        hand: Moderation,
        rules: LoginRules,
        *,
        dismiss: Callable[[int, LazyMessage], object],
        count: Callable[[str], object] = lambda _: None,
        outside: Callable[[], int] = lambda: 0,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`keys` say who somebody is; `dismiss(connection, farewell)` ends a connection.

        `count(kind)` counts those who are refused, `outside()` are there who have not logged in, `now` is the wall
        clock.
        """
        self.rules = rules
        self._keys = keys
        self._bans = bans
        self._hand = hand
        self._dismiss = dismiss
        self._count = count
        self._outside = outside
        self._now = now
        self._present: dict[int, ActiveConnection] = {}
        self._connections: dict[str, set[int]] = {}
        self._claims: set[int] = set()
        """Guests who came to a full house in which one of them is missed."""
        self._refused: dict[int, str] = {}
        """Those who were refused and have not left; those who are banned by whom they are counted by, others by ""."""
        self._moves = 0
        """How many keys became another person's so far."""

    # What the door asks.

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        """Return the person that logs in, or why they are refused."""
        person = f"{_GUEST_PREFIX}{secrets.token_hex(8)}"
        if newcomer.key:
            try:
                person = await self._person_of(newcomer.key)
            except NotSaved as error:
                _log.warning("nobody knows who that is", connection=newcomer.connection, why=str(error))
                if newcomer.key not in self.rules.admins:
                    self._linger(newcomer.connection)
                    return LoginResult(refused=LOOKUP_FAILED)
                # Now of all times a host has to come in; it may be that they are somebody else otherwise.
                person = newcomer.key
        # A number is used once; whatever says otherwise must not leave the first one's place taken for ever.
        self.left(newcomer.connection)
        # From here to the list nothing is waited for: two at once would both be the last that there is room for.
        kind, refused = self._refusal(newcomer, person)
        if kind:
            self._count(kind)
            _log.info("refused at the door", connection=newcomer.connection, why=kind)
            # Whoever is banned comes as often as they like, and takes no place of others at home for it.
            banned = newcomer.key or f"guests of {source_of(newcomer.source).network}"
            self._linger(newcomer.connection, banned if kind == "banned" else "")
            return LoginResult(person, refused)
        self._present[newcomer.connection] = ActiveConnection(
            newcomer.connection,
            newcomer.source,
            person,
            newcomer.key,
            newcomer.user,
            newcomer.client,
            self._now(),
        )
        self._connections.setdefault(person, set()).add(newcomer.connection)
        return LoginResult(person)

    def left(self, connection: int) -> None:
        """Forget a connection that has ended."""
        self._refused.pop(connection, None)
        self._claims.discard(connection)
        present = self._present.pop(connection, None)
        if present is not None:
            connections = self._connections[present.person]
            connections.discard(connection)
            if not connections:
                del self._connections[present.person]

    def admits(self, connection: int, person: str) -> bool:
        """Whether that connection was let in, as that person, and not sent away since."""
        present = self._present.get(connection)
        return present is not None and present.person == person

    def network_of(self, connection: int) -> str:
        """The network that a connection comes from; "" for one that is not here, or where nobody is counted by it."""
        present = self._present.get(connection)
        if present is None or self.rules.exempt.has(present.source):
            return ""
        return source_of(present.source).network

    def address_of(self, connection: int) -> str:
        """The address that a connection comes from; "" for one that is not here."""
        present = self._present.get(connection)
        return "" if present is None else present.source

    def is_admin(self, connection: int) -> bool:
        """Whether that connection came with the key of a host."""
        present = self._present.get(connection)
        return present is not None and present.key in self.rules.admins

    def is_banned(self, source: str) -> bool:
        """Whether nobody comes in from that address."""
        return self._bans.of_source(source) is not None

    def why_banned(self, source: str) -> str:
        """What is told in English to whoever comes from there, "" where there is no ban."""
        ban = self._bans.of_source(source)
        return "" if ban is None else str(Removal("banned-source", ban.reason, ban.ends).sentence)

    def voice_ban(self, person: str, connection: int = 0) -> Ban | None:
        """Why nobody hears that person, if so; a guest also for where they come from, or where that connection does."""
        by = [connection] if connection else self._connections.get(person, ())
        return self._bans.of("voice", person, *(self.networks_of(by) if is_guest(person) else ()))

    def networks_of(self, connections: Iterable[int]) -> tuple[str, ...]:
        """Where those of the connections that are here come from, each network once."""
        sources = (self._present[number].source for number in connections if number in self._present)
        return tuple(dict.fromkeys(source_of(source).network for source in sources if source))

    def moved(self, fingerprint: str) -> None:
        """That key is another person's now: who is connected by it has to go, and comes again as whom it is."""
        self._moves += 1
        gone = [present.connection for present in self._present.values() if present.key == fingerprint]
        loop = asyncio.get_running_loop()
        for connection in gone:
            self.left(connection)
            loop.call_later(FAREWELL_SECONDS, self._dismiss, connection, KEY_MOVED)

    # What the host asks.

    def present(self) -> tuple[ActiveConnection, ...]:
        """Who is connected, in the order they came."""
        return tuple(self._present.values())

    def send_away(self, connections: Collection[int], why: Removal) -> None:
        """End those connections: nothing more begins for them, and what runs takes its leave by itself at first."""
        gone = frozenset(connections)
        self._hand.send_away(lambda link: link.connection in gone, why.bye)
        loop = asyncio.get_running_loop()
        for connection in gone:
            self.left(connection)
            loop.call_later(FAREWELL_SECONDS, self._dismiss, connection, why.sentence)

    def apply_bans(self) -> int:
        """Send everybody away who would not be let in any more; how many connections."""
        gone: dict[Removal, list[int]] = {}
        names = {number: seen.name for seen in self._hand.seen() for number in seen.connections}
        for present in self._present.values():
            called = [present.user, names.get(present.connection, "")]
            why = self._banned(present.person, present.source, called)
            if why is not None and present.key not in self.rules.admins:
                gone.setdefault(why, []).append(present.connection)
        for why, connections in gone.items():
            self.send_away(connections, why)
        return sum(map(len, gone.values()))

    async def _person_of(self, key: str) -> str:
        """Whose key that is. Raises NotSaved."""
        while True:
            moves = self._moves
            person = await self._keys.person_of(key, int(self._now()))
            # Who is not on the list yet is not sent away with those who are.
            if moves == self._moves:
                return person

    def _refusal(self, newcomer: LoginRequest, person: str) -> tuple[str, LazyMessage]:
        """The kind of refusal, "" for none, and what is said."""
        rules = self.rules
        if newcomer.key in rules.admins:
            return "", EMPTY_MESSAGE
        if not newcomer.key and not rules.guests:
            return "guests", GUESTS_REFUSED
        banned = self._banned(person, newcomer.source, [newcomer.user])
        if banned is not None:
            return "banned", banned.sentence
        if self._hand.is_ending and not self._hand.may_come(person):
            return "ending", SERVER_DRAINING
        if rules.each and len(self._connections.get(person, ())) >= rules.each:
            return "person", lazy_ngettext(
                "You are connected here already, and more than {n} connection is too many; close it first.",
                "You have {n} connections here already, which is as many as can be; close one first.",
                rules.each,
            )
        return ("", EMPTY_MESSAGE) if self._has_place(newcomer, person) else ("full", SERVER_FULL)

    def _has_place(self, newcomer: LoginRequest, person: str) -> bool:
        """Whether there is a place for a newcomer, or was another's who had to give it up for them."""
        rules = self.rules
        outside = self._outside()
        if not rules.most or len(self._present) + outside < rules.most:
            return True
        source = self._counted(newcomer.source)
        comer = Newcomer(person, source, not newcomer.key, self._hand.may_come(person))
        admission = decide_admission(
            comer, self._places(), outside, CapacityLimits(rules.most, rules.each_source)
        )
        if admission.instead_of:
            gone = admission.instead_of
            _log.info("makes room", connection=gone, person=self._present[gone].person)
            self.send_away([gone], Removal("full"))
        if admission.claims:
            self._claims.add(newcomer.connection)
        return admission.comes

    def _places(self) -> list[ConnectionSlot]:
        stays, now = self._hand.stays(), self._now()
        places = []
        for number, present in self._present.items():
            # A wall clock may be set back.
            age, stay = max(0.0, now - present.since), stays.get(number)
            person = present.person if stay is None else stay.person
            place = ConnectionSlot(
                number,
                person,
                self._counted(present.source),
                guest=not present.key,
                seat=self._hand.seat_of(person),
                stands=stay is not None and stay.stands,
                runs=stay is not None,
                quiet=age if stay is None else stay.quiet,
                age=age,
                host=present.key in self.rules.admins,
                claims=number in self._claims and person == present.person,
            )
            places.append(place)
        return places

    def _counted(self, source: str) -> str:
        """The address, "" for one by which nobody is counted."""
        return "" if self.rules.exempt.has(source) else source

    def _linger(self, connection: int, banned: str = "") -> None:
        """Somebody was refused, and may read why, unless too many do: then the first of them is sent away.

        Who is `banned` goes before: of those that are so by one key there is but one.
        """
        gone = [number for number, by in self._refused.items() if banned and by == banned]
        self._refused[connection] = banned
        if not gone and len(self._refused) > MAX_REFUSED_CONNECTIONS:
            gone = [next(iter(self._refused))]
        for number in gone:
            del self._refused[number]
            self._dismiss(number, EMPTY_MESSAGE)

    def _banned(self, person: str, source: str, names: Iterable[str]) -> Removal | None:
        """Why somebody has to go who is that person, comes from there, and is called so."""
        found: tuple[tuple[Expulsion, Ban | None], ...] = (
            ("banned", self._bans.of("person", person)),
            ("banned-source", self._bans.of_source(source)),
            *(("banned-name", find_name_ban(self._bans, name)) for name in names),
        )
        return next((Removal(why, ban.reason, ban.ends) for why, ban in found if ban is not None), None)
