"""Answer what people ask outside a table: history, profiles, invitations, mutes, reports, lessons."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

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
    Lesson,
    Profile,
    Replay,
    Report,
)
from cartino_protocol.refusals import Refusal, RefusalReason
from cartino_protocol.views import Answer, ChatLine, LessonView, ResultView, RoomView, SeatView
from cartino_protocol.wire import encode_raw
from cartino_server.engine.port import AnyGame, AnyLesson
from cartino_server.engine.replay import PUPIL_SEAT, LessonProgress, replay_lesson
from cartino_server.lobby.account import KeyManager, KeyQuery
from cartino_server.lobby.history import GameHistory
from cartino_server.lobby.moderation import RecentVisitor
from cartino_server.lobby.names import GUEST, LONGEST, key_of
from cartino_server.lobby.presence import PresenceRegistry, TableT
from cartino_server.lobby.rate_limit import RateLimits
from cartino_server.lobby.ratings import Profiles
from cartino_server.store.moderation import MAX_IGNORED_EACH, ChatReport, add_report
from cartino_server.store.people import PeopleDatabase
from cartino_server.store.port import Journal
from cartino_server.table.chat import quotable
from cartino_server.table.environment import MARK_LETTERS, AuthorMarks
from cartino_server.table.link import Person, ServerLink
from cartino_server.table.state import TableState

BEFORE: Final = 5
"""Lines that are written down with the one that is reported."""

_log = structlog.get_logger(__name__)


class ReportWriter:
    """Writes reports into the register."""

    def __init__(
        self,
        authors: AuthorMarks,
        register: PeopleDatabase | None,
        now: Callable[[], int],
        visitor: Callable[[str], RecentVisitor | None],
    ) -> None:
        """Without a `register` there is no host to read them, and no stranger to report; `now` is Unix time.

        `visitor(person)` is how somebody was here last.
        """
        self._authors = authors
        self._register = register
        self._now = now
        self._visitor = visitor

    async def report(self, person: Person, name: str, room: TableState, number: int) -> Reported | Refusal:
        """`person`, called `name` and at the table `room`, reports the line of that number. Raises NotSaved."""
        *before, line = room.chat.up_to(number, room.seating.seat_of(person.id) is None, 1 + BEFORE) or (
            None,
        )
        if line is None or self._register is None:
            return Refusal("no-such-line")
        if self._is_by(line, person, name):
            return Refusal("reported-yourself")
        said_by = self._authors.person(line.who) or ""
        visitor = self._visitor(said_by)
        report = ChatReport(
            made=self._now(),
            reporter=person.id,
            reporter_name=name,
            person=said_by,
            name=line.name,
            code=room.code,
            line=number,
            text=line.text,
            before=tuple(f"{each.name}: {each.text}" for each in before),
            # They may have gone, and a guest is somebody new when they come again.
            source="" if visitor is None else visitor.source,
        )
        kept = await self._register.do(partial(add_report, report=report))
        if kept is None:
            return Refusal("too-many-reports")
        # What was said is for the host's eyes, not for whoever reads the log.
        _log.info("a line of chat was reported", report=kept, room=room.code)
        return Reported(number, line.name)

    def _is_by(self, line: ChatLine, person: Person, name: str) -> bool:
        return line.who == self._authors.mark(person.id) if line.who else line.name == name


_REFUSED: Mapping[str, RefusalReason] = {
    "full": "too-many-invitations",
    "too-many": "too-many-invited",
}

_TOO_MANY: Final = Refusal("too-many-ignored", str(MAX_IGNORED_EACH))

QueryCommand = History | Replay | Course | Profile | Leaders | Invite | Decline | Ignore | Report | KeyQuery


class Queries:
    """Answers them. Whoever calls `answer` settles with the link afterwards."""

    def __init__(
        self,
        journal: Journal,
        games: Mapping[str, AnyGame],
        archive: GameHistory,
        hall: PresenceRegistry[TableT],
        rate_limits: RateLimits,
        authors: AuthorMarks,
        reporting: ReportWriter,
        keyring: KeyManager,
    ) -> None:
        """Out of `journal` and `archive`; `hall` knows who is here and where, `authors` how readers know them.

        `rate_limits` tell how many games may be named that are nowhere.
        """
        self._rate_limits = rate_limits
        self.standing = Profiles(journal, games, hall.people)
        self._archive = archive
        self._presence = hall
        self._cards = hall.cards
        self._mutes = hall.ignoring
        self._authors = authors
        self._reporting = reporting
        self._keyring = keyring

    async def answer(self, link: ServerLink, command: QueryCommand) -> None:
        """Tell `link` what it asked for, or why not. Raises NotSaved, JournalDead."""
        answer = await self._answer(link, command)
        if isinstance(answer, Refusal):
            link.refuse(command, answer.reason, answer.detail)
        else:
            link.put(answer)

    def tell_ignored(self, link: ServerLink) -> None:
        """Somebody has come: tell them whom they ignore, before all that others do and say."""
        link.put(self._mutes.of(link.person.id))

    def greet(self, link: ServerLink) -> None:
        """Somebody has come: tell them who asked for them meanwhile."""
        waiting = self._cards.of(link.person.id)
        # A line that was cut may know of some that have gone meanwhile.
        if waiting.lines or link.line:
            link.put(waiting)

    def came(self, person: str, code: str) -> None:
        """The person stands at the table `code` now, which is an answer."""
        if self._cards.take(person, code):
            self._tell(person)

    def closed(self, code: str) -> None:
        """The table is gone."""
        for person in self._cards.close(code):
            self._tell(person)

    async def _answer(self, link: ServerLink, command: QueryCommand) -> Answer:
        if isinstance(command, KeyQuery):
            return await self._keyring.answer(link.person, command)
        match command:
            case History():
                return await self._archive.history(link.person.id, command)
            case Replay() | Course():
                return await self._read_again(link, command)
            case Profile():
                # They may have gone since they asked.
                name = self._presence.people.called(link.person.id) or link.person.name
                return await self.standing.profile(link.person, name, command)
            case Leaders():
                return await self.standing.leaders(link.person.id, command)
            case Invite():
                return await self._invite(link, command)
            case Decline():
                return await self._decline(link, command)
            case Ignore():
                return await self._ignore(link, command) if command.on else await self._hear(link, command)
            case Report():
                return await self._report(link, command)

    async def _read_again(self, link: ServerLink, command: Replay | Course) -> Answer:
        """A game that is over, to whoever knows its name; the names of private ones can't be found by trying."""
        wrong = self._rate_limits.of(link.person.id, link.connection)
        if not wrong.may_try_code():
            return Refusal("too-many-codes")
        if isinstance(command, Replay):
            answer: Answer = await self._archive.replay(command)
        else:
            answer = await self._archive.course(command)
        if isinstance(answer, Refusal):
            wrong.count_wrong_code()
        return answer

    async def _invite(self, link: ServerLink, command: Invite) -> Answer:
        name = command.name.strip()
        person = await self._called(name, link)
        # Where they stand by now: the journal may have taken its time.
        place = self._presence.place(link)
        if place is None:
            return Refusal("not-at-table")
        if person is None:
            return Refusal("unknown-person", name)
        if person == link.person.id:
            return Refusal("invited-yourself")
        room = place.room
        if self._stands_at(person, room):
            return Refusal("already-here", name)
        shown = Invitation(room.code, self._presence.name_of(link), room.order.game.name)
        unheard = await self._mutes.is_ignored(person, link.person.id)
        put = self._cards.put(person, link.person.id, shown, unheard=unheard)
        if put in _REFUSED:
            return Refusal(_REFUSED[put], name)
        if put == "new":
            self._tell(person)
            gone = self._cards.make_room()
            if gone is not None:
                self._tell(gone)
        return Invited(name, self._presence.people.is_here(person))

    async def _decline(self, link: ServerLink, command: Decline) -> Invitations | Refusal:
        person, code = link.person, parse_code(command.code) or command.code
        sender = self._cards.sender(person.id, code)
        if command.for_good and sender is not None:
            by, name = sender
            if not await self._mutes.add(person, self._authors.mark(by), name):
                return _TOO_MANY
            self._silenced(person.id, by)
        elif self._cards.take(person.id, code):
            self._tell(person.id)
        return self._cards.of(person.id)

    async def _ignore(self, link: ServerLink, command: Ignore) -> Ignored | Refusal:
        person, name = link.person, quotable(command.name.strip())[:LONGEST]
        if command.who:
            if not _is_mark(command.who):
                return Refusal("malformed")
            who, other = command.who, self._authors.person(command.who)
        else:
            if self._presence.is_bot(name):
                return Refusal("ignored-bot", name)
            other = await self._called(name, link)
            if other is None:
                return Refusal("unknown-person", name)
            who, name = self._authors.mark(other), self._presence.people.called(other) or name
        if who == self._authors.mark(person.id):
            return Refusal("ignored-yourself")
        if other is None and not self._has_seen(link, who):
            return Refusal("unknown-person", name)
        if not await self._mutes.add(person, who, name):
            return _TOO_MANY
        self._silenced(person.id, other)
        return self._mutes.of(person.id)

    def _has_seen(self, link: ServerLink, who: str) -> bool:
        """Whether `link` may know of somebody with that mark whom the house doesn't, as since it began anew."""
        place = self._presence.place(link)
        lines = () if place is None else place.room.chat.words()
        people = self._mutes.of(link.person.id).people
        return who in {line.who for line in lines} or who in {each.who for each in people}

    async def _hear(self, link: ServerLink, command: Ignore) -> Ignored:
        person, key = link.person, key_of(command.name.strip())
        for each in self._mutes.of(person.id).people:
            if each.who == command.who or (not command.who and key_of(each.name) == key):
                await self._mutes.drop(person, each.who)
        self._silenced(person.id, None)
        return self._mutes.of(person.id)

    async def _report(self, link: ServerLink, command: Report) -> Reported | Refusal:
        place = self._presence.place(link)
        if place is None:
            return Refusal("not-in-room")
        return await self._reporting.report(
            link.person, self._presence.name_of(link), place.room, command.line
        )

    async def _called(self, name: str, by: ServerLink) -> str | None:
        """Whom `by` means by a name: a guest may be called without the mark, where nobody else is called so."""
        person = by.person.id
        known = self._presence.known_as(name, person) or await self.standing.person_called(name)
        return known or self._presence.known_as(f"{GUEST}{name}", person)

    def _silenced(self, person: str, by: str | None) -> None:
        """The list of whom `person` ignores is another: tell it; and what `by`, ignored now, has sent is gone."""
        ignored = self._mutes.of(person)
        for link in self._presence.people.links(person):
            link.put(ignored)
        if by is not None and self._cards.silence(person, by):
            self._tell(person)

    def _stands_at(self, person: str, room: TableState) -> bool:
        return any(place.room.code == room.code for place in self._presence.places(person))

    def _tell(self, person: str) -> None:
        waiting = self._cards.of(person)
        for link in self._presence.people.links(person):
            link.put(waiting)


