"""The table during and after a game; the visits are in `table.txt`."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import product
from typing import Any, Final
from zlib import crc32

import msgspec
import pytest
from textual.events import Key

from cartino_engine.port import Step
from cartino_games.cartino.moves import EndTurn, Lay, Move
from cartino_games.cartino.rules.state import CartinoState
from cartino_protocol import wire
from cartino_protocol.commands import Act, Command
from cartino_protocol.link import Outbox
from cartino_protocol.refusals import Refusal, RefusalReason
from cartino_protocol.views import Answer, HistoryView, Mine, SavedSelection, TableView
from cartino_protocol.wire import encode_raw
from cartino_tui.app import CartinoApp
from cartino_tui.game_port.screen import MIN_LOOK, Look, Reaction
from cartino_tui.screens.table import TableScreen
from tests.support.cartino import GAME, Table, position
from tests.support.cartino_table import table_of
from tests.support.games import SCREENS
from tests.support.visit import (
    Counter,
    End,
    LayOne,
    Pick,
    ScriptedLink,
    ToyScreen,
    chat,
    lobby,
    toy_table,
    welcome,
)
from tests.support.visit_script import visits
from tests.tui.conftest import Visiting
from tests.tui.terminal.conftest import FakeTerminal, Stage

LAY_1 = Act(1, encode_raw(LayOne(1)))


async def test_many_turns_in_one_burst_are_played_in_order(visit: Visiting) -> None:
    """The server answers every move; four turns of three keys are typed before the first answer."""
    link = ScriptedLink()
    number = 1

    def answer(command: Command) -> None:
        nonlocal number
        if isinstance(command, Act):
            assert command.number == number
            number += 1
            link.tell(toy_table(number=number, laid=(number + 1) % 2))

    link.reacts = answer
    async with visit(toy_table(), link=link) as v:
        await v.types(*("1", "enter", "e") * 4)
        await v.until(lambda: number == 9)
        moves = [bytes(c.move) for c in link.sent if isinstance(c, Act)]
        assert moves == [bytes(encode_raw(LayOne(1))), bytes(encode_raw(End()))] * 4


async def test_a_move_that_was_not_saved_is_repeated_by_the_same_key(visit: Visiting) -> None:
    """By a game whose stone leaves the hand at once, as Cartino's does."""

    class Hasty(ToyScreen):
        def update_pointer(self, table: TableView, view: Counter, pointer: Pick) -> Pick:
            return pointer

        def key(
            self, table: TableView, view: Counter, pointer: Pick, key: str, look: Look = MIN_LOOK
        ) -> Reaction[Pick]:
            reaction = super().key(table, view, pointer, key, look)
            return Reaction(Pick(), reaction.move) if reaction.move else reaction

    async with visit(toy_table(game="hasty"), game_screens={"hasty": Hasty()}) as v:
        await v.types("1", "enter")
        await v.says(LAY_1)
        await v.hears(Refusal("not-saved", to="Act"))
        assert v.status == Refusal("not-saved").sentence()
        assert "picked 1" in v.text
        await v.types("enter")
        await v.says(LAY_1, LAY_1)
        await v.hears(Refusal("busy", to="Say"), toy_table(game="hasty", number=2))
        assert "picked 0" in v.text, "the refusal was about something else"


# A turn typed in one go, `1`, Enter, `e`, with whatever else may come in between, in every order: it ends once, or one
# is told why not. The app is the real one, behind a terminal's driver; the server is the rules and an outbox, and does
# one thing at a time.

YOU: Final = 1
FIFTH: Final = 5
TURN: Final = (("1", "1"), ("enter", "\r"), ("e", "e"))
"""Keys by their names, and what they write."""
THEIRS: Final = position("AS KS", "AH KH QH 7S", bag="9C 8C 7C", stones=["QSu"])
"""The other is on turn, and it is ours when they have laid a stone and ended it."""
ALONE: Final = position("AS KS 8D 9D", "7H 8S", stones=["QSu"])
"""The same; but our first stone closes our turn by itself, as there is no other of that suit."""


