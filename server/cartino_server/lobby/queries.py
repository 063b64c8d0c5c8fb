"""Answer what people ask outside a table: history, profiles, invitations, mutes and reports."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Final, Literal

import msgspec
import structlog

from cartino_protocol.accounts import Ignored, Invitation, Invitations, Invited, Reported
from cartino_protocol.base import parse_code
from cartino_protocol.commands import (
    Course,
    Decline,
    History,
    Ignore,
    Invite,
    Leaders,
    Profile,
    Replay,
    Report,
)
from cartino_protocol.refusals import Refusal, RefusalReason
from cartino_protocol.views import Answer
from cartino_server.environment import MARK_LETTERS, AuthorMarks, Ports, unix_time
from cartino_server.lobby.finished.history import GameHistory
from cartino_server.lobby.finished.ratings import Profiles
from cartino_server.lobby.moderation import RecentVisitors
from cartino_server.lobby.people.names import GUEST, LONGEST, key_of
from cartino_server.lobby.people.preferences import MuteLists
from cartino_server.lobby.people.presence import PresenceRegistry
from cartino_server.lobby.rate_limit import RateLimits
from cartino_server.lobby.table_registry import Catalog
from cartino_server.store.moderation import MAX_IGNORED_EACH, ChatReport, add_report
from cartino_server.store.people import PeopleDatabase
from cartino_server.table.chat import quotable
from cartino_server.table.link import ServerLink

MOST_EACH: Final = 5
"""Pending invitations for one person."""
MOST_BY: Final = 20
"""Pending invitations by one person."""
MOST: Final = 2000
"""Pending invitations in all; beyond it the oldest of the busiest sender is dropped."""

InviteResult = Literal["new", "old", "full", "too-many"]


class _PendingInvitation(msgspec.Struct, frozen=True):
    by: str
    shown: Invitation


class PendingInvitations:
    """The pending invitations by invited person (id) and table code, oldest first."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], _PendingInvitation] = {}

    def __len__(self) -> int:
        """Return the number of pending invitations."""
        return len(self._waiting)

    def invitations_of(self, person: str) -> Invitations:
        """Return the invitations for `person`, oldest first."""
        return Invitations(tuple(asked.shown for (who, _), asked in self._waiting.items() if who == person))

    def put(self, person: str, by: str, shown: Invitation, *, unheard: bool = False) -> InviteResult:
        """Add an invitation by `by`, unless there is one or there are too many ("full": for `person`).

        `unheard`: `person` mutes `by`, so it is dropped and `by` can't tell.
        """
        if (person, shown.code) in self._waiting:
            return "old"
        # Checked before `unheard`, or the limits would reveal the mute.
        if sum(asked.by == by for asked in self._waiting.values()) >= MOST_BY:
            return "too-many"
        if len(self.invitations_of(person).lines) >= MOST_EACH:
            return "full"
        if unheard:
            return "old"
        self._waiting[person, shown.code] = _PendingInvitation(by, shown)
        return "new"

    def make_room(self) -> str | None:
        """Drop an invitation if there are too many; return whose it was."""
        if len(self._waiting) <= MOST:
            return None
        [(busiest, _)] = Counter(asked.by for asked in self._waiting.values()).most_common(1)
        oldest = next(key for key, asked in self._waiting.items() if asked.by == busiest)
        del self._waiting[oldest]
        return oldest[0]

    def remove_invitation(self, person: str, code: str) -> bool:
        """Remove an invitation that was answered; return whether there was one."""
        return self._waiting.pop((person, code), None) is not None

    def sender(self, person: str, code: str) -> tuple[str, str] | None:
        """Return the id and name of who invited `person` to table `code`."""
        asked = self._waiting.get((person, code))
        return None if asked is None else (asked.by, asked.shown.name)

    def silence(self, person: str, by: str) -> bool:
        """Drop the invitations of `by` for `person`; return whether there were any."""
        return bool(self._drop(lambda who, _code, sender: who == person and sender == by))

    def close(self, code: str) -> Collection[str]:
        """Drop the invitations to a closed table; return whose they were."""
        return self._drop(lambda _who, table, _sender: table == code)

    def forget(self, person: str) -> None:
        """Drop the invitations for a person who never returns."""
        self._drop(lambda who, _code, _sender: who == person)

    def erase(self, person: str) -> Collection[str]:
        """Drop the invitations for and by a person; return the others whose invitations changed."""
        self.forget(person)
        return self._drop(lambda _who, _code, sender: sender == person)

    def _drop(self, goes: Callable[[str, str, str], bool]) -> Collection[str]:
        """Drop the invitations for which `goes(person, code, sender)`; return whose they were."""
        gone = [key for key, asked in self._waiting.items() if goes(*key, asked.by)]
        for key in gone:
            del self._waiting[key]
        return {person for person, _ in gone}


