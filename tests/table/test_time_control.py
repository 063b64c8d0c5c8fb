"""What a table waits for and how long: turn clocks, absences, substitutes, claims, and what stops them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_engine.port import Claim
from cartino_engine.replay import read_record, verify
from cartino_protocol.base import Absence, Clock, Seat
from cartino_protocol.commands import Create, Leave, Watch
from cartino_protocol.records import NoteLine, write_lines
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ClaimView, Left, TableView
from cartino_protocol.wire import encode
from cartino_server.server import Server
from cartino_server.table.jobs import BotAnswer, BotTurns
from cartino_server.table.match import bot_for, bot_may_act
from cartino_server.table.time_control import (
    GameTiming,
    SubstituteReason,
    TimeControl,
    TurnClock,
    start_timing,
)
from tests.support.asked import Asked
from tests.support.game_server import World, a_guest, at_a_table
from tests.support.lasting import hush
from tests.support.race import HOLD, LAST, Accept, Add, AnswerLine, Call, Move, Race, State
from tests.support.race_table import RaceTable, filled
from tests.support.scene import turns, waiting_for_nothing

MINUTE = TurnClock(60.0)
BEGUN = MINUTE.start_turn([1], 0, 10.0)
BOTH = MINUTE.start_turn([0], 0, 0.0).start_turn([0, 2], 0, 20.0)
STOPPED = MINUTE.start_turn([0], 0, 0.0).run(False, 45.0)
UNLIMITED = TurnClock().start_turn([0], 1, 0.0).run(False, 1.0).run(True, 2.0)


@pytest.mark.parametrize(
    ("clock", "now", "lefts", "next_due", "overdue"),
    [
        pytest.param(UNLIMITED, 1e9, {0: None}, None, (), id="no limit"),
        pytest.param(BEGUN, 40.0, {0: None, 1: 30.0}, 70.0, (), id="running"),
        pytest.param(BEGUN, 70.0, {1: 0.0}, 70.0, (1,), id="up at its moment"),
        pytest.param(BEGUN, 500.0, {1: 0.0}, 70.0, (1,), id="never below nothing"),
        pytest.param(BEGUN.start_turn([1], 0, 60.0), 60.0, {1: 10.0}, 70.0, (), id="in the same turn"),
        pytest.param(BEGUN.start_turn([1], 1, 60.0), 60.0, {1: 60.0}, 120.0, (), id="another turn"),
        pytest.param(BOTH, 60.0, {0: 0.0, 2: 20.0}, 60.0, (0,), id="two on turn"),
        pytest.param(BOTH.start_turn([2], 0, 30.0), 30.0, {0: None, 2: 50.0}, 80.0, (), id="one has moved"),
        pytest.param(STOPPED, 1000.0, {0: 15.0}, None, (), id="stopped"),
        pytest.param(STOPPED.run(True, 2000.0), 2000.0, {0: 15.0}, 2015.0, (), id="goes on"),
        pytest.param(
            MINUTE.run(False, 5.0).start_turn([0], 0, 300.0).run(True, 900.0),
            *(900.0, {0: 60.0}, 960.0, ()),
            id="begun while it stood still",
        ),
    ],
)
def test_turn_clock(
    clock: TurnClock,
    now: float,
    lefts: dict[Seat, float | None],
    next_due: float | None,
    overdue: tuple[Seat, ...],
) -> None:
    assert {seat: clock.seconds_left(seat, now) for seat in lefts} == lefts
    assert (clock.next_due(), clock.overdue(now)) == (next_due, overdue)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 40))))
def test_only_the_time_in_which_a_clock_ran_counts(spells: list[tuple[bool, int]]) -> None:
    clock, now, ran = MINUTE.start_turn([0], 0, 0.0), 0, 0
    for on, seconds in spells:
        clock = clock.run(on, now)
        now += seconds
        ran += seconds if on else 0
        assert clock.seconds_left(0, now) == max(0, 60 - ran)
        assert clock.overdue(now) == ((0,) if on and ran >= 60 else ())


HASTY, SLOW, POST = TimeControl("30s", "30s"), TimeControl("none", "2m"), TimeControl("day", "30s")


def running(time_control: TimeControl) -> GameTiming:
    """Seats 0 and 1 are people who are both there; seat 0 is on turn."""
    return start_timing(time_control).record_absences([], True, 0.0).wait_for_seats([0], 0, 0.0)


LEFT = running(SLOW).record_absences([1], True, 5.0)
PAUSED = running(HASTY).record_absences([1], True, 5.0).pause(True, 10.0)
ALONE = running(SLOW).record_absences([1], True, 0.0).record_absences([0, 1], False, 100.0)


@pytest.mark.parametrize(
    ("timing", "due", "found"),
    [
        pytest.param(running(HASTY), 30.0, {0: "time"}, id="a turn that takes too long"),
        pytest.param(running(POST), 86_400.0, {0: "time"}, id="by correspondence"),
        pytest.param(
            running(POST).record_absences([0, 1], False, 10.0),
            *(86_400.0, {0: "time"}),
            id="by correspondence time runs on",
        ),
        pytest.param(
            running(POST).record_absences([1], True, 10.0), 86_400.0, {0: "time"}, id="and nobody is missed"
        ),
        pytest.param(LEFT.record_absences([1], True, 20.0), 125.0, {1: "away"}, id="still away"),
        pytest.param(running(SLOW), None, {}, id="no clock"),
        pytest.param(LEFT, 125.0, {1: "away"}, id="away"),
        pytest.param(running(HASTY).record_absences([0, 1], False, 10.0), None, {}, id="nobody there"),
        pytest.param(ALONE.record_absences([1], True, 5000.0), 5120.0, {1: "away"}, id="the first to return"),
        pytest.param(PAUSED, None, {}, id="paused"),
        pytest.param(
            running(SLOW)
            .record_absences([1], True, 5.0)
            .record_absences([], True, 20.0)
            .record_absences([1], True, 25.0),
            *(145.0, {1: "away"}),
            id="left again",
        ),
        pytest.param(
            running(TimeControl("none", "never")).record_absences([1], True, 5.0),
            None,
            {},
            id="waits forever",
        ),
        pytest.param(running(HASTY).record_absences([0], True, 0.0), 30.0, {0: "time"}, id="both"),
    ],
)
def test_when_a_substitute_begins(
    timing: GameTiming, due: float | None, found: dict[Seat, SubstituteReason]
) -> None:
    assert timing.next_due() == due
    assert timing.look(0, 1e6 if due is None else due - 0.1) == (timing, {})
    if due is not None:
        late, took_over = timing.look(0, due)
        assert took_over == found
        assert all(late.plays_for(seat) for seat in found)
        assert late.look(0, due) == (late, {})


def test_a_lost_turn_is_lost_to_its_end_and_no_longer() -> None:
    late, _ = running(HASTY).look(0, 30.0)
    half = late.wait_for_seats([0], 0, 31.0)
    assert half.plays_for(0)
    assert half.turn.clock.seconds_left(0, 31.0) is None
    assert late.record_absences([], True, 31.0).plays_for(0), "whoever is there"
    after = late.wait_for_seats([1], 1, 31.0)
    assert not after.plays_for(0)
    assert after.wait_for_seats([0], 2, 40.0).turn.clock.seconds_left(0, 40.0) == 30.0
    away, _ = running(SLOW).record_absences([1], True, 0.0).look(0, 120.0)
    assert away.wait_for_seats([1], 1, 121.0).wait_for_seats([0], 2, 122.0).plays_for(1), "turn after turn"
    assert not away.record_absences([], True, 123.0).plays_for(1), "until they are back"


def test_no_substitute_plays_in_a_pause_or_where_nobody_sees_it() -> None:
    late, _ = running(HASTY).look(0, 30.0)
    assert not late.pause(True, 31.0).plays_for(0)
    away, _ = running(SLOW).record_absences([1], True, 5.0).look(0, 125.0)
    assert not away.record_absences([1, 0], False, 130.0).plays_for(1)


def test_a_stopped_turn_has_what_was_left_when_it_goes_on() -> None:
    left = [
        running(HASTY).record_absences([0, 1], False, 10.0).record_absences([1], True, 1e6),
        PAUSED.pause(False, 1e6),
        running(HASTY).pause(True, 10.0).record_absences([0, 1], False, 20.0).record_absences([], True, 50.0),
    ]
    assert [each.turn.clock.seconds_left(0, 1e6) for each in left] == [20.0] * 3


def test_what_outlives_the_server_is_the_clock_and_not_who_was_there() -> None:
    waiting = running(HASTY).record_absences([1], True, 10.0)
    assert waiting.turn.lasting == running(HASTY).turn.lasting
    after = start_timing(HASTY, waiting.turn.lasting).restart_after_downtime(20.0)
    after = after.record_absences([0, 1], False, 20.0)
    assert after.turn.clock.seconds_left(0, 9999.0) == 10.0
    assert after.record_absences([1], True, 9999.0).turn.clock.seconds_left(0, 9999.0) == 10.0


def asked(table: RaceTable) -> tuple[int, ...]:
    """The seats that haven't answered the last move."""
    last: State = table.match.state
    return last.open