class Playing:
    """A server with one table, and the app of who sits there."""

    def __init__(self) -> None:
        self.link = ScriptedLink(self._hear)
        self.stage = Stage(FakeTerminal(width=80, height=24), self._make)
        self.number = self.watchers = 0
        self._begin(THEIRS)

    def _make(self, **kwargs: Any) -> CartinoApp:
        return CartinoApp(self.link, game_screens=SCREENS, **kwargs)

    def _hear(self, command: Command) -> None:
        if isinstance(command, Act):
            self.said.append(command)

    def _begin(self, state: CartinoState) -> None:
        self.state = state
        self.number += 1
        self.said: deque[Act] = deque()
        self.outbox = Outbox(8)
        self.moves: list[Move] = []
        self.refused = ""
        self.seen: set[str] = set()
        """What stood over the hints."""

    async def comes_in(self) -> None:
        """The app is at the table, and nothing moves any more."""
        self.link.tell(welcome(), lobby(), self.view)
        await self.stage.shows("Waiting for")
        await self.settles()

    async def begins(self, theirs: CartinoState) -> None:
        """They lay a stone and end their turn; their stone is on its way over the screen yet."""
        self._begin(theirs)
        self.link.tell(self.view)
        await self.settles()
        table = Table(theirs)
        table.lay("ASu")
        table.end()
        self._begin(table.state)
        self.link.tell(self.view)
        await self.settles()

    @property
    def view(self) -> TableView:
        """The table as it is."""
        table = table_of(self.state, YOU)
        return msgspec.structs.replace(table, number=self.number, spectators=self.watchers)

    @property
    def status(self) -> str:
        """The sentence over the hints."""
        screen = self.stage.app.screen
        assert isinstance(screen, TableScreen)
        return screen.shown.text().splitlines()[-2].strip()

    @property
    def waits(self) -> bool:
        """Whether the app waits for an answer."""
        app = self.stage.app
        assert isinstance(app, CartinoApp)
        return app.context.typeahead.waiting

    # What happens, a step each.

    def presses(self, key: str, character: str) -> None:
        """The terminal brings a key."""
        driver = self.stage.app.terminal
        assert driver is not None
        driver.process_message(Key(key, character))

    def moves_on(self, seat: int, move: Move) -> bool:
        """Somebody's move is made, if it is allowed."""
        step = GAME.apply(self.state, seat, move)
        if not isinstance(step, Step):
            return False
        self.state = step.state
        self.number += 1
        self.outbox.put(self.view)
        return True

    def answers(self, refuses: type[Move] | None = None) -> None:
        """The server does the next thing that was said, unless it is of the kind that it `refuses`."""
        if not self.said:
            return
        act = self.said.popleft()
        move = GAME.read_move(bytes(act.move))
        if refuses is not None and isinstance(move, refuses):
            self._refuses("not-saved")
        elif act.number != self.number:
            self._refuses("stale")
        elif self.moves_on(YOU, move):
            self.moves.append(move)
        else:
            self._refuses("illegal")

    def _refuses(self, reason: RefusalReason) -> None:
        refusal = Refusal(reason, to="Act")
        self.refused = refusal.sentence()
        self.outbox.put(refusal)

    def delivers(self) -> bool:
        """The app hears the next answer; False where none waits."""
        frame = self.outbox.next_frame()
        if frame is not None:
            self.link.tell(wire.decode_answer(frame))
        return frame is not None

    async def settles(self) -> None:
        """The app comes to rest."""
        quiet = 0
        async with asyncio.timeout(30):
            while quiet < 3:
                await asyncio.sleep(0)
                pumps = (self.stage.app, *self.stage.app.screen_stack)
                still = self.link.all_heard and not any(pump.message_queue_size for pump in pumps)
                quiet = quiet + 1 if still else 0

    async def goes_on(self, step: str, rest: str, noise: "Noise", refuses: type[Move] | None) -> None:
        """One step of an order, and then as much `rest` for the app as it gets."""
        match step:
            case "N":
                noise(self)
            case "A":
                self.answers(refuses)
            case "D":
                self.delivers()
            case _:
                self.presses(*TURN[int(step)])
        if rest == "all":
            await self.settles()
        elif rest == "a turn of the loop":
            await asyncio.sleep(0)
        self.seen.add(self.status)

    async def goes_through(
        self,
        order: str,
        rest: str,
        noise: "Noise",
        refuses: type[Move] | None = None,
        theirs: CartinoState = THEIRS,
    ) -> None:
        """The whole order, and then all that is still to come."""
        await self.begins(theirs)
        for step in order:
            await self.goes_on(step, rest, noise, refuses)
        await self.settles()
        while self.said or self.delivers():
            self.answers(refuses)
            await self.settles()
            self.seen.add(self.status)
        assert not self.waits, order


Noise = Callable[[Playing], object]


def orders() -> Iterator[str]:
    """Every order of the keys (0 1 2), the server's answers (A), what is delivered of them (D), and one noise (N).

    Nothing is answered before it was said, nor delivered before it waits.
    """

    def after(path: str, waits: tuple[str, ...], heard: frozenset[str]) -> Iterator[str]:
        keys, answers = sum(map(path.count, "012")), path.count("A")
        steps = []
        if keys < len(TURN):
            steps.append((str(keys), waits, heard))
        if (answers == 0 and keys >= 2) or (answers == 1 and keys == 3 and "lay" in heard):
            steps.append(("A", (*waits, ("lay", "end")[answers]), heard))
        if "N" not in path:
            steps.append(("N", (*waits, "noise"), heard))
        if waits:
            steps.append(("D", waits[1:], heard | {waits[0]}))
        if not steps:
            yield path
        for step, waiting, known in steps:
            yield from after(path + step, waiting, known)

    return after("", (), frozenset())