BEFORE: Final = 5
"""Chat lines stored with the one reported."""

_log = structlog.get_logger(__name__)


_REFUSED: Mapping[str, RefusalReason] = {
    "full": "too-many-invitations",
    "too-many": "too-many-invited",
}

_TOO_MANY: Final = Refusal("too-many-ignored", str(MAX_IGNORED_EACH))

QueryCommand = History | Replay | Course | Profile | Leaders | Invite | Decline | Ignore | Report


class Queries(msgspec.Struct, eq=False):
    """Answers queries; the caller settles with the link afterwards.

    Without a `people_db` nothing can be reported.
    """

    profiles: Profiles
    history: GameHistory
    mutes: MuteLists
    _presence: PresenceRegistry
    _visitors: RecentVisitors
    _catalog: Catalog
    _rate_limits: RateLimits
    _ports: Ports
    _people_db: PeopleDatabase | None
    invitations: PendingInvitations = msgspec.field(default_factory=PendingInvitations)

    @property
    def authors(self) -> AuthorMarks:
        """The marks of people."""
        return self._ports.authors

    async def answer_query(self, link: ServerLink, command: QueryCommand) -> None:
        """Send `link` the answer or a refusal. Raises NotSaved, JournalClosed."""
        link.queue_answer(command, await self._answer(link, command))

    def tell_ignored(self, link: ServerLink) -> None:
        """Send a new link its mute list, before anything that others say."""
        link.put(self.mutes.mute_list_of(link.person.id))

    def greet(self, link: ServerLink) -> None:
        """Send a new link its invitations."""
        waiting = self.invitations.invitations_of(link.person.id)
        # A reconnecting client may show some that are gone.
        if waiting.lines or link.line:
            link.put(waiting)

    def drop_invitation(self, person: str, code: str) -> None:
        """Drop the invitation of a person who joined table `code`."""
        if self.invitations.remove_invitation(person, code):
            self._tell(person)

    def drop_table_invitations(self, code: str) -> None:
        """Drop the invitations to a closed table."""
        self._tell(*self.invitations.close(code))

    def erase(self, person: str) -> None:
        """Drop the invitations for and by a person who deleted their account, and their mute list."""
        self.mutes.forget(person)
        self._tell(*self.invitations.erase(person))

    async def carry_mutes(self, person: str, other: str) -> None:
        """Mute `other`, as whom a key of `person` signs in now, for everybody who mutes `person`. Raises NotSaved."""
        for each in await self.mutes.carry(person, other):
            self._silenced(each, other)

    async def _answer(self, link: ServerLink, command: QueryCommand) -> Answer:
        match command:
            case History():
                return await self.history.history(link.person.id, command)
            case Replay() | Course():
                return await self._read_again(link, command)
            case Profile():
                # They may have left since they asked.
                name = self._presence.people.called(link.person.id) or link.person.name
                return await self.profiles.profile(link.person, name, command)
            case Leaders():
                return await self.profiles.leaders(link.person.id, command)
            case Invite():
                return await self._invite(link, command)
            case Decline():
                return await self._decline(link, command)
            case Ignore():
                return await self._ignore(link, command) if command.on else await self._hear(link, command)
            case Report():
                return await self._report(link, command)

    async def _read_again(self, link: ServerLink, command: Replay | Course) -> Answer:
        """Replay a finished game; wrong names are limited, so private ones can't be found by trying."""
        wrong = self._rate_limits.limits_of(link.person.id, link.connection)
        if not wrong.may_try_code():
            return Refusal("too-many-codes")
        answer = await self.history.read(command)
        if isinstance(answer, Refusal) and answer.reason == "no-past-game":
            wrong.count_wrong_code()
        return answer

    async def _invite(self, link: ServerLink, command: Invite) -> Answer:
        name = command.name.strip()
        person = await self._called(name, link)
        # Looked up now: the query above may have taken a while.
        place = self._presence.place(link)
        if place is None:
            return Refusal("not-at-table")
        if person is None:
            return Refusal("unknown-person", name)
        if person == link.person.id:
            return Refusal("invited-yourself")
        table = place.table
        if sealed := table.seal:
            return sealed
        if any(there.table.code == table.code for there in self._presence.places(person)):
            return Refusal("already-here", name)
        shown = Invitation(table.code, self._presence.name_of(link), table.order.game.name)
        unheard = await self.mutes.is_ignored(person, link.person.id)
        put = self.invitations.put(person, link.person.id, shown, unheard=unheard)
        if put in _REFUSED:
            return Refusal(_REFUSED[put], name)
        if put == "new":
            self._tell(person)
            gone = self.invitations.make_room()
            if gone is not None:
                self._tell(gone)
        return Invited(name, self._presence.people.is_here(person))

    async def _decline(self, link: ServerLink, command: Decline) -> Invitations | Refusal:
        person, code = link.person, parse_code(command.code) or command.code
        sender = self.invitations.sender(person.id, code)
        if command.for_good and sender is not None:
            by, name = sender
            if not await self.mutes.add(person, self._ports.authors.mark(by), name):
                return _TOO_MANY
            self._silenced(person.id, by)
        elif self.invitations.remove_invitation(person.id, code):
            self._tell(person.id)
        return self.invitations.invitations_of(person.id)

    async def _ignore(self, link: ServerLink, command: Ignore) -> Ignored | Refusal:
        person, name = link.person, quotable(command.name.strip())[:LONGEST]
        if command.who:
            if not _is_mark(command.who):
                return Refusal("malformed")
            who, other = command.who, self._ports.authors.person(command.who)
        else:
            if self._catalog.is_bot(name):
                return Refusal("ignored-bot", name)
            other = await self._called(name, link)
            if other is None:
                return Refusal("unknown-person", name)
            who, name = self._ports.authors.mark(other), self._presence.people.called(other) or name
        if who == self._ports.authors.mark(person.id):
            return Refusal("ignored-yourself")
        if other is None and not self._has_seen(link, who):
            return Refusal("unknown-person", name)
        if not await self.mutes.add(person, who, name):
            return _TOO_MANY
        self._silenced(person.id, other)
        return self.mutes.mute_list_of(person.id)

    def _has_seen(self, link: ServerLink, who: str) -> bool:
        """Return whether `link` saw the mark of someone this process doesn't know, as after a restart."""
        place = self._presence.place(link)
        lines = () if place is None else place.table.chat.words()
        people = self.mutes.mute_list_of(link.person.id).people
        return who in {line.who for line in lines} or who in {each.who for each in people}

    async def _hear(self, link: ServerLink, command: Ignore) -> Ignored:
        person, key = link.person, key_of(command.name.strip())
        for each in self.mutes.mute_list_of(person.id).people:
            if each.who == command.who or (not command.who and key_of(each.name) == key):
                await self.mutes.drop(person, each.who)
        self._silenced(person.id, None)
        return self.mutes.mute_list_of(person.id)

    async def _report(self, link: ServerLink, command: Report) -> Reported | Refusal:
        place = self._presence.place(link)
        if place is None:
            return Refusal("not-in-room")
        table, person, name = place.table, link.person.id, self._presence.name_of(link)
        lines = table.chat.up_to(command.line, table.seating.seat_of(person) is None, 1 + BEFORE)
        if not lines or self._people_db is None:
            return Refusal("no-such-line")
        *before, line = lines
        if line.who == self._ports.authors.mark(person) if line.who else line.name == name:
            return Refusal("reported-yourself")
        said_by = self._ports.authors.person(line.who) or ""
        visitor = self._visitors.get(said_by)
        report = ChatReport(
            made=unix_time(self._ports.now()),
            reporter=person,
            reporter_name=name,
            person=said_by,
            name=line.name,
            code=table.code,
            line=command.line,
            text=line.text,
            before=tuple(f"{each.name}: {each.text}" for each in before),
            # A guest who left is another person when they return.
            source="" if visitor is None else visitor.source,
        )
        kept = await self._people_db.do(partial(add_report, report=report))
        if kept is None:
            return Refusal("too-many-reports")
        # The text is for the host, not for the log.
        _log.info("a line of chat was reported", report=kept, table=table.code)
        return Reported(command.line, line.name)

    async def _called(self, name: str, by: ServerLink) -> str | None:
        """Return the person that `by` calls `name`; the mark of a guest may be left out."""
        person = by.person.id
        known = self._presence.known_as(name, person) or await self.profiles.person_called(name)
        return known or self._presence.known_as(f"{GUEST}{name}", person)

    def _silenced(self, person: str, by: str | None) -> None:
        """Send `person` their changed mute list, and drop the invitations of `by`, whom they mute now."""
        ignored = self.mutes.mute_list_of(person)
        for link in self._presence.people.links(person):
            link.put(ignored)
        if by is not None and self.invitations.silence(person, by):
            self._tell(person)

    def _tell(self, *persons: str) -> None:
        for person in persons:
            waiting = self.invitations.invitations_of(person)
            for link in self._presence.people.links(person):
                link.put(waiting)


def _is_mark(text: str) -> bool:
    """Return whether `text` has the form of an author mark."""
    return len(text) == MARK_LETTERS and text.isascii() and text.isalnum()