def answers(table: RaceTable) -> str:
    """What the record has of answers and notes: who called, and who was silent or accepted."""
    words = {True: "called", False: "silent"}
    lines = (line for line in table.match.lines if isinstance(line, AnswerLine | NoteLine))
    return ", ".join(
        line.text if isinstance(line, NoteLine) else f"{line.seat} {words[line.called]}" for line in lines
    )


def won(*people: str, clock: Clock = "none", absence: Absence = "never", before: str = "") -> RaceTable:
    """Ann has just made the points that win, unless the others know better; `before` that something happened."""
    control = TimeControl(clock, absence)
    table = filled(*people, turns="claim", time_control=control, substitutes=("steady",))
    return table.play(f"{before}ann adds 3")


TWO, THREE = ("ann", "bob"), ("ann", "bob", "eve")
BOTH_SILENT = "1 silent, 2 silent"
PAUSE, RESUME = "ann pauses, bob pauses", "ann resumes, bob resumes"


class TestSilence:
    @pytest.mark.parametrize("clock", ["none", "30s", "day"])
    def test_it_answers_for_a_person_whose_time_is_up(self, clock: Clock) -> None:
        table = won(*THREE, clock=clock)
        assert table.seen(1).claim == ClaimView((1, 2), LAST, stops=True)
        assert (table.lefts(), table.next_look()) == ([None, LAST, LAST], LAST)
        table.skip(LAST - 1)
        assert (table.state, asked(table), table.lefts()) == ("playing", (1, 2), [None, 1.0, 1.0])
        table.skip(1)
        assert (table.state, answers(table), table.seen().claim) == ("finished", BOTH_SILENT, None)

    @pytest.mark.parametrize(
        ("people", "clock", "script", "answered"),
        [
            (TWO, "none", "bob vanishes, 15s", "1 silent"),
            (TWO, "30s", "bob vanishes, 15s", "1 silent"),
            (THREE, "none", "10s, bob calls, eve accepts", "1 called, 2 silent"),
            (THREE, "none", "10s, bob calls, 4s", "1 called"),
            (THREE, "none", "10s, bob calls, 5s", "1 called, 2 silent"),
            (TWO, "none", f"5s, {PAUSE}, 1000s", "the game is paused"),
            (TWO, "none", f"5s, {PAUSE}, 9s, {RESUME}, 9s", "the game is paused, the game resumes"),
            (
                TWO,
                "none",
                f"5s, {PAUSE}, 9s, {RESUME}, 10s",
                "the game is paused, the game resumes, 1 silent",
            ),
            (TWO, "none", "ann leaves, bob leaves, 1000s", ""),
            (TWO, "none", "ann leaves, bob leaves, 99s, ann joins, 15s", "1 silent"),
            (THREE, "day", "bob leaves, 15s", "2 silent"),
            (THREE, "day", "bob leaves, 15s, ann leaves, 86384s", "2 silent"),
            (THREE, "day", "bob leaves, 15s, ann leaves, 86385s", "2 silent, 1 silent"),
            (TWO, "day", "bob leaves, 3600s, bob joins, 14s", ""),
            (TWO, "day", "bob leaves, 3600s, bob joins, 15s", "1 silent"),
        ],
    )
    def test_who_has_answered_then(
        self, people: tuple[str, ...], clock: Clock, script: str, answered: str
    ) -> None:
        table = won(*people, clock=clock).play(script)
        assert answers(table) == answered
        assert (table.state == "finished") == (not asked(table))

    def test_it_answers_for_a_slow_bot(self) -> None:
        table = RaceTable(2, "steady", turns="claim").play("ann joins, ann adds 3, 15s")
        assert (table.state, answers(table)) == ("finished", "1 silent")

    def test_what_is_left_by_correspondence_and_of_a_shorter_turn(self) -> None:
        table = won(*THREE, clock="day").play("bob leaves, 15s")
        assert table.lefts() == [None, 86_400 - LAST, None]
        assert table.play("bob joins").lefts() == [None, LAST, None]
        table = won(*THREE, before="ann adds 1, bob adds 1, eve adds 1, 4s, ").play("10s, bob vanishes")
        assert table.seen().claim == ClaimView((1, 2), LAST - 10, stops=True), "a passing claim took no time"

        class Longer(Race):
            def claim(self, state: State) -> Claim[Move] | None:
                claim = super().claim(state)
                return claim and Claim(claim.seats, 100.0, claim.silence)

        control = TimeControl("30s", "never")
        table = filled(*TWO, turns="claim", time_control=control, game=Longer()).play("ann adds 3")
        assert (table.lefts(), table.next_look()) == ([None, 30.0], 30.0)
        assert answers(table.play("30s")) == "1 silent"

    def test_a_late_answer_changes_nothing_and_one_before_the_table_looks_is_in_time(self) -> None:
        table = won(*THREE)
        number = table.number
        table.world.time += LAST
        assert table.move("eve", Accept(), number) is None
        assert table.move("bob", Call(), number) == Refusal("stale")
        table.look()
        assert table.move("bob", Call(), number) == Refusal("not-playing")
        assert answers(table) == "2 silent, 1 silent"

    @pytest.mark.parametrize(("before", "after"), [("bob vanishes, 30s, ", 0), ("bob vanishes, 20s, ", 10)])
    def test_a_substitute_is_silent_at_once_and_never_asked(self, before: str, after: float) -> None:
        table = won(*TWO, absence="30s", before=before)
        table.world.time += after
        assert table.next_look() == table.world.time
        table.look()
        # A substitute that comes meanwhile is silent with the next look.
        table.look()
        assert (table.state, answers(table).split(", ")[-1]) == ("finished", "1 silent")
        match = won(*TWO, absence="30s", before="bob vanishes, 30s, ").running
        assert bot_for(match, table.seating, 1) == "steady"
        assert not bot_may_act(match, table.seating, 1)

    def test_a_game_that_refuses_its_own_silence_is_broken(self) -> None:
        class Deaf(Race):
            def claim(self, state: State) -> Claim[Move] | None:
                claim = super().claim(state)
                return claim and Claim(claim.seats, claim.seconds, Add(1))

        table = filled(*TWO, turns="claim", game=Deaf()).play("ann adds 3")
        with pytest.raises(RuntimeError, match="silence of seat 1"):
            table.skip(LAST)

    async def test_after_a_restart_everybody_has_the_whole_time_and_the_record_holds(self) -> None:
        table = won(*THREE).play("10s, bob accepts")
        await table.restart()
        assert (asked(table), table.next_look()) == ((2,), None)
        assert table.play("ann joins").lefts() == [None, None, LAST]
        table.skip(LAST)
        assert (table.state, answers(table)) == ("finished", BOTH_SILENT)
        assert verify(read_record(write_lines(table.match.lines), {"race": Race()})).seed


