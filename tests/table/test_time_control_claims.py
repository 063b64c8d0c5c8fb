"""Others may answer a move for a while: bots wait for people who are there, and silence is an answer in the end."""

import msgspec
import pytest

from cartino_engine.port import Claim
from cartino_engine.replay import read_record, verify
from cartino_protocol.base import Clock, Seat
from cartino_protocol.commands import Create, Join
from cartino_protocol.records import NoteLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ClaimView, TableView
from cartino_protocol.wire import encode
from cartino_server.server import Server
from cartino_server.table.jobs import BotAnswer
from cartino_server.table.match import bot_for, bot_may_act
from cartino_server.table.participants import return_from_downtime
from cartino_server.table.restoring import record_lines, restore
from cartino_server.table.time_control import TimeControl
from cartino_server.table.views import table_view
from tests.support.asked import Asked
from tests.support.game_server import QUICK, World, a_guest
from tests.support.journal import MemoryJournal
from tests.support.lasting import ServerKeeper, hush, killed, lasting
from tests.support.live_table import LiveBots, LiveSaver, LiveTable
from tests.support.race import HOLD, LAST, Accept, Add, AnswerLine, Call, Move, Race, State
from tests.support.race_table import PATIENT, a_room, filled, move, state
from tests.support.scene import waiting_for_nothing

CLAIMS = Create("race", {"goal": "9", "turns": "claim"}, seats=3, bots=("steady",), absence="never")
THOUGHTFUL = msgspec.structs.replace(QUICK, bot_time_limit=1e6)
"""A bot thinks as long as it likes while the test skips time."""


def skip(world: World, table: LiveTable, seconds: float) -> None:
    """Time passes, and the table looks."""
    world.time += seconds
    table.look()


def asked(table: LiveTable) -> tuple[int, ...]:
    """The seats that haven't answered the last move."""
    assert table.match is not None
    last: State = table.match.state
    return last.open


def lefts(table: LiveTable) -> list[float | None]:
    """The seconds that each seat has."""
    return [seat.left for seat in table_view(table.table, None).seats]


def answers(table: LiveTable) -> list[tuple[int, bool]]:
    """What the record has of answers: the seat, and whether it called."""
    assert table.match is not None
    return [(line.seat, line.called) for line in table.match.lines if isinstance(line, AnswerLine)]


def notes(table: LiveTable) -> list[str]:
    """What the record has that is not play."""
    assert table.match is not None
    return [line.text for line in table.match.lines if isinstance(line, NoteLine)]


def won(world: World, time_limit: TimeControl, *people: str, substitutes: tuple[str, ...] = ()) -> LiveTable:
    """Ann has just made the points that win, unless the others know better."""
    table = filled(*people, turns="claim", time_limit=time_limit, substitutes=substitutes, world=world)
    assert move(table, people[0], Add(3)) is None
    assert (state(table), asked(table)) == ("playing", tuple(range(1, len(people))))
    return table


