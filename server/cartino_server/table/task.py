"""Run one table: take commands from a queue, save their outcome, send views, wake bots and timers.

Only this task touches the table's state, so no command is ever half done. What a job changes is saved before anybody
sees it. The queue is bounded by what can be in it: a command and a departure per link, a move per bot.
"""

import asyncio
import contextvars
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Final

import structlog

from cartino_protocol.commands import Command
from cartino_protocol.notices import News
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left
from cartino_server.limits import ServerConfig
from cartino_server.metrics.definitions import CRASHES
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.store.moderation import GUEST_PREFIX
from cartino_server.store.port import JournalClosed, NotSaved
from cartino_server.table.bot_executor import BotExecutor
from cartino_server.table.bots import BotAnswer, BotQuestions, BotTurns
from cartino_server.table.commands import CommandHandler, Job, LobbyPort, Outcome, TableEnd, nothing
from cartino_server.table.environment import Ports
from cartino_server.table.lifetime import EvictionLoss, seconds_until_closed
from cartino_server.table.link import ServerLink
from cartino_server.table.saving import Saver, TableMetrics, timed
from cartino_server.table.state import TableState
from cartino_server.table.views import Broadcast, room_line


class Timers:
    """At most one timer of each name."""

    def __init__(self) -> None:
        """None runs."""
        self._handles: dict[str, asyncio.TimerHandle] = {}

    def __contains__(self, name: str) -> bool:
        """Whether a timer of that name was set, and not taken back: one that is over counts too."""
        return name in self._handles

    def set(self, name: str, seconds: float | None, due: Callable[[], object]) -> None:
        """Call `due` in so many seconds, at once where they are over, None for never."""
        self.clear(name)
        if seconds is not None:
            # A timer is the room's: it must not keep alive what belongs to whoever set it off.
            self._handles[name] = asyncio.get_running_loop().call_later(
                max(0.0, seconds), due, context=contextvars.Context()
            )

    def clear(self, name: str) -> None:
        """Take the timer back, where there is one."""
        handle = self._handles.pop(name, None)
        if handle is not None:
            handle.cancel()

    def stop(self) -> None:
        """Take back all of them."""
        for name in tuple(self._handles):
            self.clear(name)


EVICTED_NOTE: Final = "nobody was here, and there were too many tables"
"""In the record of a game that was given up for others."""

_log = structlog.get_logger(__name__)


