"""Run one table: take jobs from a queue, save what they change, send views, wake bots and timers.

Only this task replaces the table's value, so no command is ever half done. What a job changes is saved before anybody
sees it; a value that could not be saved is dropped. The queue is bounded by what can be in it: a command and a
departure per link, a move per bot.
"""

import asyncio
import contextvars
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Final, Literal, Protocol

import msgspec
import structlog

from cartino_protocol.base import parse_code
from cartino_protocol.commands import Command, Join, Keep, Leave, QuickPlay, Sit, Watch
from cartino_protocol.notices import News
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Kept, Left, RoomLine
from cartino_server.limits import ServerConfig
from cartino_server.metrics.definitions import COMMAND_TO_COMMIT, CRASHES
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.store.moderation import GUEST_PREFIX
from cartino_server.store.port import JournalClosed, NotSaved
from cartino_server.table.bot_executor import BotExecutor
from cartino_server.table.bots import BotAnswer, BotQuestions, BotTurns
from cartino_server.table.commands import TableCommand, apply
from cartino_server.table.environment import Ports
from cartino_server.table.lifetime import EvictionLoss, seconds_until_closed
from cartino_server.table.link import ServerLink
from cartino_server.table.saving import Saver
from cartino_server.table.state import TableState
from cartino_server.table.views import Broadcast, room_line

EVICTED_NOTE: Final = "nobody was here, and there were too many tables"
"""In the record of a game that was given up for others."""
MAX_SELECTION_BYTES: Final = 256
"""Bytes of what a player has selected."""

TableEnd = Literal["closed", "broken", "left open"]
"""How a table's task ends; what is left open is rebuilt at the next start of the server."""

_log = structlog.get_logger(__name__)


class LobbyPort(Protocol):
    """What a table's task needs of the lobby."""

    def name_of(self, link: ServerLink) -> str:
        """Return the name of the link's person."""

    def route(self, link: ServerLink, command: Command) -> bool:
        """Serve a command that isn't for this table; False where `link.settled()` will be called when it is done."""

    def entered(self, link: ServerLink, place: "TableTask") -> None:
        """Note that the link is at this table now, and nowhere else."""

    def missed(self, link: ServerLink, place: "TableTask") -> None:
        """Note that the link ended before it could enter; its person may have a seat at this table all the same."""

    def went_home(self, link: ServerLink, left: Left) -> None:
        """Note that the link is back in the lobby."""

    def changed(self, place: "TableTask", line: RoomLine) -> None:
        """Show `line` for this table in lists from now on."""

    def closed(self, place: "TableTask") -> None:
        """Forget this table."""


# Jobs. `stands` says what becomes of a change that can't be saved: it stays and is saved later, or it is dropped.


class FromLink(msgspec.Struct, frozen=True, eq=False):
    """A command of a link; a refusal answers `asked`. `begun` is when it was queued, for the metrics."""

    link: ServerLink
    command: Command
    asked: Command
    begun: float


class Departed(msgspec.Struct, frozen=True, eq=False):
    """A link of `person` has gone from here."""

    person: str
    cut_off: bool


class Ask(msgspec.Struct, frozen=True, eq=False):
    """What somebody without a link here asks; `hear` gets a refusal, or None once it is done and saved."""

    question: Callable[[TableState], TableState | Refusal]
    hear: Callable[[Refusal | None], object]


class Change(msgspec.Struct, frozen=True, eq=False):
    """A change that nobody waits for."""

    change: Callable[[TableState], TableState]
    stands: bool = False


class Close(msgspec.Struct, frozen=True, eq=False):
    """The table ends, unless somebody is here and it isn't `forced`; `left` is what they are told, if not the usual."""

    end: TableEnd = "closed"
    forced: bool = False
    evicted: bool = False
    left: Left | None = None


Job = FromLink | Departed | Ask | Change | Close | BotAnswer


def unchanged(table: TableState) -> TableState:
    """Return `table`: the change of a job that only has the table looked after."""
    return table