class TestSilence:
    @pytest.mark.parametrize("clock", ["none", "30s", "day"])
    def test_it_is_the_answer_of_a_person_who_is_there_when_the_time_is_up(
        self, world: World, clock: Clock
    ) -> None:
        table = won(world, TimeControl(clock, "never"), "ann", "bob", "eve")
        assert table_view(table.table, 1).claim == ClaimView((1, 2), LAST, stops=True)
        assert lefts(table) == [None, LAST, LAST]
        assert table.next_look() == LAST
        skip(world, table, LAST - 1)
        assert (state(table), lefts(table)) == ("playing", [None, 1.0, 1.0])
        skip(world, table, 1)
        assert (state(table), answers(table), notes(table)) == ("finished", [(1, False), (2, False)], [])
        assert table_view(table.table, None).claim is None

    @pytest.mark.parametrize("clock", ["none", "30s"])
    def test_nobody_waits_longer_for_a_person_who_is_away(self, world: World, clock: Clock) -> None:
        table = won(world, TimeControl(clock, "never"), "ann", "bob")
        table.cut_off("bob")
        skip(world, table, LAST)
        assert (state(table), answers(table), notes(table)) == ("finished", [(1, False)], [])

    def test_by_correspondence_who_is_away_has_the_time_of_the_table(self, world: World) -> None:
        table = won(world, TimeControl("day", "never"), "ann", "bob", "eve")
        table.leave("bob")
        skip(world, table, LAST)
        assert (asked(table), lefts(table)) == ((1,), [None, 86_400 - LAST, None])
        table.leave("ann")
        skip(world, table, 86_399 - LAST)
        assert asked(table) == (1,)
        skip(world, table, 1)
        assert (state(table), answers(table), notes(table)) == ("finished", [(2, False), (1, False)], [])

    def test_by_correspondence_who_comes_has_the_seconds_of_the_game_from_then_on(self, world: World) -> None:
        table = won(world, TimeControl("day", "never"), "ann", "bob")
        table.leave("bob")
        skip(world, table, 3600)
        table.join("bob", "bob")
        assert lefts(table) == [None, LAST]
        skip(world, table, LAST)
        assert answers(table) == [(1, False)]

    def test_the_table_s_clock_may_leave_less(self, world: World) -> None:
        """It is the clock of a turn: in a turn that goes on nobody has more time."""

        class Longer(Race):
            def claim(self, state: State) -> Claim[Move] | None:
                claim = super().claim(state)
                return claim and Claim(claim.seats, 100.0, claim.silence)

        table = a_room(2, turns="claim", time_limit=TimeControl("30s", "never"), game=Longer(), world=world)
        for person in ("ann", "bob"):
            table.join(person, person)
        move(table, "ann", Add(3))
        assert (lefts(table), table.next_look()) == ([None, 30.0], 30.0)
        skip(world, table, 30)
        assert (answers(table), notes(table)) == ([(1, False)], [])

    def test_who_answers_takes_no_time_from_the_others_and_gives_them_none(self, world: World) -> None:
        table = won(world, TimeControl("none", "never"), "ann", "bob", "eve")
        skip(world, table, 10)
        assert move(table, "bob", Call()) is None
        assert (asked(table), lefts(table)) == ((2,), [None, None, LAST - 10])
        assert move(table, "eve", Accept()) is None
        assert (state(table), answers(table)) == ("finished", [(1, True), (2, False)])

    def test_an_answer_that_comes_with_the_end_of_the_time_is_late_and_changes_nothing(
        self, world: World
    ) -> None:
        table = won(world, TimeControl("none", "never"), "ann", "bob", "eve")
        number = table.number
        skip(world, table, 10)
        table.leave("eve")
        assert move(table, "eve", Accept(), number) is None
        assert move(table, "bob", Call(), number) == Refusal("stale")
        skip(world, table, LAST)
        assert move(table, "bob", Call(), number) == Refusal("not-playing")
        assert answers(table) == [(2, False), (1, False)]

    def test_an_answer_before_the_table_looks_is_in_time(self, world: World) -> None:
        table = won(world, TimeControl("none", "never"), "ann", "bob")
        world.time += LAST
        assert move(table, "bob", Call()) is None
        table.look()
        assert answers(table) == [(1, True)]

    def test_a_pause_stops_the_time(self, world: World) -> None:
        table = won(world, TimeControl("none", "never"), "ann", "bob")
        skip(world, table, 5)
        for person in ("ann", "bob"):
            table.vote(person, True)
        assert table.next_look() is None
        skip(world, table, 1000)
        assert (asked(table), lefts(table)) == ((1,), [None, LAST - 5])
        for person in ("ann", "bob"):
            table.vote(person, False)
        assert lefts(table) == [None, LAST - 5]
        skip(world, table, LAST - 5)
        assert answers(table) == [(1, False)]

    def test_while_nobody_is_there_the_time_stands_still(self, world: World) -> None:
        table = won(world, TimeControl("none", "never"), "ann", "bob")
        for person in ("ann", "bob"):
            table.leave(person)
        skip(world, table, 1000)
        assert asked(table) == (1,)
        table.join("ann", "ann")
        skip(world, table, LAST)
        assert answers(table) == [(1, False)]

    def test_a_substitute_is_silent_at_once_and_never_asked(self, world: World) -> None:
        table = filled(
            "ann",
            "bob",
            turns="claim",
            time_limit=TimeControl("none", "30s"),
            substitutes=("steady",),
            world=world,
        )
        table.cut_off("bob")
        skip(world, table, 30)
        move(table, "ann", Add(3))
        match = table.running
        assert match is not None
        assert (
            bot_for(match, table.seating, 1),
            bot_may_act(match, table.seating, 1),
            table.next_look(),
        ) == (
            "steady",
            False,
            world.time,
        )
        table.look()
        assert (state(table), answers(table)) == ("finished", [(1, False)])

    def test_a_substitute_that_comes_meanwhile_is_silent_too(self, world: World) -> None:
        table = filled(
            "ann",
            "bob",
            turns="claim",
            time_limit=TimeControl("none", "30s"),
            substitutes=("steady",),
            world=world,
        )
        table.cut_off("bob")
        skip(world, table, 20)
        move(table, "ann", Add(3))
        skip(world, table, 10)
        assert table.next_look() == world.time
        table.look()
        assert answers(table) == [(1, False)]

    def test_a_bot_that_takes_too_long_is_silent(self, world: World) -> None:
        table = a_room(2, "steady", turns="claim", world=world)
        table.join("ann", "ann")
        move(table, "ann", Add(3))
        skip(world, table, LAST)
        assert (state(table), answers(table)) == ("finished", [(1, False)])

    def test_what_was_not_saved_has_not_happened(self, world: World) -> None:
        table = won(world, TimeControl("none", "never"), "ann", "bob")
        before = table.table
        skip(world, table, LAST)
        assert state(table) == "finished"
        table.table = before
        assert (state(table), asked(table), table.next_look()) == ("playing", (1,), LAST)

    def test_a_game_that_refuses_its_own_silence_is_broken(self, world: World) -> None:
        class Deaf(Race):
            def claim(self, state: State) -> Claim[Move] | None:
                claim = super().claim(state)
                return claim and Claim(claim.seats, claim.seconds, Add(1))

        table = a_room(2, turns="claim", game=Deaf(), world=world)
        for person in ("ann", "bob"):
            table.join(person, person)
        move(table, "ann", Add(3))
        with pytest.raises(RuntimeError, match="silence of seat 1"):
            skip(world, table, LAST)

    async def test_after_a_restart_everybody_has_the_whole_time_and_the_record_holds(
        self, world: World
    ) -> None:
        journal, table = MemoryJournal(), won(world, TimeControl("none", "never"), "ann", "bob", "eve")
        skip(world, table, 10)
        assert move(table, "bob", Accept()) is None
        await LiveSaver(table, journal, lambda: world.time).save()
        (kept,) = journal.unfinished()
        saved = restore(kept, {"race": Race()}, {}, world.ports())
        table = LiveTable.of(return_from_downtime(saved))
        assert (asked(table), table.next_look()) == ((2,), None)
        table.join("ann", "ann")
        assert lefts(table) == [None, None, LAST]
        skip(world, table, LAST)
        assert (state(table), answers(table)) == ("finished", [(1, False), (2, False)])
        await LiveSaver(table, journal, lambda: world.time, saved, kept.game).save()
        record = record_lines(journal.games[kept.game].bodies)
        assert verify(read_record(record, {"race": Race()})).seed