def some(every: bool, *which: object) -> list[str]:
    """All orders; or a fifth of them, another for another `which`."""
    found = list(orders())
    return found if every else found[crc32(repr(which).encode()) % FIFTH :: FIFTH]


each_order = pytest.mark.parametrize(
    "every", [False, pytest.param(True, marks=pytest.mark.soak)], ids=["some orders", "every order"]
)
"""For a test that takes `every`, and hands it to `some`."""


def put(answer: Answer) -> Noise:
    """The server says something that has nothing to do with the turn."""
    return lambda playing: playing.outbox.put(answer)


def somebody_watches(playing: Playing) -> None:
    """The table is shown again, with the same number."""
    playing.watchers += 1
    playing.outbox.put(playing.view)


def has_kept(playing: Playing) -> None:
    """The server tells what was in hand."""
    selection = msgspec.msgpack.encode((1, "KH"))
    kept = msgspec.msgpack.encode((playing.number, msgspec.Raw(selection)))
    playing.outbox.put(SavedSelection(msgspec.Raw(kept)))


NOISES: Final[dict[str, Noise]] = {
    "somebody watches": somebody_watches,
    "talk": put(chat(("Bo", "hm"))),
    "the lobby": put(lobby(people=7)),
    "my tables": put(Mine(())),
    "welcome": put(welcome()),
    "kept": has_kept,
    "told": put(HistoryView("all", "", (), False)),
    "another refused": put(Refusal("busy", to="Say")),
    "keep refused": put(Refusal("busy", to="SaveSelection")),
}


RESTS: Final = ("all", "a turn of the loop", "none")


@pytest.fixture
async def playing() -> AsyncIterator[Playing]:
    there = Playing()
    await there.comes_in()
    yield there
    assert await there.stage.end() == 0


@each_order
@pytest.mark.parametrize(
    ("noise", "rest"),
    [*((noise, "all") for noise in NOISES), *product(("somebody watches", "told"), RESTS[1:])],
)
async def test_a_burst_ends_its_turn_once(playing: Playing, noise: str, rest: str, every: bool) -> None:
    for order in some(every, noise, rest):
        await playing.goes_through(order, rest, NOISES[noise])
        assert [type(move) for move in playing.moves] == [Lay, EndTurn], (order, playing.status)
        assert playing.refused == "", order


@each_order
@pytest.mark.parametrize("rest", RESTS)
@pytest.mark.parametrize(("refuses", "made"), [(Lay, []), (EndTurn, [Lay])])
async def test_what_is_refused_of_a_burst_is_said(
    playing: Playing, rest: str, refuses: type[Move], made: list[type[Move]], every: bool
) -> None:
    for order in some(every, rest, made):
        await playing.goes_through(order, rest, somebody_watches, refuses)
        assert [type(move) for move in playing.moves] == made, order
        assert playing.status == playing.refused != "", order


@each_order
@pytest.mark.parametrize("rest", RESTS)
async def test_a_move_of_a_burst_that_comes_too_late_is_said_to_be(
    playing: Playing, rest: str, every: bool
) -> None:
    """The same person lays a stone from a shell meanwhile: nothing is done unsaid, and the turn ends once."""
    for order in some(every, rest):
        await playing.goes_through(order, rest, lambda playing: playing.moves_on(YOU, Lay("AH", "AHu")))
        assert [type(move) for move in playing.moves].count(EndTurn) == (playing.state.seat != YOU), order
        done = [type(move) for move in playing.moves] == [Lay, EndTurn]
        assert done or playing.refused in playing.seen - {""}, (order, playing.moves, playing.seen)


def the_other_plays(playing: Playing) -> None:
    """The other lays a stone and ends, if they are on turn again."""
    if playing.moves_on(1 - YOU, Lay("KS", "KSu")):
        playing.moves_on(1 - YOU, EndTurn())


@each_order
@pytest.mark.parametrize("rest", RESTS)
async def test_a_turn_that_closes_by_itself_closes_once(playing: Playing, rest: str, every: bool) -> None:
    """The end typed behind it is for no later turn of one's own, which may have begun when the answer comes."""
    for order in some(every, rest):
        await playing.goes_through(order, rest, the_other_plays, theirs=ALONE)
        assert [type(move) for move in playing.moves] == [Lay], order
        assert playing.refused == "", order


test_visits = visits(__file__)
