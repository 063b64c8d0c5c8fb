"""Which bot is asked when, after what pause, and what becomes of its answer."""

from collections.abc import Iterator, Sequence

import msgspec
import pytest
from structlog.testing import capture_logs

from cartino_engine.port import Step
from cartino_protocol.base import Seat
from cartino_protocol.records import NoteLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.wire import encode
from cartino_server.table.jobs import BotAnswer
from cartino_server.table.match import Match
from cartino_server.table.seating import Order
from cartino_server.table.views import table_view
from tests.support.asked import Asked
from tests.support.game_server import World
from tests.support.live_table import LiveBots, LiveTable
from tests.support.race import Add, Call, Move, Race, State
from tests.support.race_table import PATIENT, heard, move

PAUSE = 7.0


class Table:
    """Ann on seat 0 with two bots, all in one table's game; its first state has the number 1."""

    def __init__(self, turns: str, game: Race | None = None, substitutes: Sequence[str] = ()) -> None:
        order = Order(game or Race(), {"goal": "9", "turns": turns}, 3, ("doubter", "steady"), True, PATIENT)
        self.table = LiveTable("AAAA", order, bytes(32), World().ports(), substitutes)
        self.table.join("ann", "ann")
        self.asked = Asked()
        self.heard: list[BotAnswer] = []
        self.driver = LiveBots(self.table, self.asked, self.heard.append)

    @property
    def match(self) -> Match:
        match = self.table.table.running
        assert match is not None
        return match

    def woken(self) -> list[tuple[Seat, int, float]]:
        self.driver.wake(PAUSE)
        return self.asked.notes()

    def answers(self, seat: Seat, number: int, choice: msgspec.Struct | None, failed: str = "") -> None:
        self.asked.thinks.discard(seat)
        self.driver.act(BotAnswer(seat, number, () if choice is None else (encode(choice),), failed))

    def first_move(self) -> None:
        """What nobody has to think about comes back to the table's task."""
        (thought,) = self.heard
        self.heard.clear()
        self.driver.act(thought)

    def substitute(self, seat: Seat) -> str:
        return table_view(self.table.table, None).seats[seat].substitute

    def calls(self) -> int:
        assert self.table.match is not None
        calls: int = self.table.match.state.calls
        return calls

    def totals(self) -> tuple[int, ...]:
        assert self.table.match is not None
        totals: tuple[int, ...] = self.table.order.game.totals(self.table.match.state)
        return totals


def test_who_is_on_turn_is_asked_once_after_a_pause() -> None:
    table = Table("one")
    assert table.woken() == []
    move(table.table, "ann", Add(1))
    assert table.woken() == [(1, 2, PAUSE)]
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


PLAN = (encode(Add(1)),) * 3


def planning() -> Table:
    """A table at which the bot on seat 1 has made the first move of its plan."""
    table = Table("one", Longer())
    for _ in range(3):
        move(table.table, "ann", Add(1))
    ((seat, number, _),) = table.woken()
    table.asked.thinks.discard(seat)
    table.driver.act(BotAnswer(seat, number, PLAN))
    assert (seat, table.totals()) == (1, (3, 1, 0))
    return table


def test_a_plan_is_played_without_asking_again() -> None:
    table = planning()
    for left in (2, 1):
        assert table.woken() == []
        seat, number, moves = table.asked.planned.pop()
        assert (seat, number, moves) == (1, table.table.number, PLAN[:left])
        table.asked.thinks.discard(seat)
        table.driver.act(BotAnswer(seat, number, moves))
    assert table.totals() == (3, 3, 0)
    ((seat, _, _),) = table.woken()
    assert (seat, table.asked.planned) == (2, []), "the next bot is asked"


def test_a_plan_is_dropped_when_somebody_else_acts() -> None:
    table = planning()
    assert move(table.table, "ann", Call()) is None
    ((seat, number, _),) = table.woken()
    assert (seat, number, table.asked.planned) == (1, table.table.number, [])


def test_a_plan_is_dropped_when_a_move_could_not_be_saved() -> None:
    table = planning()
    table.driver.again()
    ((seat, _, _),) = table.woken()
    assert (seat, table.asked.planned) == (1, [])


def test_who_may_interfere_is_asked_at_once_and_once_a_state() -> None:
    table = Table("call")
    assert table.woken() == [(1, 1, 0), (2, 1, 0)]
    table.answers(1, 1, None)
    table.answers(2, 1, None)
    assert (table.woken(), table.table.number) == ([], 1)
    move(table.table, "ann", Add(1))
    assert table.woken() == [(1, 2, PAUSE), (2, 2, 0)]


def test_whoever_acts_first_moves_on_and_the_other_answers_are_dropped() -> None:
    table = Table("call")
    assert len(table.woken()) == 2
    with capture_logs() as logs:
        table.answers(2, 1, Call())
        table.answers(1, 1, Call())
    assert (table.calls(), table.table.number, logs) == (1, 2, [])
    assert table.woken() == [(1, 2, 0), (2, 2, 0)]


def test_who_still_thinks_is_asked_about_the_new_state_when_they_are_done() -> None:
    table = Table("call")
    table.woken()
    table.answers(2, 1, Call())
    assert table.woken() == [(2, 2, 0)]
    table.answers(1, 1, Call())
    assert table.woken() == [(1, 2, 0)]


def test_whose_answer_was_overtaken_in_turn_pauses_no_second_time() -> None:
    """Else the bot whose pause ends first would go on being first, and the other never move."""
    table = Table("all")
    assert table.woken() == [(1, 1, PAUSE), (2, 1, PAUSE)]
    table.answers(1, 1, Add(1))
    assert table.woken() == [(1, 2, PAUSE)]
    table.answers(2, 1, Add(1))
    assert table.woken() == [(2, 2, 0)]
    table.answers(2, 2, Add(1))
    assert table.totals() == (0, 1, 1)
    assert table.woken() == [(2, 3, PAUSE)]


