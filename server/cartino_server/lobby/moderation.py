"""What admins do to people and tables: mute, ban names, announce, disconnect, close tables, and drain the server."""

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
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
from cartino_protocol.deals import PlayDaily
from cartino_protocol.notices import Announced
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye
from cartino_protocol.wire import encode
from cartino_server.lobby.overview import RecentVisitors
from cartino_server.lobby.people.connections import Connections
from cartino_server.lobby.people.names import (
    FALLBACK,
    GUEST,
    is_guest_name,
    looks,
    mark_of,
    marked_name,
    usable_name,
)
from cartino_server.lobby.people.presence import PresenceRegistry
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.store.moderation import Ban, BanList, is_guest
from cartino_server.store.personal_data import DAY
from cartino_server.table.link import ServerLink
from cartino_server.table.participants import rename

CLOSING_WAIT: Final = 5.0
"""Seconds to wait for a closed table's last write before answering the admin."""

_MUTED: Final = frozenset({"muted", "muted-until"})
_PublicText = Say | Invite | Rename | Cut
"""Commands whose text others read."""


def find_name_ban(bans: BanList, name: str) -> Ban | None:
    """Return a ban of `name`, of a name that looks like it, or of the name the server would make of it."""
    if not (name and bans.has_names):
        return None
    return bans.find_ban("name", *looks(name.removeprefix(GUEST)), *looks(usable_name(name)))


class Moderation:
    """Applies bans of names and mutes, and acts on people online and their tables."""

    def __init__(
        self,
        presence: PresenceRegistry,
        registry: TableRegistry,
        visitors: RecentVisitors,
        connections: Connections,
        bans: BanList | None,
        renamed: Callable[[str, str], object],
    ) -> None:
        """`renamed(person, name)` notes the new name of a person where their results are."""
        self._presence = presence
        self._registry = registry
        self._visitors = visitors
        self._connections = connections
        self._bans = bans
        self._renamed = renamed
        self.is_draining = False
        """Whether no new games start, since the server ends when all are over."""

    def set_draining(self, on: bool) -> None:
        """Allow no new games, or allow them again."""
        self.is_draining = on

    def mute_of(self, person: str, connection: int = 0) -> Ban | None:
        """Return the mute of the person, who uses that connection (0: unknown), or of their network."""
        by = [connection] if connection else self._connections.numbers_of(person)
        if not is_guest(person):
            by = [
                number
                for number in by
                if self._connections.network_of(number) and not self._connections.is_admin(number)
            ]
        return self.mute_from(person, self._connections.networks_of(by))

    def mute_from(self, person: str, networks: Iterable[str]) -> Ban | None:
        """Return the mute of the person or of those `networks`, which they come from; of several, the longest.

        A network's mute holds for guests and for keys that finished no game on a day before it was made: a new key and
        a short game take seconds.
        """
        if self._bans is None:
            return None
        first = 0 if is_guest(person) else self._presence.people.book.first_played(person)
        since = first - first % DAY
        return self._bans.longest(
            ban
            for each in (person, *networks)
            for ban in self._bans.matching("voice", each)
            if each == person or not first or ban.made < since + DAY
        )

    def ban_of_name(self, name: str) -> Ban | None:
        """Return the ban of a name."""
        return None if self._bans is None else find_name_ban(self._bans, name)

    def refuses(self, person: str, command: Command, connection: int = 0) -> Refusal | None:
        """Return why `person` may not use `command`: muted, or the server drains."""
        if isinstance(command, _PublicText):
            ban = self.mute_of(person, connection)
            if ban is not None:
                return Refusal("muted-until", ban.ends) if ban.ends else Refusal("muted")
        return Refusal("house-ends") if self.is_draining and self._starts_game(command) else None

    def is_muted(self, person: str, connection: int = 0) -> bool:
        """Return whether the person, who uses that connection (0: unknown), is muted."""
        return self.mute_of(person, connection) is not None

    def name_to_ask_for(self, person: str, name: str, connection: int = 0) -> str:
        """Return `name`, which a person without a stored name logs in with; a muted one can't say anything by it."""
        return FALLBACK if self.is_muted(person, connection) else name

    def has_refused(self, link: ServerLink, command: Command) -> bool:
        """Refuse `command` of `link` if it is not allowed; return whether it was refused."""
        refusal = self.refuses(link.person.id, command, link.connection)
        if refusal is not None:
            link.refuse(command, refusal.reason, refusal.detail)
            ban = self.mute_of(link.person.id, link.connection) if refusal.reason in _MUTED else None
            if ban is not None and ban.reason:
                # They may not have been online when they were muted.
                link.put(Announced("reason", ban.reason))
        return refusal is not None

    def end_if_banned(self, link: ServerLink) -> bool:
        """End a link if its person's name is banned; return whether it is."""
        ban = self.ban_of_name(self._presence.name_of(link))
        if ban is not None:
            link.end(Bye("banned-name", ban.reason, ban.ends))
        return ban is not None

    def announce(self, said: Announced, persons: Iterable[str] | None = None) -> int:
        """Tell everyone online, or only `persons`; return how many people were told."""
        wanted = None if persons is None else frozenset(persons)
        frame, told = encode(said), set()
        for link in self._presence:
            if wanted is None or link.person.id in wanted:
                link.put_view(Announced, frame)
                told.add(link.person.id)
        return len(told)

    def send_away(self, is_meant: Callable[[ServerLink], bool], bye: Bye) -> None:
        """End the links that match, with `bye` as the last answer. Their people keep their seats."""
        for link in [link for link in self._presence.links if is_meant(link)]:
            link.end(bye)

    def take_banned_names(self) -> None:
        """Rename seated people who are offline and have a banned name."""
        people = self._presence.people
        for person in tuple(self._presence.seats):
            name = people.called(person) or ""
            if name and not people.is_here(person) and self.ban_of_name(name) is not None:
                fallback = marked_name(FALLBACK, mark_of(person, is_guest_name(name)))
                allowed = people.free_name(person, fallback, lambda one: self.ban_of_name(one) is None)
                self.rename(person, allowed)

    def rename(self, person: str, name: str) -> None:
        """Rename a person, online or seated, to `name`, which is valid and free."""
        self._presence.people.rename(person, name)
        self._renamed(person, name)
        if self._presence.people.is_here(person):
            self._visitors.record_visit(person, name, "")
        codes = {place.table.code for place in self._presence.places(person)}
        for code in codes.union(self._presence.seats.tables_of(person)):
            task = self._registry.get(code)
            if task is not None:
                task.change(partial(rename, person=person, name=name))

    async def close(self, code: str, text: str) -> bool:
        """Close the table with the reason `text`, its people go to the lobby; return False if there is none."""
        closing = self._registry.close(code, text)
        if closing is None:
            return False
        await asyncio.wait((closing,), timeout=CLOSING_WAIT)
        return True

    def _starts_game(self, command: Command) -> bool:
        match command:
            case Create() | QuickPlay() | Start() | Sit() | Rematch() | PlayDaily():
                return True
            case Join(code=code):
                task = self._registry.get(parse_code(code))
                return task is not None and task.table.state == "open"
            case _:
                return False
