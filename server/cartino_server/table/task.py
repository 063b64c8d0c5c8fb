"""Run one table: take jobs from a queue, save what they change, send views, wake bots and timers.

Only this task replaces the table's value, so no command is ever half done. A change is saved before anybody sees it; a
value that could not be saved is dropped. The queue is bounded: a command and a departure per link, a move per bot.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final, Protocol

import structlog

from cartino_protocol.base import parse_code
from cartino_protocol.commands import Command, Join, Keep, Leave, QuickPlay, Sit, Watch
from cartino_protocol.notices import News
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left, RoomLine
from cartino_server.limits import ServerConfig
from cartino_server.metrics.definitions import COMMAND_TO_COMMIT, CRASHES
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.store.moderation import GUEST_PREFIX
from cartino_server.store.port import JournalClosed, NotSaved
from cartino_server.table.bot_executor import BotExecutor
from cartino_server.table.bots import BotAnswer, BotQuestions, BotTurns
from cartino_server.table.environment import Ports
from cartino_server.table.jobs import Ask, Change, Close, Departed, FromLink, Job, Timers
from cartino_server.table.lifetime import EvictionLoss, TableHolding, seconds_until_closed
from cartino_server.table.link import ServerLink
from cartino_server.table.saving import Saver
from cartino_server.table.state import TableCommand, TableState, apply
from cartino_server.table.views import Broadcast, room_line

EVICTED_NOTE: Final = "nobody was here, and there were too many tables"
"""In the record of an evicted game."""
MAX_SELECTION_BYTES: Final = 256

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


def _unchanged(table: TableState) -> TableState:
    """Return `table`: the change of a job that only sends what is due and wakes bots and timers."""
    return table


_REFRESH: Final = Change(_unchanged)
_AGREE: Final = Change(TableState.agree)
_LOOK: Final = Change(TableState.look)


class TableTask:
    """Runs the table `room`: its newest value that is saved or stands."""

    def __init__(
        self,
        room: TableState,
        saver: Saver,
        executor: BotExecutor,
        config: Callable[[], ServerConfig],
        ports: Ports,
        lobby: LobbyPort,
    ) -> None:
        """`config()` is the server's current configuration."""
        self.room = room
        self._saver = saver
        self._broadcast = Broadcast()
        self._config = config
        self._ports = ports
        self._lobby = lobby
        self._jobs: asyncio.Queue[Job] = asyncio.Queue()
        self._awaited = 0
        """Jobs queued or being done that people wait for, and which may make them enter."""
        game, patience = room.order.game.name, config().bot_patience
        questions = BotQuestions(executor, game, ports.entropy, patience, self._post, room.code)
        self._bots = BotTurns(questions, self._post)
        self._timers = Timers()
        self._closing: Close | None = None
        self._is_over = False

    @property
    def is_lonely(self) -> bool:
        """Whether nobody is here or about to enter, and nobody but its opener would miss the table."""
        return not (self._is_wanted or set(self.room.seating.persons()) - {self.room.opener})

    @property
    def has_time(self) -> bool:
        """Whether the queue has room for one more command."""
        return self._jobs.qsize() < self._config().queue

    def holding(self, origin: tuple[str, ...]) -> TableHolding:
        """Return the table as one that its opener, who came from `origin`, holds."""
        room, running = self.room, self.room.running
        moves = 0 if running is None else running.made
        # The opener of a table that was never saved is about to come.
        if self._is_wanted or not self._is_known:
            loss = EvictionLoss.GAME
        elif room.state == "finished":
            loss = EvictionLoss.NOTHING
        elif not moves:
            loss = EvictionLoss.DEAL
        else:
            loss = EvictionLoss.OWN_GAME if self.is_lonely else EvictionLoss.GAME
        return TableHolding(room.code, room.opener, origin, loss, room.opener.startswith(GUEST_PREFIX), moves)

    def record(self, person: str) -> bytes | None:
        """Return the record of the game as far as it is saved, as `person` may read it; None before the first deal."""
        saved = self._saver.saved
        if saved is None or saved.match is None:
            return None
        return saved.match.export(self.room.seating.seat_of(person))

    def post(self, link: ServerLink, command: Command, asked: Command | None = None) -> bool:
        """Queue a command of `link`; return True if it was refused at once, because too many wait.

        `asked` is the command that it came from, if that was another: a refusal answers that one.
        """
        if not self.has_time:
            link.refuse(asked or command, "busy")
            return True
        self._awaited += 1
        self._post(FromLink(link, command, asked or command, COMMAND_TO_COMMIT.begin()))
        return False

    def ask(
        self, question: Callable[[TableState], TableState | Refusal], hear: Callable[[Refusal | None], object]
    ) -> None:
        """Queue a command of somebody who has no link here; see `Ask`."""
        self._awaited += 1
        self._post(Ask(question, hear))

    def forget(self, link: ServerLink, *, cut_off: bool) -> None:
        """Send nothing more to a link that has ended (`cut_off`) or is elsewhere."""
        self._broadcast.remove(link)
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

    def close(self, how: Close = Close()) -> None:  # noqa: B008 - a frozen value
        """Close the table once all that is queued is served."""
        self._post(how)

    async def run(self) -> None:
        """Serve until the table is closed. What the engine raises ends this table and no other."""
        # For everything that is logged in this task.
        structlog.contextvars.bind_contextvars(room=self.room.code)
        try:
            if self._is_known:
                self._post(_REFRESH)
            while self._closing is None:
                job = await self._jobs.get()
                try:
                    await self._serve(job)
                    self._show()
                except JournalClosed:
                    raise
                except Exception as error:
                    self._break(error, job)
                self._awaited -= isinstance(job, FromLink | Ask)
                # A table with much to do lets the others have their turn.
                await asyncio.sleep(0)
            await self._save_end(self._closing)
        except JournalClosed:
            # Nobody is told anything that is not saved: the server is about to end.
            self._closing = Close("left open")
        finally:
            self._is_over = True
            self._bots.stop()
            self._timers.stop()
            self._broadcast.finish()
        self._finish(self._closing)

    @property
    def _is_known(self) -> bool:
        """Whether the table was ever saved. One that could not be doesn't exist."""
        return self._saver.saved is not None

    @property
    def _is_wanted(self) -> bool:
        """Whether somebody is here or about to enter; otherwise nobody can enter before a job that is queued now."""
        return bool(self.room.present or self._broadcast.links or self._awaited)

    def _post(self, job: Job) -> None:
        self._jobs.put_nowait(job)

    async def _serve(self, job: Job) -> None:
        match job:
            case FromLink():
                await self._serve_link(job)
            case Departed(person=person, cut_off=cut_off):
                await self._depart(person, cut_off=cut_off)
            case Ask(question=question):
                new = question(self.room)
                saved = await self._commit(self.room if isinstance(new, Refusal) else new)
                job.answer(new if isinstance(new, Refusal) else None if saved else Refusal("not-saved"))
            case Change(change=change, stands=stands):
                await self._commit(change(self.room), stands=stands)
            case BotAnswer():
                await self._commit(self._bots.act(self.room, job))
            case Close() if job.forced or not self._broadcast.links:
                if job.evicted and self.room.running is not None:
                    self.room = self.room.with_match(self.room.running.note(EVICTED_NOTE))
                self._closing = job

    async def _serve_link(self, job: FromLink) -> None:
        link, command = job.link, job.command
        is_here = link in self._broadcast.links
        match command:
            case Keep():
                self._select(job, command)
            case _ if link.closed:
                pass
            case _ if is_here and isinstance(command, TableCommand):
                new = apply(self.room, link.person.id, command, self._config().chat_length, link.origin)
                if await self._answer(job, new) and isinstance(command, Sit):
                    self._leave_other_terminals(link)
                job.settle()
            case Join() | Watch() | QuickPlay() if self._leads_here(command, is_here):
                await self._enter(job, command)
            case Leave() if is_here:
                self._broadcast.remove(link)
                try:
                    await self._depart(link.person.id, cut_off=False)
                finally:
                    self._lobby.went_home(link, Left("left", self.room.code))
                job.settle()
            case _:
                self._route(job)

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
        """Commit `new` and return True; if that fails or it is a refusal, refuse the command."""
        saved = await self._commit(self.room if isinstance(new, Refusal) else new)
        if saved and not isinstance(new, Refusal):
            COMMAND_TO_COMMIT.end(job.begun)
            return True
        refusal = new if isinstance(new, Refusal) else Refusal("not-saved")
        job.link.refuse(job.asked, refusal.reason, refusal.detail)
        return False

    def _break(self, error: Exception, job: Job) -> None:
        CRASHES.add("table")
        where = summarize_error(error)
        _log.error("room_broken", room=self.room.code, game=self.room.order.game.name, where=where)
        self._closing = Close("broken")
        if isinstance(job, FromLink):
            job.settle()
        elif isinstance(job, Ask):
            job.answer(Refusal("table-broke"))

    def _show(self) -> None:
        """Send what changed, and set bots and timers going."""
        if not self._is_known:
            self._closing = Close()
            return
        config, now = self._config(), self._ports.clock()
        if self._broadcast.is_behind(self.room):
            self._lobby.changed(self, room_line(self.room))
        held = self._broadcast.send(self.room, now, config.spectators_every)
        if "spectators" not in self._timers:
            self._timers.set("spectators", held, partial(self._post, _REFRESH))
        if "retry" not in self._timers:
            # Moves of bots and of time could not be saved now either, and would be repeated at once.
            self._bots.wake(self.room, config.bot_pause)
            when = self.room.next_look()
            left = None if when is None else when - now
            self._timers.set("look", left, partial(self._post, _LOOK), key=when)
        waits = None if self._broadcast.links else seconds_until_closed(self.room, config)
        self._timers.set("empty", waits, self.close, key=waits)

    def _try_again(self) -> None:
        """Save changes that stand, and ask bots and time again."""
        self._bots.again()
        self._timers.clear("look")
        self._post(_AGREE)

    def _erased(self, table: TableState, person: str) -> TableState:
        self._broadcast.selections.pop(person, None)
        new = table.erase(person)
        if not new.seating.persons():
            # Bots alone are left; spectators may see the end.
            self.close()
        return new

    def _leads_here(self, command: Join | Watch | QuickPlay, is_here: bool) -> bool:
        if isinstance(command, QuickPlay):
            # At an open table those who want any are right already, else they want another one.
            return not is_here or self.room.state == "open"
        return parse_code(command.code) == self.room.code

    def _route(self, job: FromLink) -> None:
        """Have the lobby serve a command that isn't for this table."""
        job.is_answered = True
        if self._lobby.route(job.link, job.command):
            job.link.settled()

    async def _enter(self, job: FromLink, command: Join | Watch | QuickPlay) -> None:
        link, person = job.link, job.link.person
        again = not isinstance(command, QuickPlay) and command.again
        new: TableState | Refusal
        # A seat on a dead connection of the same client may be taken over, one at another terminal may not.
        if again and any(not link.is_line_of(other) for other in self._other_terminals(link)):
            new = Refusal("elsewhere", self.room.code)
        else:
            come = self.room.watch if isinstance(command, Watch) else self.room.join
            try:
                new = come(person.id, self._lobby.name_of(link), person.guest)
            except Exception:
                # Whose arrival breaks the table at the deal is told so like everybody at it.
                self._admit(link)
                raise
            if isinstance(new, Refusal) and isinstance(command, QuickPlay):
                # Somebody was quicker to the last seat: on to the next table.
                self._route(job)
                return
        if await self._answer(job, new):
            self._admit(link)
        job.settle()

    def _admit(self, link: ServerLink) -> None:
        """Show the table to `link` from now on."""
        if link.closed:
            # It ended while its arrival was being saved.
            self._lobby.missed(link, self)
            self._post(Departed(link.person.id, True))
            return
        self._broadcast.admit(link)
        self._lobby.entered(link, self)
        if link.session:
            code, session, connection = self.room.code, link.session, link.connection
            _log.info("came to a table", room=code, session=session, connection=connection)
        self._leave_other_terminals(link)

    def _other_terminals(self, link: ServerLink) -> tuple[ServerLink, ...]:
        """Return the other links at which the person of `link` has their seat."""
        person = link.person.id
        if self.room.seating.seat_of(person) is None:
            return ()
        return tuple(other for other in self._broadcast.links_of(person) if other is not link)

    def _leave_other_terminals(self, link: ServerLink) -> None:
        """Take the person's seat away from their other terminals, if they have one."""
        for other in self._other_terminals(link):
            self._broadcast.remove(other)
            self._lobby.went_home(other, Left("moved", self.room.code))

    async def _depart(self, person: str, *, cut_off: bool) -> None:
        """Let the person go if this was their last link, and then do what all others want, if that can be saved."""
        gone = self.room
        if not self._broadcast.links_of(person):
            gone = gone.cut_off(person) if cut_off else gone.leave(person)
            self._post(_AGREE)
        await self._commit(gone, stands=True)

    def _select(self, job: FromLink, command: Keep) -> None:
        """Keep a player's selection, in memory only, also if their link has ended meanwhile."""
        person, memo = job.link.person.id, bytes(command.memo)
        if self.room.seating.seat_of(person) is None:
            job.link.refuse(command, "not-seated")
        elif len(memo) > MAX_SELECTION_BYTES:
            job.link.refuse(command, "malformed")
        else:
            self._broadcast.selections[person] = memo
        job.settle()

    async def _save_end(self, closing: Close) -> None:
        if not self._is_known:
            return
        end = closing.end
        try:
            table = self.room.abandon() if end == "closed" else self.room
            self.room = await self._saver.save(table, "open" if end == "left open" else end)
        except JournalClosed:
            raise
        except Exception as error:
            # At the next start the table is what it was when it could last be saved.
            _log.error("end_not_saved", room=self.room.code, end=end, where=summarize_error(error))

    def _finish(self, closing: Close) -> None:
        if closing.end == "left open":
            return
        self._lobby.closed(self)
        for link in tuple(self._broadcast.links):
            self._lobby.went_home(link, closing.left or Left(closing.end, self.room.code))
        # Commands that came too late are served as commands in the lobby.
        while not self._jobs.empty():
            match self._jobs.get_nowait():
                case FromLink() as job if not job.link.closed:
                    self._route(job)
                case Ask() as job:
                    job.answer(Refusal("unknown-code", self.room.code))
                case _:
                    pass