def _is_mark(text: str) -> bool:
    """Whether `text` may be what says who somebody is."""
    return len(text) == MARK_LETTERS and text.isascii() and text.isalnum()


def answer_lesson(link: ServerLink, asked: Lesson, games: Mapping[str, AnyGame], name: str) -> None:
    """Show whoever `asked` over `link`, and is called `name`, their lesson; or say why not."""
    shown = lesson_view(games, name, asked)
    if isinstance(shown, Refusal):
        link.refuse(asked, shown.reason, shown.detail)
    else:
        link.put(shown)


def lesson_view(games: Mapping[str, AnyGame], name: str, asked: Lesson) -> LessonView | Refusal:
    """What the pupil called `name` sees who `asked`, or why there is nothing to see."""
    game = games.get(asked.game)
    if game is None:
        return Refusal("unknown-game", asked.game)
    if not game.lessons:
        return Refusal("no-lesson")
    number = min(asked.number, len(game.lessons))
    lesson = game.lessons[number - 1]
    progress = replay_lesson(game, lesson, tuple(bytes(move) for move in asked.moves))
    if isinstance(progress, Refusal):
        return progress
    room = _lesson_table(game, lesson, progress, name, len(asked.moves))
    return LessonView(
        game=game.name,
        number=number,
        of=len(game.lessons),
        name=lesson.name,
        done=progress.done,
        tasks=len(lesson.tasks),
        room=room,
        strayed=progress.strayed,
    )


def _lesson_table(
    game: AnyGame, lesson: AnyLesson, progress: LessonProgress, name: str, number: int
) -> RoomView:
    result = game.result(progress.state)
    return RoomView(
        code="",
        game=game.name,
        options=lesson.options,
        state="playing" if result is None else "finished",
        number=number,
        seats=(SeatView(name, "human"), *(SeatView(other, "bot") for other in lesson.others)),
        owner=None,
        you=PUPIL_SEAT,
        spectators=0,
        commitment="",
        open=False,
        turn=game.on_turn(progress.state),
        table=encode_raw(game.view(progress.state, PUPIL_SEAT)),
        result=None if result is None else ResultView(result.totals, result.winners, result.reason),
    )
