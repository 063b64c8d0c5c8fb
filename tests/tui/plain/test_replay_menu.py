"""The review in plain mode: at a table whose game is over, and in a replay."""

import msgspec
import pytest

from cartino_engine.port import Step
from cartino_games.cartino.moves import EndTurn, Lay, Move
from cartino_protocol.commands import Command, Replay, Review, TryTurn
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import (
    HistoryView,
    ReplayView,
    ReviewView,
    TrialView,
    TurnReview,
)
from cartino_protocol.wire import encode_raw
from tests.support.cartino import GAME, random_game
from tests.support.cartino_table import table_of
from tests.support.past import past
from tests.support.plain import Talk
from tests.support.visit import chat

OVER = [state for state, _ in random_game(3, "1974", 2)][-1]
MADE, BEST = (tuple(map(encode_raw, (Lay("KS", f"KS{half}"), EndTurn()))) for half in "ul")
REVIEW = ReviewView(
    "K7QP-12",
    True,
    (
        TurnReview(0, 0, 3, 1, 2, 5.25, MADE, BEST, 2.0),
        TurnReview(1, 3, 5, 1, 2, 0.4, (), (), -4.0),
        TurnReview(0, 5, 8, 1, 2, 2.0, MADE, BEST, 1.0),
    ),
)
FIRST, SECOND = (seat.name for seat in table_of(OVER, 0).seats)
SUMS = [
    f"{FIRST} was 7.2 points short in 2 turns; luck of the draw: +3.",
    f"Step 3: Mistake by {FIRST}: the king of spades, upper half. Better by 5.2: the king of spades, lower half.",
    f"Step 8: Slip by {FIRST}: the king of spades, upper half. Better by 2.0: the king of spades, lower half.",
    f"bot {SECOND} was 0.4 points short in 1 turn; luck of the draw: −4.",
]


@pytest.mark.parametrize("word", ["review", "f"])
def test_a_table_whose_game_is_over_tells_what_the_turns_lost(word: str) -> None:
    table = table_of(OVER, 0)
    talk = Talk(table, chat())
    assert talk.sends(word) == Review(table.code)
    assert talk.hears(REVIEW) == SUMS


def test_a_running_game_is_not_reviewed() -> None:
    state = next(state for state, _ in random_game(3, "1974", 2))
    talk = Talk(table_of(state, 0), chat())
    assert talk.types("review") == ["You can review this game when it's over."]
    assert Review(table_of(state, 0).code) not in talk.link.sent


def test_a_replay_tells_the_review_then_each_costly_turn_and_leads_to_the_next() -> None:
    talk = Talk()

    def shown(step: int) -> ReplayView:
        return ReplayView("K7QP-12", step, 9, step + 2, table_of(OVER, None))

    talk.types("history")
    talk.hears(HistoryView("all", "", (past(12, game="cartino"),), more=False))
    talk.types("1")
    talk.hears(shown(0))
    assert talk.sends("review") == Review("K7QP-12")
    assert talk.hears(REVIEW)[: len(SUMS)] == SUMS
    assert talk.sends("mistake") == Replay("K7QP-12", 3)
    assert any(line.startswith(f"Mistake by {FIRST}: ") for line in talk.hears(shown(3)))
    assert talk.sends("mistake") == Replay("K7QP-12", 8)
    assert not any("Mistake by" in line for line in talk.hears(shown(4)))
    talk.hears(shown(8))
    assert talk.types("mistake")


DEALT = next(state for state, _ in random_game(3, "1974", 2))
STONE = next(lay.stone for lay in GAME.view(DEALT, DEALT.seat).lays)
FIRST_LAY = Lay(STONE, f"{STONE}u")


def tried(*moves: Move, lost: float | None = None) -> TrialView:
    """The answer to a trial of those moves; the turn is over if it says what it has `lost`."""
    state, seat = DEALT, DEALT.seat
    for move in moves:
        step = GAME.apply(state, seat, move)
        assert isinstance(step, Step)
        state = step.state
    table = msgspec.structs.replace(table_of(state, seat), number=len(moves))
    return TrialView("K7QP-12", 4, table, lost is not None, 3, lost, () if lost is None else BEST)


def trying() -> Talk:
    """A replay in which another turn is tried."""
    talk = Talk()
    talk.types("history")
    talk.hears(HistoryView("all", "", (past(12, game="cartino"),), more=False))
    talk.types("1")
    talk.hears(ReplayView("K7QP-12", 4, 9, 6, table_of(OVER, None)))
    assert talk.sends("try") == asked()
    assert "Your turn." in talk.hears(tried())
    return talk


def asked(*moves: Move) -> Command:
    """The request that leads to `tried`."""
    return TryTurn("K7QP-12", 4, tuple(map(encode_raw, moves)))


def test_another_turn_is_tried_move_by_move_and_told_what_it_loses() -> None:
    talk = trying()
    assert talk.sends(f"{FIRST_LAY.spot} end") == asked(FIRST_LAY)
    talk.hears(tried(FIRST_LAY))
    assert talk.link.sent[-1] == asked(FIRST_LAY, EndTurn())
    told = talk.hears(tried(FIRST_LAY, EndTurn(), lost=5.2))
    assert told[-1] == "5.2 points below the best: the king of spades, lower half."
    assert talk.sends(FIRST_LAY.spot) == asked(FIRST_LAY, EndTurn()), "the turn is over"
    assert talk.sends("again") == asked()
    talk.hears(tried())
    assert any(line.startswith("K7QP-12, step 4 of 9.") for line in talk.types("0"))


def test_a_turn_that_ended_by_itself_needs_no_end() -> None:
    talk = trying()
    talk.types(f"{FIRST_LAY.spot} end")
    assert talk.hears(tried(FIRST_LAY, lost=0.0))[-1] == "As good as the best turn: 3 points now."
    assert talk.link.sent[-1] == asked(FIRST_LAY)


def test_a_refused_move_of_a_trial_is_taken_back() -> None:
    talk = trying()
    talk.types(FIRST_LAY.spot)
    assert talk.hears(Refusal("illegal", "lay-first", to=TryTurn.__name__)) == [
        "Lay at least one stone before you end your turn."
    ]
    assert talk.sends(FIRST_LAY.spot) == asked(FIRST_LAY)


def test_a_visit_may_begin_with_a_replay() -> None:
    talk = Talk(intent=Replay("K7QP-12@2"))
    assert talk.link.sent[-1] == Replay("K7QP-12@2")
    assert talk.hears(ReplayView("K7QP-12", 4, 9, 6, table_of(OVER, None)))[0] == "K7QP-12, step 4 of 9."
    assert not talk.conversation.waiting, "lines are read"
    assert any(line.startswith("1: ") for line in talk.types("0")), "the lobby"