class Timers:
    """At most one timer of each name."""

    def __init__(self) -> None:
        """None runs."""
        self._handles: dict[str, asyncio.TimerHandle] = {}

    def __contains__(self, name: str) -> bool:
        """Return whether a timer of that name was set and not cleared; one that is over counts too."""
        return name in self._handles

    def set(self, name: str, seconds: float | None, due: Callable[[], object]) -> None:
        """Call `due` in so many seconds, at once where they are over, None for never."""
        self.clear(name)
        if seconds is not None:
            # A timer is the table's: it must not keep alive what belongs to the session that set it.
            self._handles[name] = asyncio.get_running_loop().call_later(
                max(0.0, seconds), due, context=contextvars.Context()
            )

    def clear(self, name: str) -> None:
        """Cancel the timer, if there is one."""
        handle = self._handles.pop(name, None)
        if handle is not None:
            handle.cancel()

    def stop(self) -> None:
        """Cancel all of them."""
        for name in tuple(self._handles):
            self.clear(name)


class TableTask:
    """Runs the table `room`, the newest value of it that is saved or stands."""

    def __init__(
        self,
        room: TableState,
        saver: Saver,
        mind: BotExecutor,
        config: Callable[[], ServerConfig],
        ports: Ports,
        keeper: LobbyPort,
    ) -> None:
        """`config()` is the server's current configuration."""
        self.room = room
        self._saver = saver
        self._feed = Broadcast()
        self._config = config
        self._ports = ports
        self._keeper = keeper
        self._queue: asyncio.Queue[Job] = asyncio.Queue()
        self._awaited: deque[Job] = deque()
        """Jobs queued or being done that people wait for: they may bring somebody here."""
        game, patience = room.order.game.name, config().bot_patience
        self._driver = BotTurns(
            BotQuestions(mind, game, ports.entropy, patience, self._post, room.code), self._post
        )
        self._selections: dict[str, bytes] = {}
        """What each player has selected, by person; it is never written."""
        self._admitted: list[ServerLink] = []
        self._unanswered: Job | None = None
        """The job that is being done, until whoever waits for it has an answer."""
        self._end: TableEnd | None = None
        self._is_over = False
        self._last: Left | None = None
        self._timers = Timers()
        self._waits: float | None = None
        self._looks: float | None = None

    # What the lobby asks for.

    @property
    def is_lonely(self) -> bool:
        """Whether nobody is here or on the way, and nobody but its opener would miss the table."""
        others = set(self.room.seating.persons()) - {self.room.opener}
        return not (self._is_wanted or others)

    @property
    def opened_by_guest(self) -> bool:
        """Whether somebody without a key opened the table."""
        return self.room.opener.startswith(GUEST_PREFIX)

    def record(self, person: str) -> bytes | None:
        """Return the record of the game as far as it is saved, as `person` may read it; None before the first deal."""
        saved = self._saver.saved
        if saved is None or saved.match is None:
            return None
        return saved.match.export(self.room.seating.seat_of(person))

    def post(self, link: ServerLink, command: Command, asked: Command | None = None) -> bool:
        """Queue a command of `link`; True where it is done already, refused because too many wait.

        `asked` is the command that it came from, if that was another: a refusal answers that one.
        """
        if not self.has_time:
            link.refuse(asked or command, "busy")
            return True
        self._await(FromLink(link, command, asked or command, COMMAND_TO_COMMIT.begin()))
        return False

    @property
    def has_time(self) -> bool:
        """Whether the queue has room for one more command."""
        return self._queue.qsize() < self._config().queue

    def ask(
        self,
        question: Callable[[TableState], TableState | Refusal],
        hear: Callable[[Refusal | None], object],
    ) -> None:
        """Queue what somebody without a link here asks; see `Ask`."""
        self._await(Ask(question, hear))

    def forget(self, link: ServerLink, *, cut_off: bool) -> None:
        """Send nothing more to a link that has ended (`cut_off`) or is elsewhere."""
        self._feed.remove(link)
        self._post(Departed(link.person.id, cut_off))

    async def erase(self, person: str) -> None:
        """Remove somebody who deleted their account. Raises NotSaved, with the table as it was."""
        if self._is_over:
            return
        done: asyncio.Future[Refusal | None] = asyncio.get_running_loop().create_future()

        def heard(refusal: Refusal | None) -> None:
            if not done.done():
                done.set_result(refusal)

        self.ask(partial(self._erased, person=person), heard)
        refusal = await done
        if refusal is not None and refusal.reason == "not-saved":
            raise NotSaved(refusal.reason)

    def rename(self, person: str, name: str) -> None:
        """Show the new name of somebody who has a seat or is here."""
        self._post(Change(lambda table: table.rename(person, name), stands=True))

    def warn(self) -> None:
        """Tell everybody at the table that the server restarts in a moment."""
        self._post(Change(lambda table: table.announce(News("restarts")), stands=True))

    @property
    def loss(self) -> EvictionLoss:
        """What is lost if the table closes now."""
        # The opener of a table that was never saved is about to come.
        if self._is_wanted or not self._is_known:
            return EvictionLoss.GAME
        if self.room.state == "finished":
            return EvictionLoss.NOTHING
        if self.room.running is None or not self.room.running.made:
            return EvictionLoss.DEAL
        return EvictionLoss.OWN_GAME if self.is_lonely else EvictionLoss.GAME

    def give_up(self) -> None:
        """Close the table, which is lonely: what is queued from now on finds it closed."""
        self._post(Close())

    def give_way(self) -> None:
        """Close the table for others, and note so in its record."""
        self._post(Close(evicted=True))

    def close(self, text: str) -> None:
        """Close the table, though people may be at it, for the host's reason `text`."""
        self._post(Close(forced=True, left=Left("host", self.room.code, text)))

    def stop(self) -> None:
        """Serve what waits, and leave the table as it is for the next start of the server."""
        self._post(Close("left open", forced=True))

    async def run(self) -> None:
        """Serve until the table is closed. What the engine raises ends this table and no other."""
        # For whatever is logged in this task.
        structlog.contextvars.bind_contextvars(room=self.room.code)
        try:
            if self._is_known:
                self._post(Change(unchanged))
            while self._end is None:
                job = self._unanswered = await self._queue.get()
                try:
                    await self._serve(job)
                    self._unanswered = None
                    self._show()
                except JournalClosed:
                    raise
                except Exception as error:
                    self._break(error)
                if self._awaited and self._awaited[0] is job:
                    self._awaited.popleft()
                # A table with much to do lets the others have their turn.
                await asyncio.sleep(0)
            await self._save_end(self._end)
        except JournalClosed:
            # Nobody is told anything that is not saved: the server is about to end.
            self._end = "left open"
        finally:
            self._is_over = True
            self._driver.stop()
            self._timers.stop()
            self._feed.finish()
        self._finish(self._end)

    # A job, from its effects to what everybody sees of them.

    @property
    def _is_known(self) -> bool:
        """Whether the table was ever saved. One that could not be doesn't exist."""
        return self._saver.saved is not None

    @property
    def _is_wanted(self) -> bool:
        """Whether somebody is here, or may be on the way.

        Otherwise nobody can come before a job that is queued now, so a table that is to close then does.
        """
        return bool(self.room.present or self._feed.links or self._awaited)

    def _post(self, job: Job) -> None:
        self._queue.put_nowait(job)

    def _await(self, job: Job) -> None:
        self._awaited.append(job)
        self._post(job)

    async def _serve(self, job: Job) -> None:
        match job:
            case FromLink(link=link, command=command) if isinstance(command, TableCommand) and self._is_at(
                link
            ):
                new = apply(self.room, link.person.id, command, self._config().chat_length, link.origin)
                if await self._answer(job, new):
                    (self._sat_down if isinstance(command, Sit) else ServerLink.settled)(link)
            case FromLink():
                await self._serve_link(job)
            case Departed(person=person, cut_off=cut_off):
                await self._depart(person, cut_off=cut_off)
            case Ask(question=question, hear=hear):
                new = question(self.room)
                saved = await self._commit(self.room if isinstance(new, Refusal) else new)
                self._unanswered = None
                hear(new if isinstance(new, Refusal) else None if saved else Refusal("not-saved"))
            case Change(change=change, stands=stands):
                await self._commit(change(self.room), stands=stands)
            case BotAnswer():
                await self._commit(self._driver.act(self.room, job))
            case Close():
                self._close(job)

    async def _serve_link(self, job: FromLink) -> None:
        """Serve a command that is not about the table's game, or of a link that isn't at the table."""
        link = job.link
        match job.command:
            case Keep() as command:
                self._keep(link, command)
            case _ if link.closed:
                pass
            case command if not (link in self._feed.links or self._leads_here(command)):
                self._elsewhere(link, command)
            case Join() | Watch() | QuickPlay() as command:
                await self._come(job, link, command)
            case Leave():
                self._feed.remove(link)
                await self._depart(link.person.id, cut_off=False)
                self._let_go(link)
            case command:
                self._elsewhere(link, command)

    async def _commit(self, new: TableState, *, stands: bool = False) -> bool:
        """Save `new` and make it the table; return False where that failed, and it is the table only if it `stands`."""
        try:
            self.room = await self._saver.save(new)
        except NotSaved as error:
            _log.warning("not_saved", room=self.room.code, why=str(error))
            if stands:
                self.room = new
            if "retry" not in self._timers:
                self._timers.set("retry", self._config().retry, self._try_again)
            return False
        return True

    async def _answer(self, job: FromLink, new: TableState | Refusal) -> bool:
        """Commit `new`; return False where that failed or it is a refusal, which the link gets."""
        if isinstance(new, Refusal):
            await self._commit(self.room)
        elif await self._commit(new):
            COMMAND_TO_COMMIT.end(job.begun)
            self._unanswered = None
            return True
        self._unanswered = None
        self._refuse(job.link, job.asked, new if isinstance(new, Refusal) else Refusal("not-saved"))
        return False

    def _break(self, error: Exception) -> None:
        CRASHES.add("table")
        where = summarize_error(error)
        _log.error("room_broken", room=self.room.code, game=self.room.order.game.name, where=where)
        self._end = "broken"
        self._give_up_answer()

    def _is_at(self, link: ServerLink) -> bool:
        return link in self._feed.links and not link.closed

    def _give_up_answer(self) -> None:
        """Answer whoever waits for the job at which the table broke."""
        match self._unanswered:
            case FromLink(link=link, command=Leave()):
                self._let_go(link)
            case FromLink(link=link):
                link.settled()
            case Ask(hear=hear):
                hear(Refusal("table-broke"))
            case _:
                pass

    def _show(self) -> None:
        if not self._is_known:
            self._end = "closed"
            return
        if self._feed.is_behind(self.room):
            self._keeper.changed(self, room_line(self.room))
        held = self._feed.send(self.room, self._ports.clock(), self._config().spectators_every)
        if "gallery" not in self._timers:
            self._timers.set("gallery", held, self._show_spectators)
        for link in self._admitted:
            memo = self._selections.get(link.person.id)
            if memo is not None and self.room.running is not None:
                link.put(Kept(msgspec.Raw(memo)))
        self._admitted.clear()
        if "retry" not in self._timers:
            # What bots and time bring about could not be saved now either, and they would bring it about at once.
            self._driver.wake(self.room, self._config().bot_pause)
            self._watch_time()
        self._watch_emptiness()

    def _erased(self, table: TableState, person: str) -> TableState:
        self._selections.pop(person, None)
        new = table.erase(person)
        if not new.seating.persons():
            # Bots alone are left; spectators may see the end.
            self.give_up()
        return new

    # Links.

    def _leads_here(self, command: Command) -> bool:
        match command:
            case QuickPlay():
                return True
            case Join(code=code) | Watch(code=code):
                return parse_code(code) == self.room.code
            case _:
                return False

    def _elsewhere(self, link: ServerLink, command: Command) -> None:
        self._unanswered = None
        if self._keeper.route(link, command):
            link.settled()

    def _refuse(self, link: ServerLink, command: Command, refusal: Refusal) -> None:
        link.refuse(command, refusal.reason, refusal.detail)
        link.settled()

    async def _come(self, job: FromLink, link: ServerLink, command: Join | Watch | QuickPlay) -> None:
        is_quick = isinstance(command, QuickPlay)
        # At an open table those who want any are right already, else they want another one.
        is_done_here = is_quick and link in self._feed.links and self.room.state != "open"
        if is_done_here or not self._leads_here(command):
            self._elsewhere(link, command)
            return
        person, name = link.person, self._keeper.name_of(link)
        new: TableState | Refusal
        if isinstance(command, Join | Watch) and command.again and self._sits_elsewhere(link):
            new = Refusal("elsewhere", self.room.code)
        else:
            come = self.room.watch if isinstance(command, Watch) else self.room.join
            try:
                new = come(person.id, name, person.guest)
            except Exception:
                # Who takes the last seat of a table that breaks at the deal is told so like everybody at it.
                self._unanswered = None
                self._admit(link)
                raise
            if is_quick and isinstance(new, Refusal):
                # Somebody was quicker to the last seat: on to the next table.
                self._elsewhere(link, command)
                return
        if await self._answer(job, new):
            self._admit(link)

    def _admit(self, link: ServerLink) -> None:
        """Show the table to `link` from now on."""
        if link.closed:
            # It went while its coming was being saved.
            self._keeper.missed(link, self)
            self._post(Departed(link.person.id, True))
            return
        self._feed.admit(link)
        self._keeper.entered(link, self)
        if link.session:
            _log.info(
                "came to a table", room=self.room.code, session=link.session, connection=link.connection
            )
        self._admitted.append(link)
        self._sat_down(link)

    def _others(self, link: ServerLink) -> tuple[ServerLink, ...]:
        """Return the other links at which the person of `link` has their seat."""
        person = link.person.id
        if self.room.seating.seat_of(person) is None:
            return ()
        return tuple(other for other in self._feed.links if other is not link and other.person.id == person)

    def _sits_elsewhere(self, link: ServerLink) -> bool:
        """Return whether the person of `link` has their seat at another terminal, not on a dead connection."""
        return any(not link.is_line_of(other) for other in self._others(link))

    def _sat_down(self, link: ServerLink) -> None:
        """Take the seat away from other terminals of the same person, if they have one."""
        for other in self._others(link):
            self._feed.remove(other)
            self._keeper.went_home(other, Left("moved", self.room.code))
        link.settled()

    async def _depart(self, person: str, *, cut_off: bool) -> None:
        """Let the person go if this was their last link, and then do what all others want, if that can be saved."""
        gone = self.room
        if not self._feed.holds(person):
            gone = gone.cut_off(person) if cut_off else gone.leave(person)
            self._post(Change(TableState.agree))
        await self._commit(gone, stands=True)

    def _let_go(self, link: ServerLink) -> None:
        self._unanswered = None
        self._keeper.went_home(link, Left("left", self.room.code))
        link.settled()

    def _keep(self, link: ServerLink, command: Keep) -> None:
        """Keep what a player has selected, also if their link has ended meanwhile: they come back to it."""
        person, memo = link.person.id, bytes(command.memo)
        self._unanswered = None
        if self.room.seating.seat_of(person) is None:
            self._refuse(link, command, Refusal("not-seated"))
        elif len(memo) > MAX_SELECTION_BYTES:
            self._refuse(link, command, Refusal("malformed"))
        else:
            self._selections[person] = memo
            link.settled()

    # Time.

    def _try_again(self) -> None:
        """Save changes that stand, and ask bots and time again."""
        self._timers.clear("retry")
        self._driver.again()
        self._looks = None
        self._post(Change(TableState.agree))

    def _look(self) -> None:
        self._looks = None
        self._post(Change(TableState.look))

    def _show_spectators(self) -> None:
        self._timers.clear("gallery")
        self._post(Change(unchanged))

    def _watch_time(self) -> None:
        when = self.room.next_look()
        if when != self._looks:
            self._looks = when
            self._timers.set("look", None if when is None else when - self._ports.clock(), self._look)

    def _watch_emptiness(self) -> None:
        waits = None if self._feed.links else seconds_until_closed(self.room, self._config())
        if waits != self._waits:
            self._waits = waits
            self._timers.set("empty", waits, self.give_up)

    # The end.

    def _close(self, job: Close) -> None:
        if self._end is not None or (self._feed.links and not job.forced):
            return
        if job.evicted and self.room.running is not None:
            self.room = self.room.with_match(self.room.running.note(EVICTED_NOTE))
        self._end, self._last = job.end, job.left

    async def _save_end(self, end: TableEnd) -> None:
        if not self._is_known:
            return
        try:
            table = self.room.abandon() if end == "closed" else self.room
            self.room = await self._saver.save(table, "open" if end == "left open" else end)
        except JournalClosed:
            raise
        except Exception as error:
            # At the next start the table is what it was when it could last be saved.
            _log.error("end_not_saved", room=self.room.code, end=end, where=summarize_error(error))

    def _finish(self, end: TableEnd) -> None:
        if end == "left open":
            return
        self._keeper.closed(self)
        for link in tuple(self._feed.links):
            self._keeper.went_home(link, self._last or Left(end, self.room.code))
        # Who was on the way in, or had more to say here, is served as somebody in the lobby.
        while not self._queue.empty():
            match self._queue.get_nowait():
                case FromLink(link=link, command=command) if not link.closed:
                    self._elsewhere(link, command)
                case Ask(hear=hear):
                    hear(Refusal("unknown-code", self.room.code))
                case _:
                    pass