class TableTask:
    """Runs `room`. Only its task touches the room, so nothing that a command does is ever half done.

    What a job changes is saved before anybody sees or hears of it. The queue is bounded by what can be in it: one
    command a link, a departure a link, a move a bot.
    """

    def __init__(
        self,
        room: TableState,
        saver: Saver,
        mind: BotExecutor,
        config: Callable[[], ServerConfig],
        ports: Ports,
        keeper: "LobbyPort[TableTask]",
    ) -> None:
        """`config()` is the house's as it is just then."""
        self.room = room
        self.saver = saver
        self._feed = Broadcast()
        self._config = config
        self._ports = ports
        self._keeper = keeper
        self._queue: asyncio.Queue[Job] = asyncio.Queue()
        self._awaited: deque[Job] = deque()
        """Those in the queue, and the one that is being done, which people wait for: they may bring somebody here."""
        game = room.order.game.name
        thinker = BotQuestions(mind, game, ports.entropy, config().bot_patience, self._heard, room.code)
        self._driver = BotTurns(room, thinker, self._heard)
        self._service: CommandHandler[TableTask] = CommandHandler(
            room,
            self._feed,
            saver.in_hand,
            keeper,
            self,
            self._queue.put_nowait,
            lambda: config().chat_length,
        )
        self._end: TableEnd | None = None
        self._last: Left | None = None
        """What all who are here at the end are told, if it is not the usual."""
        self._counted = TableMetrics(room)
        self._timers = Timers()
        self._waits: float | None = None
        self._looks: float | None = None

    # What the house asks for.

    @property
    def is_lonely(self) -> bool:
        """Whether nobody is here or on the way, and nobody would miss the table but who opened it."""
        others = set(self.room.seating.persons()) - {self.saver.opener}
        return not (self._is_wanted or others)

    @property
    def opened_by_guest(self) -> bool:
        """Whether nobody with a key opened the table."""
        return self.saver.opener.startswith(GUEST_PREFIX)

    def record(self, person: str) -> bytes | None:
        """Return the record of the game here as far as it is saved, as `person` may read it.

        None before the first deal. See `Play.export`.
        """
        saved = self.saver.saved
        if saved.play is None:
            return None
        return saved.play.export(saved.lines, self.room.seating.seat_of(person))

    def post(self, link: ServerLink, command: Command, asked: Command | None = None) -> bool:
        """Queue a command of `link`; True where it is done already, refused because too many wait.

        `asked` is the command that it came from, if that was another: a refusal answers that one.
        """
        if self._queue.qsize() >= self._config().queue:
            link.refuse(asked or command, "busy")
            return True
        self._await(timed(partial(self._service.serve, link, command, asked or command)))
        return False

    @property
    def has_time(self) -> bool:
        """Whether not too much waits already."""
        return self._queue.qsize() < self._config().queue

    def ask(
        self, question: Callable[[TableState], Refusal | None], hear: Callable[[Refusal | None], object]
    ) -> None:
        """Queue what somebody without a link here asks; `hear` is told why not, or None once it is done and saved."""
        self._await(partial(self._asked, question, hear))

    def forget(self, link: ServerLink, *, cut_off: bool) -> None:
        """The link has ended (`cut_off`) or stands elsewhere: it gets nothing more from here."""
        self._feed.remove(link)
        self._queue.put_nowait(partial(self._service.departed, link.person.id, cut_off))

    async def erase(self, person: str) -> None:
        """A person has deleted their account (see `Room.erase`). Raises NotSaved, with the table as it was."""
        if self._service.is_over:
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
        """A person who sits or stands here is called `name` now."""
        self._queue.put_nowait(partial(self.room.rename, person, name))

    def warn(self) -> None:
        """Tell everybody at the table that the house restarts in a moment."""
        self._queue.put_nowait(partial(self.room.announce, News("restarts")))

    @property
    def loss(self) -> EvictionLoss:
        """What is lost if the table closes now."""
        room = self.room
        # To a table that was never saved its opener is just coming.
        if self._is_wanted or not self._is_known:
            return EvictionLoss.GAME
        if room.state == "finished":
            return EvictionLoss.NOTHING
        if room.rounds.running is None or not room.rounds.running.play.made:
            return EvictionLoss.DEAL
        return EvictionLoss.OWN_GAME if self.is_lonely else EvictionLoss.GAME

    def give_up(self) -> None:
        """Close the table, which is lonely: what is queued from now on finds it closed."""
        self._queue.put_nowait(self._given_up)

    def give_way(self) -> None:
        """Close the table, whose loss is less than a game of people, for others; its record says so."""
        self._queue.put_nowait(self._gives_way)

    def close(self, text: str) -> None:
        """Close the table, whoever is at it: the host has said so, for the reason `text`."""
        self._queue.put_nowait(partial(self._closed_by_host, Left("host", self.room.code, text)))

    def stop(self) -> None:
        """Serve what waits, and leave the table as it is for the next start of the house."""
        self._queue.put_nowait(self._left_open)

    async def run(self) -> None:
        """Serve until the room is closed. Whatever the engine raises ends this room and no other."""
        # For whatever is logged in this task, by whom.
        structlog.contextvars.bind_contextvars(room=self.room.code)
        try:
            if self._is_known:
                await self._do(nothing)
            while self._end is None:
                job = await self._queue.get()
                await self._do(job)
                if self._awaited and self._awaited[0] is job:
                    self._awaited.popleft()
                # A table with much to do lets the others have their turn.
                await asyncio.sleep(0)
            await self._save_end(self._end)
        except JournalClosed:
            # Nobody is told anything any more that is not saved: the house is about to end.
            self._end = "left open"
        finally:
            self._service.is_over = True
            self._driver.stop()
            self._timers.stop()
            self._feed.finish()
        self._close(self._end)

    # A job, from its effects to what everybody sees of them.

    @property
    def _is_known(self) -> bool:
        """Whether the table was ever saved. One that could not be is not there at all."""
        return self.saver.saved.facts is not None

    @property
    def _is_wanted(self) -> bool:
        """Whether somebody is here, or may be on the way.

        Where nobody is, nobody can come before a job that is queued now: so a table that is to close then does.
        """
        return bool(self.room.present or self._feed.links or self._awaited)

    def _await(self, job: Job) -> None:
        self._awaited.append(job)
        self._queue.put_nowait(job)

    async def _do(self, job: Job) -> None:
        mark, outcome = self.room.mark(), Outcome()
        try:
            outcome = job() or outcome
            saved = await self._save()
            if not saved and outcome.undone is not None:
                self.room.back_to(mark)
            tell = outcome.then if saved else outcome.undone or outcome.then
            if tell is not None:
                tell()
            outcome = Outcome()
            if self._is_known:
                self._show()
            else:
                self._end = "closed"
        except JournalClosed:
            raise
        except Exception as error:
            self._broke(error)
            self.room.back_to(mark)
            if outcome.given_up is not None:
                outcome.given_up()

    async def _save(self) -> bool:
        """Whether the journal has all that is new; if it hasn't, it is tried again in a while."""
        if not self.saver.is_behind:
            return True
        try:
            await self.saver.save()
        except NotSaved as error:
            _log.warning("not_saved", room=self.room.code, why=str(error))
            if "retry" not in self._timers:
                self._set_timer("retry", self._config().retry, self._tried_again)
            return False
        self._counted.saved()
        return True

    def _broke(self, error: Exception) -> None:
        CRASHES.add("table")
        _log.error(
            "room_broken", room=self.room.code, game=self.room.order.game.name, where=summarize_error(error)
        )
        self._end = "broken"

    def _show(self) -> None:
        if self._feed.is_behind(self.room):
            self._keeper.changed(self, room_line(self.room))
        held = self._feed.send(self.room, self._ports.clock(), self._config().gallery_every)
        if "gallery" not in self._timers:
            self._set_timer("gallery", held, self._murmured)
        self._service.send_selections()
        if "retry" not in self._timers:
            # What bots and time bring about could not be saved now either, and they would bring it about at once.
            self._driver.wake(self._config().bot_pause)
            self._mind_time()
        self._mind_emptiness()

    def _asked(
        self, question: Callable[[TableState], Refusal | None], hear: Callable[[Refusal | None], object]
    ) -> Outcome | None:
        broke = partial(hear, Refusal("table-broke"))
        if self._service.is_over:
            hear(Refusal("unknown-code", self.room.code))
            return None
        try:
            refusal = question(self.room)
        except Exception:
            broke()
            raise
        told = partial(hear, refusal)
        return Outcome(told, told if refusal else partial(hear, Refusal("not-saved")), broke)

    def _erased(self, room: TableState, person: str) -> None:
        if self.saver.opener == person:
            self.saver.opener = ""
        self.saver.in_hand.forget(person)
        room.erase(person)
        if not room.seating.persons():
            # Bots alone are left; who watches may see the end.
            self.give_up()

    # Bots and time.

    def _heard(self, thought: BotAnswer) -> None:
        self._queue.put_nowait(partial(self._bot_acts, thought))

    def _bot_acts(self, thought: BotAnswer) -> Outcome | None:
        if self._service.is_over:
            return None
        self._driver.act(thought)
        return Outcome(undone=nothing)

    def _tried_again(self) -> None:
        """What could not be saved: changes that stand are saved with this job, bots and time are asked again."""
        self._timers.clear("retry")
        self._driver.again()
        self._looks = None
        self._queue.put_nowait(self._service.agreed)

    def _look(self) -> Outcome:
        self._looks = None
        self.room.look()
        return Outcome(undone=nothing)

    def _murmured(self) -> None:
        """It is time for what was held back."""
        self._timers.clear("gallery")

    def _mind_time(self) -> None:
        when = self.room.next_look()
        if when != self._looks:
            self._looks = when
            self._set_timer("look", None if when is None else when - self._ports.clock(), self._look)

    def _mind_emptiness(self) -> None:
        waits = None if self._feed.links else seconds_until_closed(self.room, self._config())
        if waits != self._waits:
            self._waits = waits
            self._set_timer("empty", waits, self._given_up)

    def _set_timer(self, name: str, seconds: float | None, job: Job) -> None:
        """Queue `job` in so many seconds, None for never."""
        self._timers.set(name, seconds, partial(self._queue.put_nowait, job))

    # The end.

    def _given_up(self) -> None:
        if not self._feed.links and self._end is None:
            self._end = "closed"

    def _gives_way(self) -> None:
        if not self._feed.links and self._end is None and self.room.rounds.running is not None:
            self.room.rounds.running.play.note(EVICTED_NOTE)
        self._given_up()

    def _closed_by_host(self, left: Left) -> None:
        if self._end is None:
            self._end, self._last = "closed", left

    def _left_open(self) -> None:
        self._end = self._end or "left open"

    async def _save_end(self, end: TableEnd) -> None:
        if not self._is_known:
            return
        try:
            if end == "closed":
                self.room.abandon()
            await self.saver.save("open" if end == "left open" else end)
            self._counted.saved()
        except JournalClosed:
            raise
        except Exception as error:
            # At the next start the table is what it was when it could last be saved.
            _log.error("end_not_saved", room=self.room.code, end=end, where=summarize_error(error))

    def _close(self, end: TableEnd) -> None:
        if end == "left open":
            return
        self._keeper.closed(self)
        for link in tuple(self._feed.links):
            self._keeper.went_home(link, self._last or Left(end, self.room.code))
        # Who was on the way in, or had more to say here, is served as somebody in the lobby.
        while not self._queue.empty():
            outcome = self._queue.get_nowait()()
            if outcome is not None and outcome.then is not None:
                outcome.then()
