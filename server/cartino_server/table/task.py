"""Run one table: take jobs from a queue, save what they change, send views, wake bots and timers.

Only this task replaces the table's value, so no command is ever half done. A change is saved before anybody sees it; a
value that could not be saved is dropped. The queue is bounded: a command and a departure per link, a move per bot.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final, Protocol

import structlog

from cartino_engine.chance import DICE_BYTES, shared_dice
from cartino_engine.port import GameTooSlowError
from cartino_protocol.base import Seat, parse_code
from cartino_protocol.commands import Command, Join, Leave, QuickPlay, SaveSelection, Sit, TableCommand, Watch
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left, TableLine
from cartino_server.environment import Ports
from cartino_server.limits import ServerConfig
from cartino_server.metrics.definitions import COMMAND_TO_COMMIT, CRASHES
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.store.moderation import GUEST_PREFIX
from cartino_server.store.port import JournalClosed, NotSaved
from cartino_server.table import participants
from cartino_server.table.bot_executor import BotExecutor
from cartino_server.table.jobs import (
    AGREE,
    REFRESH,
    Ask,
    BotAnswer,
    BotQuestions,
    BotTurns,
    Change,
    Close,
    Departed,
    FromLink,
    Job,
    WakeUps,
)
from cartino_server.table.lifetime import TableHolding, is_missed, loss_of
from cartino_server.table.link import ServerLink
from cartino_server.table.saving import SavedTable, Saver
from cartino_server.table.state import TableState
from cartino_server.table.views import Broadcast, table_line

GAME_EXITS: Final = (SystemExit, KeyboardInterrupt)
"""What would end the server if a game raises it; the server handles signals in another way."""
EVICTED_NOTE: Final = "nobody was here, and there were too many tables"
"""In the record of an evicted game."""

_log = structlog.get_logger(__name__)


class LobbyPort(Protocol):
    """What a table's task needs of the lobby, where links are while they are not at the table."""

    def name_of(self, link: ServerLink) -> str:
        """Return the name of the link's person."""

    def route(self, link: ServerLink, command: Command) -> bool:
        """Serve a command that isn't for this table; False where `link.serve_next()` will be called when it is done."""

    def move_link(self, link: ServerLink, code: str) -> None:
        """Note that the link is at the table `code` now, and nowhere else."""

    def reserve_return(self, link: ServerLink, table: TableState) -> None:
        """Note that the link ended before it could enter; its person may have a seat at this table all the same."""

    def went_home(self, link: ServerLink, left: Left) -> None:
        """Note that the link is back in the lobby."""

    def publish_change(self, table: TableState, line: TableLine) -> None:
        """Show `line` for this table in lists from now on."""

    def remove_table(self, table: TableState) -> None:
        """Forget this table."""

    def withdraw(self, game: str) -> None:
        """Offer the game of that name no more: a call of it made everybody wait."""