class Bots:
    """People at the first seats of a table and bots at the others; the test answers for the bots."""

    def __init__(
        self,
        world: World,
        *people: str,
        seats: int = 3,
        time_limit: TimeControl = PATIENT,
        substitutes: tuple[str, ...] = (),
    ) -> None:
        bots = ("steady",) * (seats - len(people))
        self.table = a_room(
            seats, *bots, goal="9", turns="claim", time_limit=time_limit, substitutes=substitutes, world=world
        )
        for person in people:
            assert self.table.join(person, person) is None
        self.world = world
        self.asked = Asked()
        self.heard: list[BotAnswer] = []
        self.driver = LiveBots(self.table, self.asked, self.heard.append)

    def woken(self, seconds: float = 0.0) -> list[tuple[Seat, int]]:
        """Which bot is asked about which state, once so many seconds have passed."""
        skip(self.world, self.table, seconds)
        self.driver.wake(0)
        return [(seat, number) for seat, number, _ in self.asked.notes()]

    def answers(self, seat: Seat, number: int, choice: msgspec.Struct | None) -> None:
        self.asked.thinks.discard(seat)
        self.driver.act(BotAnswer(seat, number, () if choice is None else (encode(choice),)))

    def bot_on_turn(self) -> None:
        """Ann and bob have moved, and the bot on seat 2 is on turn; it had nothing to say to ann's move."""
        move(self.table, "ann", Add(1))
        assert self.woken() == [(2, 2)], "who may claim is asked, off turn too"
        self.answers(2, 2, None)
        assert self.woken() == []
        move(self.table, "bob", Add(1))

    @property
    def claim(self) -> ClaimView | None:
        return table_view(self.table.table, None).claim


