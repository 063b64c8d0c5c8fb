"""Decide who may log in.

Applies the login rules, bans and per-person limits once a key is known, and disconnects people who are removed.
"""

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
from cartino_server.lobby.moderation import Moderation, Overview, find_name_ban
from cartino_server.lobby.people.connections import ActiveConnection, Connections
from cartino_server.networks import source_of
from cartino_server.operations.capacity import CapacityLimits, ConnectionSlot, Newcomer, decide_admission
from cartino_server.operations.settings import ServerSettings
from cartino_server.store.moderation import GUEST_PREFIX, Ban, BanList
from cartino_server.store.people import PersonKeys
from cartino_server.store.port import NotSaved
from cartino_server.visitors import LoginRequest, LoginResult

MAX_REFUSED_CONNECTIONS: Final = 20
"""Refused connections that stay open to read the reason; per banned key or network of guests, only the last."""

GUESTS_REFUSED: Final = Refusal("no-key").words()
SERVER_DRAINING: Final = lazy_gettext(
    "The server is about to stop. Only players with a seat in a running game can come in; try again later."
)
SERVER_FULL: Final = lazy_gettext("The server is full, and everyone on it has a seat. Try again later.")
LOOKUP_FAILED: Final = lazy_gettext("The server can't look up your account right now. Try again in a moment.")

_log = structlog.get_logger(__name__)


class Removal(msgspec.Struct, frozen=True):
    """Why somebody is disconnected or refused; `text` and `until` are those of `expulsion_message`."""

    why: Expulsion
    text: str = ""
    until: str = ""

    @property
    def bye(self) -> Bye:
        """The message for links."""
        return Bye(self.why, self.text, self.until)

    @property
    def sentence(self) -> LazyMessage:
        """The message for connections without a link."""
        return expulsion_message(self.why, self.text, self.until)


