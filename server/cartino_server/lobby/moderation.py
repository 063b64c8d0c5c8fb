"""What the host can do: announce, mute, ban names, send people away, close tables, and drain the server.

Also tells people about their tables that were evicted while they were away.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final

from cartino_protocol.base import parse_code
from cartino_protocol.commands import (
    Command,
    Create,
    Cut,
    Invite,
    Join,
    QuickPlay,
    Rematch,
    Rename,
    Say,
    Sit,
    Start,
)
from cartino_protocol.notices import Announced
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye
from cartino_protocol.wire import encode
from cartino_server.lobby.names import FALLBACK, guest_name, is_guest_name
from cartino_server.lobby.overview import Overview
from cartino_server.lobby.presence import PresenceRegistry
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.store.moderation import Ban
from cartino_server.table.lifetime import EvictionLoss
from cartino_server.table.link import ServerLink

MAX_UNTOLD: Final = 1000
"""People remembered for each kind of loss; who has been away longest is forgotten first."""
MAX_TOLD_EACH: Final = 5
"""Tables that one person is told of: the newest."""


class EvictedTables:
    """The evicted tables that their people have not heard of yet, by person.

    Lost deals are kept apart, so that opening and leaving a thousand tables doesn't displace a lost game.
    """

    def __init__(self) -> None:
        self._games: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._deals: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def note(self, person: str, code: str, loss: EvictionLoss) -> None:
        """Note that the person's table `code` was evicted."""
        if loss is EvictionLoss.NOTHING:
            return
        kept = self._deals if loss is EvictionLoss.DEAL else self._games
        kept[person] = (*kept.pop(person, ()), code)[-MAX_TOLD_EACH:]
        if len(kept) > MAX_UNTOLD:
            kept.popitem(last=False)

    def take(self, person: str) -> tuple[str, ...]:
        """Return the tables to tell the person of, games first, and forget them."""
        return (*self._games.pop(person, ()), *self._deals.pop(person, ()))[:MAX_TOLD_EACH]


CLOSING_WAIT: Final = 5.0
"""Seconds to wait for a closed table's last write before answering the host."""

_MUTED: Final = frozenset({"muted", "muted-until"})
_PublicText = Say | Invite | Rename | Cut
"""Commands whose text others read."""


class Moderation:
    """Applies the host's bans and mutes, and acts on everyone online.

    The functions that look up bans and networks are replaced when authentication is set up.
    """

    def __init__(self, presence: PresenceRegistry, registry: TableRegistry) -> None:
        self.silenced: Callable[[str, int], Ban | None] = lambda _person, _connection: None
        """Find the mute of a person who uses that connection (0: unknown)."""
        self.banned_name: Callable[[str], Ban | None] = lambda _: None
        """Find the ban of a name."""
        self.networks_around: Callable[[int], tuple[str, ...]] = lambda _: ()
        """Find the networks of a connection (see `TableHolding.origin`)."""
        self.address_of: Callable[[int], str] = lambda _: ""
        """Find the address of a connection, "" if unknown."""
        self.is_ending = False
        """Whether the server drains: no new games start."""
        self.overview = Overview(presence, registry)
        self.presence = presence
        self.registry = registry
        self._evicted = EvictedTables()

    def refuses(self, person: str, command: Command, connection: int = 0) -> Refusal | None:
        """Return why `person` may not use `command`: muted, or the server drains."""
        if isinstance(command, _PublicText):
            ban = self.silenced(person, connection)
            if ban is not None:
                return Refusal("muted-until", ban.ends) if ban.ends else Refusal("muted")
        return Refusal("house-ends") if self.is_ending and self._starts_game(command) else None

    def has_refused(self, link: ServerLink, command: Command) -> bool:
        """Refuse `command` of `link` if it is not allowed; return whether it was refused."""
        refusal = self.refuses(link.person.id, command, link.connection)
        if refusal is not None:
            link.refuse(command, refusal.reason, refusal.detail)
            ban = self.silenced(link.person.id, link.connection) if refusal.reason in _MUTED else None
            if ban is not None and ban.reason:
                # They may not have been online when they were muted.
                link.put(Announced("reason", ban.reason))
        return refusal is not None

    def arrived(self, link: ServerLink) -> None:
        """Handle a link that was greeted or became another person: end it if the name is banned."""
        person, name = link.person.id, self.presence.name_of(link)
        self.registry.came(person, self.networks_around(link.connection))
        self.overview.visitors.came(person, name, self.address_of(link.connection))
        ban = self.banned_name(name)
        if ban is not None:
            link.end(Bye("banned-name", ban.reason, ban.ends))
        else:
            self._tell_evicted(person)

    def evicted(self, persons: Iterable[str], code: str, loss: EvictionLoss) -> None:
        """Tell `persons`, who had seats at the evicted table `code`, now or when they return."""
        for person in persons:
            self._evicted.note(person, code, loss)
            if self.presence.people.is_here(person):
                self._tell_evicted(person)

    def announce(self, said: Announced, persons: Iterable[str] | None = None) -> int:
        """Tell everyone online, or only `persons`; return how many people were told."""
        wanted = None if persons is None else frozenset(persons)
        frame, told = encode(said), set()
        for link in self.presence:
            if wanted is None or link.person.id in wanted:
                link.put_view(Announced, frame)
                told.add(link.person.id)
        return len(told)

    def send_away(self, is_meant: Callable[[ServerLink], bool], bye: Bye) -> None:
        """End the links that match, with `bye` as the last answer. Their people keep their seats."""
        for link in [link for link in self.presence.links if is_meant(link)]:
            link.end(bye)

    def take_banned_names(self) -> None:
        """Rename seated people who are offline and have a banned name."""
        people = self.presence.people
        for person in tuple(self.presence.seats):
            name = people.called(person) or ""
            if name and not people.is_here(person) and self.banned_name(name) is not None:
                fallback = guest_name(FALLBACK) if is_guest_name(name) else FALLBACK
                allowed = people.free_name(person, fallback, lambda one: self.banned_name(one) is None)
                self.call(person, allowed)

    def call(self, person: str, name: str) -> None:
        """Rename a person, online or seated, to `name`, which is valid and free."""
        self.presence.people.rename(person, name)
        if self.presence.people.is_here(person):
            self.overview.visitors.came(person, name, "")
        codes = {place.room.code for place in self.presence.places(person)}
        for code in codes.union(self.presence.seats.rooms_of(person)):
            runner = self.registry.get(code)
            if runner is not None:
                runner.rename(person, name)

    async def close(self, code: str, text: str) -> bool:
        """Close the table with the reason `text`, its people go to the lobby; return False if there is none."""
        closing = self.registry.close(code, text)
        if closing is None:
            return False
        await asyncio.wait((closing,), timeout=CLOSING_WAIT)
        return True

    def _tell_evicted(self, person: str) -> None:
        if gone := self._evicted.take(person):
            self.announce(Announced("lost", ", ".join(gone)), [person])

    def _starts_game(self, command: Command) -> bool:
        match command:
            case Create() | QuickPlay() | Start() | Sit() | Rematch():
                return True
            case Join(code=code):
                runner = self.registry.get(parse_code(code))
                return runner is not None and runner.room.state == "open"
            case _:
                return False