def test_a_new_turn_has_its_own_pause() -> None:
    table = Table("one")
    move(table.table, "ann", Add(1))
    assert table.woken() == [(1, 2, PAUSE)]
    move(table.table, "ann", Call())
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

    table = Table("one", Passing())
    move(table.table, "ann", Add(1))
    assert table.woken() == [(1, 2, PAUSE)]
    for number in (3, 4, 5):
        assert move(table.table, "ann", Call()) is None
        if number == 3:
            table.answers(1, 2, Add(1))
        table.driver.wake(PAUSE)
    assert table.asked.notes() == [(2, 3, PAUSE), (1, 5, PAUSE)]


@pytest.mark.parametrize(
    ("choice", "failed", "events"),
    [(None, "", []), (None, "it raised", []), (Add(50), "", ["bot_refused"])],
    ids=["nothing to say", "failed", "illegal"],
)
def test_who_can_not_go_on_in_turn_is_replaced_by_the_next_bot(
    choice: Add | None, failed: str, events: list[str]
) -> None:
    table = Table("one", substitutes=("doubter", "steady"))
    move(table.table, "ann", Add(1))
    assert (table.woken(), table.substitute(1)) == ([(1, 2, PAUSE)], "")
    with capture_logs() as logs:
        table.answers(1, 2, choice, failed)
    assert [line["event"] for line in logs] == events
    assert (table.totals(), table.table.number) == ((1, 0, 0), 2), "nobody has moved yet"
    assert heard(table.table)[-1] == "bot doubter failed: steady takes over"
    assert table.match.lines[-1] == NoteLine("bot doubter failed: steady takes over", 1)
    assert table.substitute(1) == "steady"
    ((seat, number, _),) = table.woken()
    assert (seat, number, table.asked.bots) == (1, 2, ["doubter", "steady"])
    table.answers(1, 2, Add(1))
    assert table.totals() == (1, 1, 0)


def test_whom_nobody_can_replace_makes_the_first_legal_move_for_the_rest_of_the_game() -> None:
    table = Table("one")
    move(table.table, "ann", Add(1))
    table.woken()
    table.answers(1, 2, None)
    assert heard(table.table)[-1] == "bot doubter failed: the first legal move is played"
    assert table.substitute(1) == "the first legal move"
    assert table.woken() == [], "there is nobody to ask"
    table.first_move()
    assert table.totals() == (1, 1, 0)
    table.woken()
    table.answers(2, 3, Add(1))
    move(table.table, "ann", Add(1))
    assert table.woken() == []
    table.first_move()
    assert table.totals() == (2, 2, 1)
    assert table.asked.bots == ["doubter", "steady"]


def test_who_fails_off_turn_is_replaced_as_well() -> None:
    table = Table("call", substitutes=("steady",))
    assert table.woken() == [(1, 1, 0), (2, 1, 0)]
    table.answers(1, 1, None, "it raised")
    assert (table.substitute(1), table.table.number) == ("steady", 1)
    assert table.woken() == [(1, 1, 0)]


def test_a_bot_that_has_failed_gets_another_chance_in_the_next_game() -> None:
    table = Table("one", substitutes=("steady",))
    move(table.table, "ann", Add(1))
    table.woken()
    table.answers(1, 2, None)
    assert table.substitute(1) == "steady"
    table.table.abandon()
    table.table.rematch("ann")
    assert [table.substitute(seat) for seat in range(3)] == ["", "", ""]
    assert table.woken() == [(0, 3, PAUSE)]
    assert table.asked.bots[-1] == "doubter"


def test_nobody_makes_a_move_for_a_bot_that_may_let_it_be() -> None:
    table = Table("call")
    table.woken()
    with capture_logs() as logs:
        table.answers(1, 1, Add(1))
    assert (table.totals(), table.table.number) == ((0, 0, 0), 1)
    assert [line["reason"] for line in logs] == ["not-your-turn"]
    assert table.woken() == []


def test_a_game_that_waits_for_a_seat_without_moves_is_broken() -> None:
    class Stuck(Race):
        def legal(self, state: State, seat: Seat) -> Iterator[Move]:
            return iter(())

    table = Table("one", Stuck())
    move(table.table, "ann", Add(1))
    table.woken()
    table.answers(1, 2, None)
    table.woken()
    with pytest.raises(RuntimeError, match="waits for seat 1"):
        table.first_move()


def test_nobody_is_asked_when_the_game_is_over() -> None:
    table = Table("call")
    table.woken()
    table.table.abandon()
    table.answers(1, 1, Call())
    assert (table.calls(), table.woken()) == (0, [])


def test_nobody_is_asked_while_the_game_is_paused_and_what_comes_then_is_dropped() -> None:
    table = Table("one")
    move(table.table, "ann", Add(1))
    table.woken()
    assert table.table.vote("ann", True) is None
    table.answers(1, 2, Add(1))
    assert (table.totals(), table.woken()) == ((1, 0, 0), [])
    table.table.vote("ann", False)
    assert [(seat, number) for seat, number, _ in table.woken()] == [(1, 2)]


def test_who_answers_to_what_was_not_saved_is_asked_again() -> None:
    table = Table("one")
    move(table.table, "ann", Add(1))
    table.woken()
    before = table.table.table
    table.answers(1, 2, Add(1))
    table.table.table = before
    assert table.woken() == []
    table.driver.again()
    assert [(seat, number) for seat, number, _ in table.woken()] == [(1, 2)]