class LinkCommands:
    """Serves links at the table of `saved` and those that want to come; `broadcast` has the links that are there."""

    def __init__(
        self,
        saved: SavedTable,
        broadcast: Broadcast,
        lobby: LobbyPort,
        post: Callable[[Job], object],
    ) -> None:
        """`post` queues a job of the table."""
        self._saved = saved
        self._broadcast = broadcast
        self._lobby = lobby
        self._post = post

    async def serve(self, job: FromLink, chat_length: int) -> None:
        """Do what the link asks for, or refuse it; a line of chat has at most so many characters."""
        link, command, table = job.link, job.command, self._saved.table
        is_here = link in self._broadcast.links
        match command:
            case SaveSelection():
                self._select(job, command)
            case _ if link.closed:
                pass
            case _ if is_here and isinstance(command, TableCommand):
                new = participants.apply(table, link.person.id, command, chat_length, link.origin)
                if await self._answer(job, new) and isinstance(command, Sit):
                    self._leave_other_terminals(link)
                job.settle()
            case Join() | Watch() | QuickPlay() if self._leads_here(command, is_here):
                await self._enter(job, command)
            case Leave() if is_here:
                self._broadcast.remove(link)
                try:
                    await self.depart(link.person.id, cut_off=False)
                finally:
                    self._lobby.went_home(link, Left("left", table.code))
                job.settle()
            case _:
                self.route(job)

    async def depart(self, person: str, *, cut_off: bool) -> None:
        """Let the person go if this was their last link, and then do what all others want, if that can be saved."""
        gone = self._saved.table
        if not self._broadcast.links_of(person):
            gone = participants.cut_off(gone, person) if cut_off else participants.leave(gone, person)
            self._post(AGREE)
        await self._saved.commit(gone, stands=True)

    def route(self, job: FromLink) -> None:
        """Have the lobby serve a command that isn't for this table."""
        job.is_answered = True
        if self._lobby.route(job.link, job.command):
            job.link.serve_next()

    def _leads_here(self, command: Join | Watch | QuickPlay, is_here: bool) -> bool:
        if isinstance(command, QuickPlay):
            # At an open table those who want any are right already, else they want another one.
            return not is_here or self._saved.table.state == "open"
        return parse_code(command.code) == self._saved.table.code

    async def _answer(self, job: FromLink, new: TableState | Refusal) -> bool:
        """Commit `new` and return True; if that fails or it is a refusal, refuse the command."""
        saved = await self._saved.commit(self._saved.table if isinstance(new, Refusal) else new)
        if saved and not isinstance(new, Refusal):
            COMMAND_TO_COMMIT.end(job.begun)
            return True
        refusal = new if isinstance(new, Refusal) else Refusal("not-saved")
        job.link.refuse(job.asked, refusal.reason, refusal.detail)
        return False

    async def _enter(self, job: FromLink, command: Join | Watch | QuickPlay) -> None:
        link, person, table = job.link, job.link.person, self._saved.table
        again = not isinstance(command, QuickPlay) and command.again
        new: TableState | Refusal
        # A seat on a dead connection of the same client may be taken over, one at another terminal may not.
        if again and any(not link.is_line_of(other) for other in self._other_terminals(link)):
            new = Refusal("elsewhere", table.code)
        elif sealed := table.sealed_for(person.id):
            new = sealed
        else:
            come = participants.watch if isinstance(command, Watch) else participants.join
            try:
                new = come(table, person.id, self._lobby.name_of(link), person.guest)
            except (Exception, *GAME_EXITS):
                # Whose arrival breaks the table at the deal is told so like everybody at it.
                self._admit(link)
                raise
            if isinstance(new, Refusal) and isinstance(command, QuickPlay):
                # Somebody was quicker to the last seat: on to the next table.
                self.route(job)
                return
        if await self._answer(job, new):
            self._admit(link)
        job.settle()

    def _admit(self, link: ServerLink) -> None:
        """Show the table to `link` from now on."""
        table = self._saved.table
        if link.closed:
            # It ended while its arrival was being saved.
            self._lobby.reserve_return(link, table)
            self._post(Departed(link.person.id, True))
            return
        self._broadcast.admit(link)
        self._lobby.move_link(link, table.code)
        if link.session:
            _log.info("came to a table", table=table.code, session=link.session, connection=link.connection)
        self._leave_other_terminals(link)

    def _other_terminals(self, link: ServerLink) -> tuple[ServerLink, ...]:
        """Return the other links at which the person of `link` has their seat."""
        person = link.person.id
        if self._saved.table.seating.seat_of(person) is None:
            return ()
        return tuple(other for other in self._broadcast.links_of(person) if other is not link)

    def _leave_other_terminals(self, link: ServerLink) -> None:
        """Take the person's seat away from their other terminals, if they have one."""
        for other in self._other_terminals(link):
            self._broadcast.remove(other)
            self._lobby.went_home(other, Left("moved", self._saved.table.code))

    def _select(self, job: FromLink, command: SaveSelection) -> None:
        """Keep a player's selection, also if their link has ended meanwhile."""
        if self._saved.table.seating.seat_of(job.link.person.id) is None:
            job.link.refuse(command, "not-seated")
        elif not self._broadcast.select(job.link.person.id, bytes(command.selection)):
            job.link.refuse(command, "malformed")
        job.settle()