class TestBots:
    def test_they_hold_back_on_turn_while_somebody_who_is_there_may_claim(self, world: World) -> None:
        table = Bots(world, "ann", "bob")
        table.bot_on_turn()
        assert (table.claim, table.table.next_look()) == (ClaimView((0, 2), HOLD), HOLD)
        assert table.woken(HOLD - 1) == []
        assert table.woken(1) == [(2, 3)]
        assert (table.claim, table.table.next_look()) == (ClaimView((0, 2)), None)
        table.answers(2, 3, Add(1))
        assert (table.table.number, table.claim) == (4, ClaimView((0, 1), HOLD))

    def test_a_claim_is_a_move_after_which_the_others_have_the_whole_time(self, world: World) -> None:
        table = Bots(world, "ann", "bob", "eve", seats=4)
        for person in ("ann", "bob", "eve"):
            move(table.table, person, Add(1))
        assert table.woken(HOLD - 1) == []
        assert move(table.table, "ann", Call()) is None
        assert (asked(table.table), table.claim) == ((1, 3), ClaimView((1, 3), HOLD))
        assert table.woken(HOLD - 1) == []
        assert table.woken(1) == [(3, 5)]

    def test_they_do_not_wait_for_each_other(self, world: World) -> None:
        table = Bots(world, "ann")
        move(table.table, "ann", Add(1))
        assert (table.claim, table.woken()) == (ClaimView((1, 2), HOLD), [(1, 2), (2, 2)])

    def test_a_person_on_turn_need_not_wait_and_closes_the_claim(self, world: World) -> None:
        table = Bots(world, "ann", "bob")
        move(table.table, "ann", Add(1))
        assert table.claim == ClaimView((1, 2), HOLD)
        assert move(table.table, "bob", Add(1)) is None
        assert table.claim == ClaimView((0, 2), HOLD)
        assert move(table.table, "ann", Call(), 2) == Refusal("stale")
        assert answers(table.table) == []

    def test_they_wait_for_nobody_who_is_away(self, world: World) -> None:
        table = Bots(world, "ann", "bob")
        table.bot_on_turn()
        assert table.woken(1) == []
        table.table.cut_off("ann")
        assert table.woken() == [(2, 3)]

    def test_who_comes_while_one_thinks_is_waited_for(self, world: World) -> None:
        table = Bots(world, "ann", "bob")
        table.bot_on_turn()
        table.table.cut_off("ann")
        assert table.woken(1) == [(2, 3)]
        table.table.join("ann", "ann")
        table.answers(2, 3, Add(1))
        assert (table.table.number, table.woken(), table.claim) == (3, [], ClaimView((0, 2), HOLD - 1))
        assert table.woken(HOLD - 1) == [(2, 3)]

    def test_the_time_that_has_passed_does_not_come_back_with_anybody(self, world: World) -> None:
        table = Bots(world, "ann", "bob")
        table.bot_on_turn()
        assert table.woken(HOLD) == [(2, 3)]
        table.table.cut_off("ann")
        table.table.join("ann", "ann")
        assert (table.claim, table.table.next_look()) == (ClaimView((0, 2)), None)

    def test_a_pause_stops_the_time(self, world: World) -> None:
        table = Bots(world, "ann", "bob")
        table.bot_on_turn()
        assert table.woken(2) == []
        for on in (True, False):
            for person in ("ann", "bob"):
                table.table.vote(person, on)
            assert table.woken(1000.0 if on else HOLD - 3) == []
        assert table.woken(1) == [(2, 3)]

    def test_a_substitute_on_turn_holds_back_and_off_turn_is_never_asked(self, world: World) -> None:
        table = Bots(
            world, "ann", "bob", "eve", time_limit=TimeControl("none", "30s"), substitutes=("steady",)
        )
        table.table.cut_off("eve")
        assert table.woken(30) == []
        move(table.table, "ann", Add(1))
        assert (asked(table.table), table.woken()) == ((1, 2), []), "eve's substitute doesn't claim"
        move(table.table, "bob", Add(1))
        assert table.woken(HOLD - 1) == []
        assert table.woken(1) == [(2, 3)]

    def test_nobody_waits_for_whom_a_substitute_plays(self, world: World) -> None:
        table = Bots(world, "ann", "bob", time_limit=TimeControl("none", "30s"), substitutes=("steady",))
        table.table.cut_off("ann")
        assert table.woken(30) == [(0, 1)]
        table.answers(0, 1, Add(1))
        assert table.woken() == [(2, 2)]
        table.answers(2, 2, None)
        move(table.table, "bob", Add(1))
        assert (asked(table.table), table.woken()) == ((0, 2), [(2, 3)])


