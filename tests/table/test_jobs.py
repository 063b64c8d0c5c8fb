"""Which bot is asked when, after what pause, and what becomes of its answer; and the timers of a table."""

import asyncio
import itertools
from collections.abc import Callable, Iterator, Sequence

import msgspec
import pytest
from structlog.testing import capture_logs

from cartino_engine.bots import Bot
from cartino_engine.port import Step
from cartino_engine.runner import BotReply, BotRequest
from cartino_protocol.base import CLOCK_WARNING, Seat
from cartino_protocol.commands import Create, Say
from cartino_protocol.records import NoteLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, TableView
from cartino_protocol.wire import encode
from cartino_server.server import Server
from cartino_server.table.bot_executor import BotExecutor, ThreadExecutor
from cartino_server.table.jobs import BotAnswer, BotQuestions, BotTurns, Timers
from cartino_server.table.time_control import TimeControl
from tests.support.asked import Asked
from tests.support.game_server import World, at_a_table
from tests.support.race import Add, Broken, Call, Move, Mute, Pensive, Race, State, Steady
from tests.support.race_table import RaceTable

PAUSE = 7.0
TIME_LIMIT = 20


class Asking(RaceTable):
    """Ann on seat 0 with two bots, all in one table's game; its first state has the number 1."""

    def __init__(
        self,
        turns: str = "one",
        game: Race | None = None,
        substitutes: Sequence[str] = (),
    ) -> None:
        super().__init__(3, "doubter", "steady", goal="9", turns=turns, game=game, substitutes=substitutes)
        self.play("ann joins")
        self.asked = Asked()
        self.first_moves: list[BotAnswer] = []
        self.driver = BotTurns(self.asked, self.first_moves.append)

    def woken(self) -> list[tuple[Seat, int, float]]:
        self.driver.wake(self.table, PAUSE)
        return self.asked.notes()

    def answers(self, seat: Seat, number: int, *moves: Move, failed: str = "") -> None:
        self.asked.thinks.discard(seat)
        self.table = self.driver.act(self.table, BotAnswer(seat, number, tuple(map(encode, moves)), failed))

    def first_move(self) -> None:
        """What nobody has to think about comes back to the table's task."""
        self.table = self.driver.act(self.table, self.first_moves.pop())

    def substitute(self, seat: Seat) -> str:
        return self.seen().seats[seat].substitute

    def totals(self) -> tuple[int, ...]:
        state: State = self.match.state
        return state.totals


def bot_on_turn(turns: str = "one", substitutes: Sequence[str] = (), game: Race | None = None) -> Asking:
    """A table at which ann has moved, and the bot on seat 1 is asked about the state 2."""
    table = Asking(turns, game, substitutes).play("ann adds 1")
    assert (1, 2, PAUSE) in table.woken()
    return table


def test_who_is_on_turn_is_asked_once_after_a_pause() -> None:
    assert Asking().woken() == []
    table = bot_on_turn()
    assert table.woken() == []
    table.answers(1, 2, Add(1))
    assert table.woken() == [(2, 3, PAUSE)]


class Longer(Race):
    """A turn is three moves."""

    def apply(self, state: State, seat: Seat, move: Move) -> Step[State] | Refusal:
        step = super().apply(state, seat, move)
        if isinstance(step, Step) and sum(step.state.totals) % 3:
            return Step(msgspec.structs.replace(step.state, seat=state.seat), step.lines)
        return step


class TestPlans:
    @pytest.fixture
    def table(self) -> Asking:
        """A table at which the bot on seat 1 has made the first of three planned moves."""
        table = Asking("one", Longer()).play("ann adds 1, ann adds 1, ann adds 1")
        ((seat, number, _),) = table.woken()
        table.answers(seat, number, Add(1), Add(1), Add(1))
        assert (seat, table.totals()) == (1, (3, 1, 0))
        return table

    def test_they_are_played_without_asking_again(self, table: Asking) -> None:
        for left in (2, 1):
            assert table.woken() == []
            assert table.asked.planned.pop() == (1, table.number, (encode(Add(1)),) * left)
            table.answers(1, table.number, *[Add(1)] * left)
        assert table.totals() == (3, 3, 0)
        ((seat, _, _),) = table.woken()
        assert (seat, table.asked.planned) == (2, []), "the next bot is asked"

    @pytest.mark.parametrize("is_saved", [True, False])
    def test_they_are_dropped_when_somebody_else_acts_or_a_move_was_not_saved(
        self, table: Asking, is_saved: bool
    ) -> None:
        if is_saved:
            table.play("ann calls")
        else:
            table.driver.retry_bots()
        ((seat, number, _),) = table.woken()
        assert (seat, number, table.asked.planned) == (1, table.number, [])