class TableTask:
    """Runs one table: does its jobs one at a time."""

    def __init__(
        self,
        table: TableState,
        saver: Saver,
        executor: BotExecutor,
        config: ServerConfig,
        ports: Ports,
        lobby: LobbyPort,
    ) -> None:
        self._config = config
        self._ports = ports
        self._lobby = lobby
        self._jobs: asyncio.Queue[Job] = asyncio.Queue()
        self._awaited = 0
        """Jobs queued or being done that people wait for, and which may make them enter."""
        post = self._jobs.put_nowait
        game, time_limit = table.order.game.name, config.bot_time_limit
        questions = BotQuestions(executor, game, self._dice, time_limit, post, table.code)
        self._bots = BotTurns(questions, post)
        self._wake_ups = WakeUps(self._bots, ports.clock, post)
        self._saved = SavedTable(table, saver, self._not_saved)
        self._broadcast = Broadcast()
        self._links = LinkCommands(self._saved, self._broadcast, lobby, post)
        self._closing: Close | None = None
        self._is_over = False

    def configure(self, config: ServerConfig) -> None:
        """Apply `config` from now on."""
        self._config = config

    @property
    def table(self) -> TableState:
        """The table's newest value."""
        return self._saved.table

    @property
    def game(self) -> int:
        """The number of its game in the journal."""
        return self._saved.saver.game

    @property
    def is_lonely(self) -> bool:
        """Whether nobody is here or about to enter, and nobody but its opener would miss the table.

        Nobody gives up a challenge by opening another table.
        """
        return not (self._is_wanted or self.table.is_kept_challenge or is_missed(self.table))

    @property
    def has_time(self) -> bool:
        """Whether the queue has room for one more command."""
        return self._jobs.qsize() < self._config.queue

    def holding(self, origin: tuple[str, ...]) -> TableHolding:
        """Return the table as one that its opener, who came from `origin`, holds."""
        table, running = self.table, self.table.running
        # The opener of a table that was never saved is about to come.
        loss = loss_of(table, is_wanted=self._is_wanted or self._saved.saver.saved is None)
        moves = 0 if running is None else running.made
        return TableHolding(
            table.code, table.opener, origin, loss, table.opener.startswith(GUEST_PREFIX), moves
        )

    def record(self, person: str) -> bytes | None:
        """Return the record of the game as far as it is saved, as `person` may read it; None before the first deal."""
        saved = self._saved.saver.saved
        if saved is None or saved.match is None:
            return None
        return saved.match.export(self.table.seating.seat_of(person))

    def post(self, link: ServerLink, command: Command, asked: Command | None = None) -> bool:
        """Queue a command of `link`; return True if it was refused at once, because too many wait.

        `asked` is the command that it came from, if that was another: a refusal answers that one.
        """
        if not self.has_time:
            link.refuse(asked or command, "busy")
            return True
        self._awaited += 1
        self._jobs.put_nowait(FromLink(link, command, asked or command, COMMAND_TO_COMMIT.begin()))
        return False

    async def ask(self, question: Callable[[TableState], TableState | Refusal]) -> Refusal | None:
        """Commit what `question` makes of the table; return a refusal, or None once it is saved."""
        job = Ask(question, asyncio.get_running_loop().create_future())
        self._awaited += 1
        self._jobs.put_nowait(job)
        return await job.answered

    def change(self, change: Callable[[TableState], TableState]) -> None:
        """Queue a change that stands even if it can't be saved yet."""
        self._jobs.put_nowait(Change(change, stands=True))

    def forget(self, link: ServerLink, *, cut_off: bool) -> None:
        """Send nothing more to a link that has ended (`cut_off`) or is elsewhere."""
        self._broadcast.remove(link)
        self._jobs.put_nowait(Departed(link.person.id, cut_off))

    async def erase(self, person: str) -> None:
        """Remove somebody who deleted their account. Raises NotSaved, with the table as it was."""
        refusal = None if self._is_over else await self.ask(partial(self._erased, person=person))
        if refusal is not None and refusal.reason == "not-saved":
            raise NotSaved(refusal.reason)

    def close(self, how: Close = Close()) -> None:  # noqa: B008 - a frozen value
        """Close the table once all that is queued is served."""
        self._jobs.put_nowait(how)

    async def run(self) -> None:
        """Serve until the table is closed. What the engine raises ends this table and no other."""
        # For everything that is logged in this task.
        structlog.contextvars.bind_contextvars(table=self.table.code)
        try:
            if self._saved.saver.saved is not None:
                self._jobs.put_nowait(REFRESH)
            while self._closing is None:
                job = await self._jobs.get()
                try:
                    await self._serve(job)
                    self._show()
                except JournalClosed:
                    raise
                except (Exception, *GAME_EXITS) as error:
                    self._break(error, job)
                self._awaited -= isinstance(job, FromLink | Ask)
                # A table with much to do lets the others have their turn.
                await asyncio.sleep(0)
            await self._saved.close(self._closing.end)
        except JournalClosed:
            # Nobody is told anything that is not saved: the server is about to end.
            self._closing = Close("open")
        finally:
            self._is_over = True
            self._wake_ups.stop()
            self._broadcast.finish()
        self._finish(self._closing)

    @property
    def _is_wanted(self) -> bool:
        """Whether somebody is here or about to enter; otherwise nobody can enter before a job that is queued now."""
        return bool(self.table.attendance.present or self._broadcast.links or self._awaited)

    async def _serve(self, job: Job) -> None:
        held = self._saved
        match job:
            case FromLink():
                await self._links.serve(job, self._config.chat_length)
            case Departed(person=person, cut_off=cut_off):
                await self._links.depart(person, cut_off=cut_off)
            case Ask(question=question):
                new = question(held.table)
                saved = await held.commit(held.table if isinstance(new, Refusal) else new)
                job.send_answer(new if isinstance(new, Refusal) else None if saved else Refusal("not-saved"))
            case Change(change=change, stands=stands):
                await held.commit(change(held.table), stands=stands)
            case BotAnswer():
                await held.commit(self._bots.act(held.table, job))
            case Close() if job.forced or not self._broadcast.links:
                if job.end == "closed" and held.table.running is not None and held.table.is_sealed:
                    # Its player may come back to the attempt until the deal closes.
                    job = Close("parked", left=job.left)
                if job.evicted:
                    held.note(EVICTED_NOTE)
                self._closing = job

    def _dice(self, seat: Seat, number: int) -> bytes:
        """Return the dice of a bot's choice; at tables of a shared deal the same choice has the same."""
        table = self.table
        if table.order.deal is None:
            return self._ports.entropy(DICE_BYTES)
        return shared_dice(table.seeds[0], seat, number)

    def _not_saved(self) -> None:
        self._wake_ups.try_again(self._config.retry)

    def _break(self, error: BaseException, job: Job) -> None:
        CRASHES.add("table")
        where = summarize_error(error)
        _log.error("table_broken", table=self.table.code, game=self.table.order.game.name, where=where)
        self._closing = Close("broken")
        if isinstance(error, GameTooSlowError):
            self._lobby.withdraw(self.table.order.game.name)
        if isinstance(job, FromLink):
            job.settle()
        elif isinstance(job, Ask):
            job.send_answer(Refusal("table-broke"))

    def _show(self) -> None:
        """Send what changed, and set bots and timers going."""
        if self._saved.saver.saved is None:
            self._closing = Close()
            return
        table, config = self.table, self._config
        if self._broadcast.is_behind(table):
            self._lobby.publish_change(table, table_line(table))
        held = self._broadcast.send(table, self._ports.clock(), config.spectators_every)
        self._wake_ups.plan(table, config, held, is_empty=not self._broadcast.links)

    def _erased(self, table: TableState, person: str) -> TableState:
        self._broadcast.forget_selection(person)
        new = participants.erase(table, person)
        if not new.seating.persons():
            # Bots alone are left; spectators may see the end.
            self.close()
        return new

    def _finish(self, closing: Close) -> None:
        if closing.end == "open":
            return
        self._lobby.remove_table(self.table)
        for link in tuple(self._broadcast.links):
            left = Left("broken" if closing.end == "broken" else "closed", self.table.code)
            self._lobby.went_home(link, closing.left or left)
        # Commands that came too late are served as commands in the lobby.
        while not self._jobs.empty():
            match self._jobs.get_nowait():
                case FromLink() as job if not job.link.closed:
                    self._links.route(job)
                case Ask() as job:
                    job.send_answer(Refusal("unknown-code", self.table.code))
                case _:
                    pass