class ServerAuthenticator:
    """An `Authenticator` that applies settings and bans. Its input is already cleaned."""

    def __init__(
        self,
        keys: PersonKeys,
        bans: BanList,
        connections: Connections,
        moderation: Moderation,
        overview: Overview,
        settings: ServerSettings,
        *,
        count: Callable[[str], object] = lambda _: None,
        outside: Callable[[], int] = lambda: 0,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`count(kind)` counts a refusal, `outside()` returns the number of connections that have not logged in.

        `now` is the wall clock.
        """
        self._keys = keys
        self._bans = bans
        self.active = connections
        self._moderation = moderation
        self._overview = overview
        self._refused: dict[int, str] = {}
        """Refused connections that stay open to read the reason: the banned key or network of each, else ""."""
        self._count = count
        self._outside = outside
        self._now = now
        self._claims: set[int] = set()
        """Connections of guests who were admitted to a full server to resume a game."""
        self.configure(settings)

    def configure(self, settings: ServerSettings) -> None:
        """Apply `settings` to new connections."""
        self._settings = settings
        self.active.configure(settings.exempt, settings.admins)

    # For the SSH listener.

    def is_banned(self, source: str) -> bool:
        """Return whether the address is banned."""
        return self._bans.of_source(source) is not None

    def why_banned(self, source: str) -> str:
        """Return the English message for a banned address, "" if it isn't banned."""
        ban = self._bans.of_source(source)
        return "" if ban is None else str(Removal("banned-source", ban.reason, ban.ends).sentence)

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        """Return the person that logs in, or why they are refused."""
        person = f"{GUEST_PREFIX}{secrets.token_hex(8)}"
        if newcomer.key:
            try:
                person = await self._person_of(newcomer.key)
            except NotSaved as error:
                _log.warning("key not looked up", connection=newcomer.connection, why=str(error))
                if newcomer.key not in self.active.admins:
                    self._let_read(newcomer.connection)
                    return LoginResult(refused=LOOKUP_FAILED)
                # An admin must be able to log in now, even as another person.
                person = newcomer.key
        # Numbers are used once; if not, the first must not keep its place forever.
        self.forget_connection(newcomer.connection)
        # No await until the connection is recorded: two at once would get the same place.
        kind, refused = self._refusal(newcomer, person)
        if kind:
            self._count(kind)
            _log.info("login refused", connection=newcomer.connection, why=kind)
            # Retries of somebody banned must not take places of others in their network.
            banned = newcomer.key or f"guests of {source_of(newcomer.source).network}"
            self._let_read(newcomer.connection, banned if kind == "banned" else "")
            return LoginResult(person, refused)
        self.active.add(
            ActiveConnection(
                newcomer.connection,
                newcomer.source,
                person,
                newcomer.key,
                newcomer.user,
                newcomer.client,
                self._now(),
            )
        )
        return LoginResult(person)

    def forget_connection(self, connection: int) -> None:
        """Forget a connection that has ended."""
        self._refused.pop(connection, None)
        self._claims.discard(connection)
        self.active.remove(connection)

    # For admin commands.

    def send_away(self, connections: Collection[int], why: Removal) -> None:
        """Disconnect `connections`: apps end by themselves first, nothing new starts."""
        gone = frozenset(connections)
        self._moderation.send_away(lambda link: link.connection in gone, why.bye)
        for connection in gone:
            self.forget_connection(connection)
        self.active.dismiss(gone, why.sentence)

    def apply_bans(self) -> int:
        """Disconnect everybody whom a ban applies to; return the number of connections."""
        gone: dict[Removal, list[int]] = {}
        names = {number: seen.name for seen in self._overview.list_online() for number in seen.connections}
        for present in self.active:
            called = [present.user, names.get(present.connection, "")]
            why = self._removal_of(present.person, present.source, called)
            if why is not None and present.key not in self.active.admins:
                gone.setdefault(why, []).append(present.connection)
        for why, connections in gone.items():
            self.send_away(connections, why)
        return sum(map(len, gone.values()))

    def _let_read(self, connection: int, banned: str = "") -> None:
        """Let a refused connection stay: of one `banned` key or network the newest, of all the newest ones."""
        gone = [number for number, by in self._refused.items() if banned and by == banned]
        self._refused[connection] = banned
        if not gone and len(self._refused) > MAX_REFUSED_CONNECTIONS:
            gone = [next(iter(self._refused))]
        for number in gone:
            del self._refused[number]
            self.active.close(number)

    def _removal_of(self, person: str, source: str, names: Iterable[str]) -> Removal | None:
        """Return why a person at that address, with these names, is removed; None if no ban applies."""
        found: tuple[tuple[Expulsion, Ban | None], ...] = (
            ("banned", self._bans.find_ban("person", person)),
            ("banned-source", self._bans.of_source(source)),
            *(("banned-name", find_name_ban(self._bans, name)) for name in names),
        )
        return next((Removal(why, ban.reason, ban.ends) for why, ban in found if ban is not None), None)

    async def _person_of(self, key: str) -> str:
        """Return the owner of a key. Raises NotSaved."""
        while True:
            moves = self.active.keys_moved
            person = await self._keys.person_of(key, int(self._now()))
            # `key_moved` doesn't see this connection yet.
            if moves == self.active.keys_moved:
                return person

    def _refusal(self, newcomer: LoginRequest, person: str) -> tuple[str, LazyMessage]:
        """Return the kind of refusal, "" for none, and its message."""
        settings = self._settings
        if newcomer.key in settings.admins:
            return "", EMPTY_MESSAGE
        if not newcomer.key and not settings.guests:
            return "guests", GUESTS_REFUSED
        banned = self._removal_of(person, newcomer.source, [newcomer.user])
        if banned is not None:
            return "banned", banned.sentence
        if self._moderation.is_draining and not self._overview.may_come(person):
            return "ending", SERVER_DRAINING
        most = settings.connections_a_person
        if most and len(self.active.numbers_of(person)) >= most:
            return "person", lazy_ngettext(
                "You're already connected, and only {n} connection is allowed. Close the other one first.",
                "You already have {n} connections, the most allowed. Close one first.",
                most,
            )
        return ("", EMPTY_MESSAGE) if self._has_place(newcomer, person) else ("full", SERVER_FULL)

    def _has_place(self, newcomer: LoginRequest, person: str) -> bool:
        """Return whether there is a place for a newcomer, possibly by evicting another connection."""
        limits = CapacityLimits(self._settings.connections, self._settings.connections_each)
        outside = self._outside()
        if not limits.most or len(self.active) + outside < limits.most:
            return True
        source = self.active.counted(newcomer.source)
        comer = Newcomer(person, source, not newcomer.key, self._overview.may_come(person))
        admission = decide_admission(comer, self._places(), outside, limits)
        if admission.instead_of:
            gone = admission.instead_of
            _log.info("evicted", connection=gone, person=self.active[gone].person)
            self.send_away([gone], Removal("full"))
        if admission.claims:
            self._claims.add(newcomer.connection)
        return admission.comes

    def _places(self) -> list[ConnectionSlot]:
        stays, now = self._overview.stays(), self._now()
        places = []
        for present in self.active:
            number = present.connection
            # The wall clock may be set back.
            age, stay = max(0.0, now - present.since), stays.get(number)
            person = present.person if stay is None else stay.person
            place = ConnectionSlot(
                number,
                person,
                self.active.counted(present.source),
                guest=not present.key,
                seat=self._overview.seat_of(person),
                stands=stay is not None and stay.stands,
                runs=stay is not None,
                quiet=age if stay is None else stay.quiet,
                age=age,
                host=present.key in self.active.admins,
                claims=number in self._claims and person == present.person,
            )
            places.append(place)
        return places