async def test_a_bot_moves_by_itself_once_the_time_to_claim_has_passed(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    server = lasting(servers, world, journal, THOUGHTFUL)
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = (await ann.ask(CLAIMS, TableView)).code
    await bob.ask(Join(code), TableView)
    await ann.wait(TableView, lambda view: view.state == "playing")
    await ann.act(Add(1))
    await bob.wait(TableView, lambda view: view.turn == (1,))
    await bob.act(Add(1))
    assert (await ann.wait(TableView, lambda view: view.turn == (2,))).claim == ClaimView((0, 2), HOLD)
    await hush(bob)
    world.skip(HOLD - 1)
    await hush(ann)
    await waiting_for_nothing(ann)
    server = lasting(servers, world, killed(journal), THOUGHTFUL)
    back = await a_guest(server, "ann")
    view = await back.ask(Join(code), TableView)
    assert (view.number, view.claim) == (3, ClaimView((0, 2), HOLD)), "a restart gives the whole time anew"
    world.skip(HOLD)
    view = await back.wait(TableView, lambda view: view.number == 4)
    assert view.claim == ClaimView((0, 1), HOLD)


async def test_silence_ends_a_game_by_itself(server: Server, world: World) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = (await ann.ask(Create("race", {"turns": "claim"}), TableView)).code
    await bob.ask(Join(code), TableView)
    await ann.wait(TableView, lambda view: view.state == "playing")
    await ann.act(Add(3))
    view = await bob.wait(TableView, lambda view: view.claim)
    assert (view.turn, view.claim) == ((1,), ClaimView((1,), LAST, stops=True))
    world.skip(LAST)
    await ann.wait(TableView, lambda view: view.state == "finished")
