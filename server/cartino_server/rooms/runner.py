"""One task a room: commands in, their outcome saved, views out, bots moved, and the room closed when it is over."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Protocol

import msgspec
import structlog

from cartino_protocol.commands import Command, Join, Keep, Leave, QuickPlay, Sit, Watch
from cartino_protocol.ids import read_code
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Kept, Left, RoomLine
from cartino_server.rooms.answering import RoomCommand, answer
from cartino_server.rooms.config import HouseConfig
from cartino_server.rooms.driving import BotDriver
from cartino_server.rooms.feed import Feed
from cartino_server.rooms.in_hand import InHand
from cartino_server.rooms.lifetime import time_left
from cartino_server.rooms.minds import Mind
from cartino_server.rooms.outcome import End, Job, Outcome, nothing
from cartino_server.rooms.ports import Ports
from cartino_server.rooms.room import Room
from cartino_server.rooms.saving import Saver
from cartino_server.rooms.seat import HouseLink
from cartino_server.rooms.show import room_line
from cartino_server.rooms.thinking import Thinker, Thought
from cartino_server.rooms.timers import Timers
from cartino_server.store.port import JournalDead, NotSaved

_log = structlog.get_logger(__name__)


class Keeper(Protocol):
    """What a room's task needs of the house."""

    def name_of(self, link: HouseLink) -> str:
        """What the link's person is called."""

    def route(self, link: HouseLink, command: Command) -> bool:
        """Serve a command that is not this room's; False where `link.settled()` will be called when it is done."""

    def entered(self, link: HouseLink, runner: "RoomRunner") -> None:
        """The link stands in this room now, and nowhere else."""

    def missed(self, link: HouseLink, runner: "RoomRunner") -> None:
        """The link ended before it could enter: whoever it was may have a seat in this room all the same."""

    def went_home(self, link: HouseLink, left: Left) -> None:
        """The link is back in the lobby."""

    def changed(self, runner: "RoomRunner", line: RoomLine) -> None:
        """Lists of rooms show `line` for this room from now on."""

    def closed(self, runner: "RoomRunner") -> None:
        """This room is no more."""