class Bots(RaceTable):
    """People at the first seats of a table and bots at the others; the test answers for the bots."""

    def __init__(self, *people: str, seats: int = 3, absence: Absence = "never") -> None:
        super().__init__(
            seats,
            *["steady"] * (seats - len(people)),
            goal="9",
            turns="claim",
            time_control=TimeControl("none", absence),
            substitutes=("steady",),
        )
        self.play(", ".join(f"{person} joins" for person in people))
        self.asked = Asked()
        self.driver = BotTurns(self.asked, lambda _: None)

    def woken(self, script: str = "0s") -> list[tuple[Seat, int]]:
        """Which bot is asked about which state, once that has happened."""
        self.play(script)
        self.driver.wake(self.table, 0)
        return [(seat, number) for seat, number, _ in self.asked.notes()]

    def answers(self, seat: Seat, number: int, *moves: Move) -> None:
        self.asked.thinks.discard(seat)
        self.table = self.driver.act(self.table, BotAnswer(seat, number, tuple(map(encode, moves))))

    @property
    def claim(self) -> ClaimView | None:
        return self.seen().claim


class TestBots:
    @pytest.fixture
    def table(self) -> Bots:
        """Ann and bob have moved, and the bot on seat 2 is on turn; it had nothing to say to ann's move."""
        table = Bots("ann", "bob")
        assert table.woken("ann adds 1") == [(2, 2)], "who may claim is asked, off turn too"
        table.answers(2, 2)
        assert table.woken() == []
        table.play("bob adds 1")
        return table

    def test_they_hold_back_on_turn_while_somebody_who_is_there_may_claim(self, table: Bots) -> None:
        assert (table.claim, table.next_look()) == (ClaimView((0, 2), HOLD), HOLD)
        assert [table.woken(time) for time in ("4s", "1s")] == [[], [(2, 3)]]
        assert (table.claim, table.next_look()) == (ClaimView((0, 2)), None)
        table.answers(2, 3, Add(1))
        assert (table.number, table.claim) == (4, ClaimView((0, 1), HOLD))

    def test_a_claim_is_a_move_after_which_the_others_have_the_whole_time(self) -> None:
        table = Bots("ann", "bob", "eve", seats=4).play("ann adds 1, bob adds 1, eve adds 1")
        assert table.woken("4s") == table.woken("ann calls") == []
        assert (asked(table), table.claim) == ((1, 3), ClaimView((1, 3), HOLD))
        assert [table.woken(time) for time in ("4s", "1s")] == [[], [(3, 5)]]

    def test_they_do_not_wait_for_each_other(self) -> None:
        table = Bots("ann")
        assert table.woken("ann adds 1") == [(1, 2), (2, 2)]
        assert table.claim == ClaimView((1, 2), HOLD)

    def test_a_person_on_turn_need_not_wait_and_closes_the_claim(self) -> None:
        table = Bots("ann", "bob").play("ann adds 1, bob adds 1")
        assert table.claim == ClaimView((0, 2), HOLD)
        assert table.move("ann", Call(), 2) == Refusal("stale")

    def test_they_wait_for_nobody_who_is_away_and_again_for_who_comes_back(self, table: Bots) -> None:
        assert table.woken("ann vanishes, 1s") == [(2, 3)]
        table.play("ann joins")
        table.answers(2, 3, Add(1))
        assert (table.number, table.woken(), table.claim) == (3, [], ClaimView((0, 2), HOLD - 1))
        assert table.woken("4s") == [(2, 3)]
        table.play("ann vanishes, ann joins")
        assert (table.claim, table.next_look()) == (ClaimView((0, 2)), None), "that time has passed"

    def test_a_pause_stops_the_time(self, table: Bots) -> None:
        pause = f"2s, {PAUSE}, 1000s, {RESUME}, 2s"
        assert [table.woken(time) for time in (pause, "1s")] == [[], [(2, 3)]]

    def test_a_substitute_on_turn_holds_back_and_off_turn_is_never_asked(self) -> None:
        table = Bots("ann", "bob", "eve", absence="30s")
        assert table.woken("eve vanishes, 30s") == table.woken("ann adds 1") == []
        assert asked(table) == (1, 2), "eve's substitute doesn't claim"
        assert [table.woken(time) for time in ("bob adds 1, 4s", "1s")] == [[], [(2, 3)]]

    def test_nobody_waits_for_whom_a_substitute_plays(self) -> None:
        table = Bots("ann", "bob", absence="30s")
        assert table.woken("ann vanishes, 30s") == [(0, 1)]
        table.answers(0, 1, Add(1))
        assert table.woken() == [(2, 2)]
        table.answers(2, 2)
        assert (table.woken("bob adds 1"), asked(table)) == ([(2, 3)], (0, 2))