def test_who_may_interfere_is_asked_at_once_and_once_a_state() -> None:
    table = Asking("call")
    assert table.woken() == [(1, 1, 0), (2, 1, 0)]
    for seat in (1, 2):
        table.answers(seat, 1)
    assert (table.woken(), table.number) == ([], 1)
    table.play("ann adds 1")
    assert table.woken() == [(1, 2, PAUSE), (2, 2, 0)]


@pytest.mark.parametrize("both", [True, False])
def test_whoever_acts_first_moves_on_and_the_others_are_asked_again(both: bool) -> None:
    table = Asking("call")
    assert len(table.woken()) == 2
    with capture_logs() as logs:
        table.answers(2, 1, Call())
        if not both:
            assert table.woken() == [(2, 2, 0)], "the other still thinks"
        table.answers(1, 1, Call())
    assert (table.match.state.calls, table.number, logs) == (1, 2, [])
    assert table.woken() == ([(1, 2, 0), (2, 2, 0)] if both else [(1, 2, 0)])


def test_whose_answer_was_overtaken_in_turn_pauses_no_second_time() -> None:
    """Else the bot whose pause ends first would go on being first, and the other never move."""
    table = Asking("all")
    assert table.woken() == [(1, 1, PAUSE), (2, 1, PAUSE)]
    table.answers(1, 1, Add(1))
    assert table.woken() == [(1, 2, PAUSE)]
    table.answers(2, 1, Add(1))
    assert table.woken() == [(2, 2, 0)]
    table.answers(2, 2, Add(1))
    assert (table.totals(), table.woken()) == ((0, 1, 1), [(2, 3, PAUSE)])


def test_a_new_turn_has_its_own_pause() -> None:
    table = bot_on_turn().play("ann calls")
    table.answers(1, 2, Add(1))
    assert table.woken() == [(1, 3, 0)]
    table.answers(1, 3, Add(1))
    assert table.woken() == [(2, 4, PAUSE)]


def test_a_turn_that_was_taken_away_leaves_the_next_its_pause() -> None:
    class Passing(Race):
        def apply(self, state: State, seat: Seat, move: Move) -> Step[State] | Refusal:
            step = super().apply(state, seat, move)
            if isinstance(move, Call) and isinstance(step, Step):
                return Step(msgspec.structs.replace(step.state, seat=(state.seat + 1) % 3), ())
            return step

    table = bot_on_turn(game=Passing())
    for number in (3, 4, 5):
        table.play("ann calls")
        if number == 3:
            table.answers(1, 2, Add(1))
        table.driver.wake(table.table, PAUSE)
    assert table.asked.notes() == [(2, 3, PAUSE), (1, 5, PAUSE)]


@pytest.mark.parametrize(
    ("moves", "failed", "events"),
    [((), "", []), ((), "it raised", []), ((Add(50),), "", ["bot_refused"])],
    ids=["nothing to say", "failed", "illegal"],
)
def test_who_can_not_go_on_in_turn_is_replaced_by_the_next_bot(
    moves: tuple[Move, ...], failed: str, events: list[str]
) -> None:
    table = bot_on_turn(substitutes=("doubter", "steady"))
    assert table.substitute(1) == ""
    with capture_logs() as logs:
        table.answers(1, 2, *moves, failed=failed)
    assert [line["event"] for line in logs] == events
    assert (table.totals(), table.number) == ((1, 0, 0), 2), "nobody has moved yet"
    assert table.match.lines[-1] == NoteLine("bot doubter failed: steady takes over", 1)
    assert table.substitute(1) == "steady"
    ((seat, number, _),) = table.woken()
    assert (seat, number, table.asked.bots) == (1, 2, ["doubter", "steady"])
    table.answers(1, 2, Add(1))
    assert table.totals() == (1, 1, 0)


def test_whom_nobody_can_replace_makes_the_first_legal_move_for_the_rest_of_the_game() -> None:
    table = bot_on_turn()
    table.answers(1, 2)
    assert (table.substitute(1), table.woken()) == ("the first legal move", []), "there is nobody to ask"
    table.first_move()
    assert table.totals() == (1, 1, 0)
    table.woken()
    table.answers(2, 3, Add(1))
    assert table.play("ann adds 1").woken() == []
    table.first_move()
    assert (table.totals(), table.asked.bots) == ((2, 2, 1), ["doubter", "steady"])


def test_who_fails_off_turn_is_replaced_and_who_errs_there_is_not() -> None:
    table = Asking("call", substitutes=("steady",))
    assert table.woken() == [(1, 1, 0), (2, 1, 0)]
    table.answers(1, 1, failed="it raised")
    assert (table.substitute(1), table.number, table.woken()) == ("steady", 1, [(1, 1, 0)])
    with capture_logs() as logs:
        table.answers(2, 1, Add(1))
    assert (table.totals(), table.number, table.woken()) == ((0, 0, 0), 1, [])
    assert [line["reason"] for line in logs] == ["not-your-turn"]