class RoomRunner:
    """Runs `room`. Only its task touches the room, so nothing that a command does is ever half done.

    What a job changes is saved before anybody sees or hears of it. The queue is bounded by what can be in it: one
    command a link, a departure a link, a move a bot.
    """

    def __init__(
        self,
        room: Room,
        saver: Saver,
        mind: Mind,
        config: Callable[[], HouseConfig],
        ports: Ports,
        keeper: Keeper,
        kept: dict[str, bytes] | None = None,
    ) -> None:
        """`config()` is the house's as it is just then; `kept` is what players have in hand, by person."""
        self.room = room
        self.saver = saver
        self._feed = Feed()
        self._config = config
        self._ports = ports
        self._keeper = keeper
        self._queue: asyncio.Queue[Job] = asyncio.Queue()
        game = room.order.game.name
        thinker = Thinker(mind, game, ports.entropy, config().bot_patience, self._heard)
        self._driver = BotDriver(room, thinker, self._heard)
        self._in_hand = InHand(kept or {})
        self._admitted: list[HouseLink] = []
        self._end: End | None = None
        self._gone = False
        self._timers = Timers()
        self._waits: float | None = None
        self._looks: float | None = None

    # What the house asks for.

    @property
    def is_lonely(self) -> bool:
        """Whether nobody is here, and nobody would miss the table but who opened it."""
        others = set(self.room.seating.persons()) - {self.saver.opener}
        return not (self.room.present or self._feed.links or others)

    def record(self) -> bytes | None:
        """The record of the game here as far as it is saved, as `Play.export` has it; None before the first deal."""
        saved = self.saver.saved
        return None if saved.play is None else saved.play.export(saved.lines)

    def post(self, link: HouseLink, command: Command, asked: Command | None = None) -> bool:
        """Queue a command of `link`; True where it is done already, refused because too many wait.

        `asked` is the command that it came from, if that was another: a refusal answers that one.
        """
        if self._queue.qsize() >= self._config().queue:
            link.refuse(asked or command, "busy")
            return True
        self._queue.put_nowait(partial(self._serve, link, command, asked or command))
        return False

    def forget(self, link: HouseLink, *, cut_off: bool) -> None:
        """The link has ended (`cut_off`) or stands elsewhere: it gets nothing more from here."""
        self._feed.remove(link)
        self._queue.put_nowait(partial(self._departed, link.person.id, cut_off))

    def rename(self, person: str, name: str) -> None:
        """A person who sits or stands here is called `name` now."""
        self._queue.put_nowait(partial(self._renamed, person, name))

    def announce(self, text: str) -> None:
        """Tell everybody at the table something."""
        self._queue.put_nowait(partial(self._announced, text))

    def give_up(self) -> None:
        """Close the table if nobody is at it."""
        self._queue.put_nowait(self._given_up)

    def stop(self) -> None:
        """Serve what waits, and leave the table as it is for the next start of the house."""
        self._queue.put_nowait(self._left_open)

    async def run(self) -> None:
        """Serve until the room is closed. Whatever the engine raises ends this room and no other."""
        try:
            if self._is_known:
                await self._do(nothing)
            while self._end is None:
                await self._do(await self._queue.get())
                # A table with much to do lets the others have their turn.
                await asyncio.sleep(0)
            await self._save_end(self._end)
        except JournalDead:
            # Nobody is told anything any more that is not saved: the house is about to end.
            self._end = "left open"
        finally:
            self._gone = True
            self._driver.stop()
            self._timers.stop()
        self._close(self._end)

    # A job, from its effects to what everybody sees of them.

    @property
    def _is_known(self) -> bool:
        """Whether the table was ever saved. One that could not be is not there at all."""
        return self.saver.saved.facts is not None

    async def _do(self, job: Job) -> None:
        mark = self.room.mark()
        try:
            outcome = job() or Outcome()
            if self.saver.is_behind:
                try:
                    await self.saver.save()
                except NotSaved as error:
                    _log.warning("not_saved", code=self.room.code, why=str(error))
                    if outcome.undone is not None:
                        self.room.back_to(mark)
                    if "retry" not in self._timers:
                        self._set_timer("retry", self._config().retry, self._tried_again)
                    outcome = Outcome(outcome.undone or outcome.then)
            if outcome.then is not None:
                outcome.then()
            if self._is_known:
                self._show()
            else:
                self._end = "closed"
        except JournalDead:
            raise
        except Exception:
            _log.exception("room_broken", code=self.room.code, game=self.room.order.game.name)
            self.room.back_to(mark)
            self._end = "broken"

    def _show(self) -> None:
        if self._feed.is_behind(self.room):
            self._keeper.changed(self, room_line(self.room))
        self._feed.send(self.room)
        for link in self._admitted:
            self._give_back(link)
        self._admitted.clear()
        if "retry" not in self._timers:
            # What bots and time bring about could not be saved now either, and they would bring it about at once.
            self._driver.wake(self._config().bot_pause)
            self._mind_time()
        self._mind_emptiness()

    def _serve(self, link: HouseLink, command: Command, asked: Command) -> Outcome | None:
        if link.closed:
            return None
        if self._gone or not (link in self._feed.links or self._leads_here(command)):
            return self._elsewhere(link, command)
        refusal: Refusal | None
        match command:
            case Join() | Watch() | QuickPlay():
                return self._way(link, command, asked)
            case Leave():
                return self._let_go(link)
            case Keep(memo=memo):
                refusal = self._keep(link.person.id, bytes(memo))
            case _ if isinstance(command, RoomCommand):
                refusal = self._answered(link, command)
            case _:
                return self._elsewhere(link, command)
        if refusal is not None:
            return Outcome(partial(self._refuse, link, command, refusal))
        done = partial(self._sat_down, link) if isinstance(command, Sit) else link.settled
        return Outcome(done, partial(self._refuse, link, command, Refusal("not-saved")))

    def _answered(self, link: HouseLink, command: RoomCommand) -> Refusal | None:
        try:
            return answer(self.room, link.person.id, command)
        except Exception:
            # The table breaks, and its people go on in the lobby.
            link.settled()
            raise

    def _elsewhere(self, link: HouseLink, command: Command) -> Outcome | None:
        if self._keeper.route(link, command):
            link.settled()
        return None

    def _refuse(self, link: HouseLink, command: Command, refusal: Refusal) -> None:
        link.refuse(command, refusal.reason, refusal.detail)
        link.settled()

    # Coming and going.

    def _leads_here(self, command: Command) -> bool:
        match command:
            case QuickPlay():
                return True
            case Join(code=code) | Watch(code=code):
                return read_code(code) == self.room.code
            case _:
                return False

    def _way(self, link: HouseLink, command: Join | Watch | QuickPlay, asked: Command) -> Outcome | None:
        if isinstance(command, QuickPlay) and link in self._feed.links and self.room.state != "open":
            # The house has a table for them that is not this one; at an open table they are right already.
            return self._elsewhere(link, command)
        if not self._leads_here(command):
            return self._elsewhere(link, command)
        person, name = link.person, self._keeper.name_of(link)
        come = self.room.watch if isinstance(command, Watch) else self.room.join
        try:
            refusal = come(person.id, name, person.guest)
        except Exception:
            # Who takes the last seat of a table that breaks at the deal is told so like everybody at it.
            self._admit(link)
            raise
        if refusal is None:
            return Outcome(
                partial(self._admit, link), partial(self._refuse, link, asked, Refusal("not-saved"))
            )
        if isinstance(command, QuickPlay):
            # Somebody was quicker to the last seat: on to the next table.
            return self._elsewhere(link, command)
        return Outcome(partial(self._refuse, link, asked, refusal))

    def _admit(self, link: HouseLink) -> None:
        """Let `link` look on from now on."""
        if link.closed:
            # It went while its coming was being saved.
            self._keeper.missed(link, self)
            self._queue.put_nowait(partial(self._departed, link.person.id, True))
            return
        self._feed.admit(link)
        self._keeper.entered(link, self)
        self._admitted.append(link)
        self._sat_down(link)

    def _sat_down(self, link: HouseLink) -> None:
        """Where `link` has a seat now, no other terminal of that person has it any more."""
        if self.room.seating.seat_of(link.person.id) is not None:
            for other in tuple(self._feed.links):
                if other is not link and other.person.id == link.person.id:
                    self._feed.remove(other)
                    self._keeper.went_home(other, Left("moved", self.room.code))
        link.settled()

    def _let_go(self, link: HouseLink) -> Outcome:
        self._feed.remove(link)
        self._departed(link.person.id, False)
        return Outcome(partial(self._let_gone, link))

    def _let_gone(self, link: HouseLink) -> None:
        self._keeper.went_home(link, Left("left", self.room.code))
        link.settled()

    def _departed(self, person: str, cut_off: bool) -> None:
        if not self._gone and not self._feed.holds(person):
            (self.room.cut_off if cut_off else self.room.leave)(person)

    def _renamed(self, person: str, name: str) -> None:
        if not self._gone:
            self.room.rename(person, name)

    def _announced(self, text: str) -> None:
        self.room.announce(text)

    # What players have in hand.

    def _keep(self, person: str, memo: bytes) -> Refusal | None:
        if self.room.seating.seat_of(person) is None:
            return Refusal("not-seated")
        return None if self._in_hand.keep(person, memo) else Refusal("malformed")

    def _give_back(self, link: HouseLink) -> None:
        memo = self._in_hand.of(link.person.id)
        if memo is not None and self.room.rounds.running is not None:
            link.put(Kept(msgspec.Raw(memo)))

    # Bots and time.

    def _heard(self, thought: Thought) -> None:
        self._queue.put_nowait(partial(self._bot_acts, thought))

    def _bot_acts(self, thought: Thought) -> Outcome | None:
        if self._gone:
            return None
        self._driver.act(thought)
        return Outcome(undone=nothing)

    def _tried_again(self) -> None:
        """What could not be saved: changes that stand are saved with this job, bots and time are asked again."""
        self._timers.clear("retry")
        self._driver.again()
        self._looks = None

    def _look(self) -> Outcome:
        self._looks = None
        self.room.look()
        return Outcome(undone=nothing)

    def _mind_time(self) -> None:
        when = self.room.next_look()
        if when != self._looks:
            self._looks = when
            self._set_timer("look", None if when is None else when - self._ports.clock(), self._look)

    def _mind_emptiness(self) -> None:
        waits = None if self._feed.links else time_left(self.room, self._config())
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

    def _left_open(self) -> None:
        self._end = self._end or "left open"

    async def _save_end(self, end: End) -> None:
        if not self._is_known:
            return
        try:
            if end == "left open":
                await self.saver.save(kept=self._in_hand.all())
                return
            if end == "closed":
                self.room.abandon()
            await self.saver.save(end)
        except NotSaved as error:
            # At the next start the table is what it was when it could last be saved.
            _log.warning("end_not_saved", code=self.room.code, end=end, why=str(error))

    def _close(self, end: End) -> None:
        if end == "left open":
            return
        self._keeper.closed(self)
        for link in tuple(self._feed.links):
            self._keeper.went_home(link, Left(end, self.room.code))
        # Who was on the way in, or had more to say here, is served as somebody in the lobby.
        while not self._queue.empty():
            outcome = self._queue.get_nowait()()
            if outcome is not None and outcome.then is not None:
                outcome.then()