async def test_the_server_looks_by_itself_when_a_turn_takes_too_long(server: Server, world: World) -> None:
    ann, bob = await at_a_table(server, "ann", "bob", create=Create("race", {"goal": "9"}, clock="30s"))
    world.skip(29)
    await turns()
    for guest in (ann, bob):
        await hush(guest)
    await waiting_for_nothing(ann, bob)
    world.skip(1)
    assert (await bob.wait(TableView, lambda view: view.turn == (1,))).number == 2
    await bob.act(Add(1))
    mine = await ann.wait(TableView, lambda view: view.number == 3)
    assert (mine.turn, mine.seats[0].left, mine.seats[0].substitute) == ((0,), 30.0, "")


async def test_by_correspondence_it_looks_with_nobody_there(server: Server, world: World) -> None:
    ann, bob = await at_a_table(server, "ann", "bob", create=Create("race", {"goal": "9"}, clock="day"))
    assert ann.table is not None
    for guest in (ann, bob):
        await guest.ask(Leave(), Left)
    world.skip(86_399)
    await turns()
    assert server.services.remote_tables.tables_for("id-ann")[0].turn == (0,)
    world.skip(1)
    eve = await a_guest(server, "eve")
    await eve.ask(Watch(ann.table.code), TableView, lambda view: view.turn == (1,))


async def test_silence_ends_a_game_by_itself(server: Server, world: World) -> None:
    ann, bob = await at_a_table(server, "ann", "bob", create=Create("race", {"turns": "claim"}))
    await ann.act(Add(3))
    view = await bob.wait(TableView, lambda view: view.claim)
    assert (view.turn, view.claim) == ((1,), ClaimView((1,), LAST, stops=True))
    world.skip(LAST)
    await ann.wait(TableView, lambda view: view.state == "finished")