def test_a_bot_that_has_failed_gets_another_chance_in_the_next_game() -> None:
    table = bot_on_turn(substitutes=("steady",))
    table.answers(1, 2)
    assert table.substitute(1) == "steady"
    table.abandon()
    table.play("ann agrees")
    assert [table.substitute(seat) for seat in range(3)] == ["", "", ""]
    assert (table.woken(), table.asked.bots[-1]) == ([(0, 3, PAUSE)], "doubter")


def test_a_game_that_waits_for_a_seat_without_moves_is_broken() -> None:
    class Stuck(Race):
        def legal(self, state: State, seat: Seat) -> Iterator[Move]:
            return iter(())

    table = bot_on_turn(game=Stuck())
    table.answers(1, 2)
    table.woken()
    with pytest.raises(RuntimeError, match="waits for seat 1"):
        table.first_move()


def test_nobody_is_asked_while_the_game_is_paused_or_when_it_is_over_and_late_answers_are_dropped() -> None:
    table = bot_on_turn().play("ann pauses")
    table.answers(1, 2, Add(1))
    assert (table.totals(), table.woken()) == ((1, 0, 0), [])
    table.play("ann resumes")
    assert [(seat, number) for seat, number, _ in table.woken()] == [(1, 2)]
    table.abandon()
    table.answers(1, 2, Call())
    assert (table.match.state.calls, table.woken()) == (0, [])


def test_who_is_back_in_mid_turn_plays_and_the_late_answer_is_dropped() -> None:
    control = TimeControl("none", "30s")
    table = RaceTable(3, "steady", goal="9", substitutes=("steady",), time_control=control)
    asked = Asked()
    driver = BotTurns(asked, lambda _: None)
    driver.wake(table.play("ann joins, bob joins, ann vanishes, 30s").table, PAUSE)
    assert (asked.notes(), table.seen().seats[0].substitute) == ([(0, 1, PAUSE)], "steady")
    table.play("ann joins")
    assert driver.act(table.table, BotAnswer(0, 1, (encode(Add(1)),))) is table.table
    table.play("ann adds 5")


def test_who_answers_to_what_was_not_saved_is_asked_again() -> None:
    table = bot_on_turn()
    before = table.table
    table.answers(1, 2, Add(1))
    table.table = before
    assert table.woken() == []
    table.driver.retry_bots()
    assert [(seat, number) for seat, number, _ in table.woken()] == [(1, 2)]


class Waking(BotExecutor):
    """An executor that answers when the test says so.

    `asked` has the requests, `time_limit` the seconds of the last one, and `given_up` the bots.
    """

    def __init__(self) -> None:
        self.asked: asyncio.Queue[BotRequest] = asyncio.Queue()
        self.answer: asyncio.Future[BotReply] = asyncio.get_running_loop().create_future()
        self.given_up: list[str] = []
        self.time_limit = 0.0

    async def ask(self, request: BotRequest, time_limit: float) -> BotReply:
        self.time_limit = time_limit
        self.asked.put_nowait(request)
        try:
            return await asyncio.shield(self.answer)
        except asyncio.CancelledError:
            self.given_up.append(request.bot)
            raise

    async def close(self) -> None:
        pass


class Thoughts:
    """Questions to the bots of a race, and what comes of them."""

    def __init__(self, executor: BotExecutor, time_limit: float = TIME_LIMIT) -> None:
        self.heard: asyncio.Queue[BotAnswer] = asyncio.Queue()
        seeds = itertools.count()
        self.thinker = BotQuestions(
            executor, "race", lambda *_: next(seeds).to_bytes(16, "big"), time_limit, self.heard.put_nowait
        )

    async def next(self) -> BotAnswer:
        async with asyncio.timeout(TIME_LIMIT):
            return await self.heard.get()


class TestQuestions:
    @pytest.mark.parametrize(
        ("bot", "moves", "why"),
        [(Steady(), (encode(Add(1)),), ""), (Mute(), (), ""), (Broken(), (), "ZeroDivisionError (race.py:")],
        ids=["moves", "lets it be", "raises"],
    )
    async def test_a_bot_answers_to_what_it_saw(self, bot: Bot, moves: tuple[bytes, ...], why: str) -> None:
        thoughts = Thoughts(ThreadExecutor({(bot.game, bot.name): bot}))
        with capture_logs() as logs:
            thoughts.thinker.begin(bot.name, 2, 7, b"view", 0)
            busy = [thoughts.thinker.busy(seat) for seat in (1, 2)]
            answer = await thoughts.next()
        assert [*busy, thoughts.thinker.busy(2)] == [False, True, False]
        assert (answer.seat, answer.number, answer.moves) == (2, 7, moves)
        assert answer.failed.startswith(why)
        assert [(line["event"], line["bot"], line["seat"], line["why"]) for line in logs] == [
            ("bot_failed", bot.name, 2, answer.failed)
        ] * bool(why)

    async def test_a_slow_bot_holds_up_no_other_and_fails_when_its_time_is_up(self) -> None:
        slow = Pensive()
        executor = ThreadExecutor({(bot.game, bot.name): bot for bot in (slow, Steady())})
        thoughts, hasty = Thoughts(executor), Thoughts(executor, time_limit=0.01)
        try:
            thoughts.thinker.begin("pensive", 0, 7, b"view", 0)
            assert await asyncio.to_thread(slow.asked.wait, TIME_LIMIT)
            thoughts.thinker.begin("steady", 1, 7, b"view", 0)
            assert (await thoughts.next()).seat == 1
            with capture_logs() as logs:
                hasty.thinker.begin("pensive", 2, 7, b"view", 0)
                assert await hasty.next() == BotAnswer(2, 7, (), "no move in 0.01 s")
            assert [(line["event"], line["bot"]) for line in logs] == [("bot_failed", "pensive")]
        finally:
            slow.go.set()
        assert (await thoughts.next()).seat == 0

    async def test_every_choice_has_dice_of_its_own_and_the_executor_the_time_limit(self) -> None:
        executor = Waking()
        executor.answer.set_result(BotReply((b"move",)))
        thoughts = Thoughts(executor, time_limit=0.01)
        for number in (1, 2):
            thoughts.thinker.begin("steady", 0, number, b"view", 0)
            assert await thoughts.next() == BotAnswer(0, number, (b"move",))
        first, second = executor.asked.get_nowait(), executor.asked.get_nowait()
        assert (first.game, first.bot, first.view, executor.time_limit) == ("race", "steady", b"view", 0.01)
        assert first.dice != second.dice

    async def test_stopped_they_are_given_up_in_the_pause_too(self) -> None:
        executor = Waking()
        thoughts = Thoughts(executor)
        thoughts.thinker.begin("slow", 0, 1, b"view", 0)
        thoughts.thinker.begin("later", 1, 1, b"view", 3600)
        async with asyncio.timeout(TIME_LIMIT):
            assert (await executor.asked.get()).bot == "slow"
            assert (executor.asked.empty(), thoughts.thinker.busy(1)) == (True, True)
            thoughts.thinker.stop()
            thoughts.thinker.stop()
            while not executor.given_up:
                await asyncio.sleep(0)
        assert [thoughts.thinker.busy(seat) for seat in (0, 1)] == [False, False]
        assert thoughts.heard.empty()


class TestTimers:
    async def test_of_each_name_the_last_one_goes_off(self) -> None:
        timers, done = Timers(), asyncio.Queue[str]()
        timers.set("look", 0, lambda: done.put_nowait("first"))
        timers.set("look", -5, lambda: done.put_nowait("second"))
        timers.set("empty", 0, lambda: done.put_nowait("third"))
        async with asyncio.timeout(TIME_LIMIT):
            assert {await done.get(), await done.get()} == {"second", "third"}
        assert done.empty()

    @pytest.mark.parametrize("end", [lambda timers: timers.clear("retry"), lambda timers: timers.stop()])
    async def test_one_that_is_cancelled_or_never_due_does_not(self, end: Callable[[Timers], None]) -> None:
        timers, done = Timers(), list[str]()
        timers.set("look", 1000, lambda: None)
        timers.set("look", None, lambda: None)
        assert "look" not in timers
        timers.set("retry", 0, lambda: done.append("too late"))
        assert "retry" in timers
        end(timers)
        end(timers)
        assert "retry" not in timers
        reached = asyncio.Event()
        asyncio.get_running_loop().call_later(0, reached.set)
        await reached.wait()
        assert done == []


async def test_the_table_is_sent_again_when_a_turn_has_ten_seconds_left(server: Server, world: World) -> None:
    ann, bob = await at_a_table(server, "ann", "bob", create=Create("race", clock="30s"))
    assert ann.table is not None
    number = ann.table.number
    world.skip(15)
    ann.say(Say("hi"))
    await bob.wait(ChatView, lambda chat: bool(chat.lines))
    world.skip(5.1)
    for guest in (ann, bob):
        shown = await guest.wait(TableView, lambda table: (table.seats[0].left or 99) <= CLOCK_WARNING)
        assert shown.number == number
