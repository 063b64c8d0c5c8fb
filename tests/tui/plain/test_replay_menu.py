"""The review in plain mode: at a table whose game is over, and in a replay."""

import msgspec
import pytest

from cartino_engine.port import Step
from cartino_games.cartino.moves import EndTurn, Lay, Move
from cartino_protocol.commands import Command, Replay, Review, TryTurn
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import (
    HistoryView,
    Mine,
    ReplayView,
    ReviewView,
    TableView,
    TrialView,
    TurnReview,
)
from cartino_protocol.wire import encode_raw
from cartino_tui.plain.conversation import Conversation
from cartino_tui.preferences import Preferences
from tests.support.cartino import GAME, random_game
from tests.support.cartino_table import table_of
from tests.support.games import SPEECHES
from tests.support.past import past
from tests.support.visit import ScriptedLink, chat, lobby, welcome

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
    f"{FIRST} lost 7.2 points in 2 turns; luck of the draw: +3.",
    f"Step 3: Mistake by {FIRST}: the king of spades, upper half. Better by 5.2: the king of spades, lower half.",
    f"Step 8: Slip by {FIRST}: the king of spades, upper half. Better by 2.0: the king of spades, lower half.",
    f"bot {SECOND} lost 0.4 points in 1 turn; luck of the draw: −4.",
]


def begun(link: ScriptedLink, *heard: TableView) -> Conversation:
    talk = Conversation(link.send, Preferences(), SPEECHES)
    talk.begin()
    for said in (welcome(), lobby(), Mine(())):
        talk.handle(said)
    for table in heard:
        talk.handle(table)
        talk.handle(chat())
    talk.take_lines()
    return talk


@pytest.mark.parametrize("word", ["review", "f"])
def test_a_table_whose_game_is_over_tells_what_the_turns_lost(word: str) -> None:
    link, table = ScriptedLink(), table_of(OVER, 0)
    talk = begun(link, table)
    talk.enter(word)
    assert link.sent == [Review(table.code)]
    talk.handle(REVIEW)
    assert talk.take_lines() == SUMS


def test_a_running_game_is_not_reviewed() -> None:
    state = next(state for state, _ in random_game(3, "1974", 2))
    link = ScriptedLink()
    talk = begun(link, table_of(state, 0))
    talk.enter("review")
    assert Review(table_of(state, 0).code) not in link.sent
    assert talk.take_lines() == ["You can review this game when it's over."]


def test_a_replay_tells_the_review_then_each_costly_turn_and_leads_to_the_next() -> None:
    link = ScriptedLink()
    talk = begun(link)

    def shown(step: int) -> ReplayView:
        return ReplayView("K7QP-12", step, 9, step + 2, table_of(OVER, None))

    talk.enter("games")
    talk.handle(HistoryView("all", "", (past(12, game="cartino"),), more=False))
    talk.enter("1")
    talk.handle(shown(0))
    talk.take_lines()
    talk.enter("review")
    said: Command = link.sent[-1]
    assert said == Review("K7QP-12")
    talk.handle(REVIEW)
    assert talk.take_lines()[: len(SUMS)] == SUMS
    talk.enter("mistake")
    said = link.sent[-1]
    assert said == Replay("K7QP-12", 3)
    talk.handle(shown(3))
    assert any(line.startswith(f"Mistake by {FIRST}: ") for line in talk.take_lines())
    talk.enter("mistake")
    assert link.sent[-1] == Replay("K7QP-12", 8)
    talk.handle(shown(4))
    assert not any("Mistake by" in line for line in talk.take_lines())
    talk.handle(shown(8))
    talk.take_lines()
    talk.enter("mistake")
    assert talk.take_lines()


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


def trying(link: ScriptedLink) -> Conversation:
    """A replay in which another turn is tried."""
    talk = begun(link)
    talk.enter("games")
    talk.handle(HistoryView("all", "", (past(12, game="cartino"),), more=False))
    talk.enter("1")
    talk.handle(ReplayView("K7QP-12", 4, 9, 6, table_of(OVER, None)))
    talk.take_lines()
    talk.enter("try")
    assert link.sent[-1] == asked()
    talk.handle(tried())
    return talk


def asked(*moves: Move) -> Command:
    """The request that leads to `tried`."""
    return TryTurn("K7QP-12", 4, tuple(map(encode_raw, moves)))


def test_another_turn_is_tried_move_by_move_and_told_what_it_loses() -> None:
    link = ScriptedLink()
    talk = trying(link)
    assert "Your turn." in talk.take_lines()
    talk.enter(f"{FIRST_LAY.spot} end")
    assert link.sent[-1] == asked(FIRST_LAY)
    talk.handle(tried(FIRST_LAY))
    assert link.sent[-1] == asked(FIRST_LAY, EndTurn())
    talk.take_lines()
    talk.handle(tried(FIRST_LAY, EndTurn(), lost=5.2))
    assert talk.take_lines()[-1] == "5.2 points below the best: the king of spades, lower half."
    talk.enter(FIRST_LAY.spot)
    assert link.sent[-1] == asked(FIRST_LAY, EndTurn()), "the turn is over"
    talk.enter("again")
    assert link.sent[-1] == asked()
    talk.handle(tried())
    talk.take_lines()
    talk.enter("0")
    assert any(line.startswith("K7QP-12, step 4 of 9.") for line in talk.take_lines())


def test_a_turn_that_ended_by_itself_needs_no_end() -> None:
    link = ScriptedLink()
    talk = trying(link)
    talk.enter(f"{FIRST_LAY.spot} end")
    talk.handle(tried(FIRST_LAY, lost=0.0))
    assert link.sent[-1] == asked(FIRST_LAY)
    assert talk.take_lines()[-1] == "As good as the best turn: 3 points now."


def test_a_refused_move_of_a_trial_is_taken_back() -> None:
    link = ScriptedLink()
    talk = trying(link)
    talk.take_lines()
    talk.enter(FIRST_LAY.spot)
    talk.take_lines()
    talk.handle(Refusal("illegal", "lay-first", to=TryTurn.__name__))
    assert talk.take_lines() == ["Lay at least one stone before you end your turn."]
    talk.enter(FIRST_LAY.spot)
    assert link.sent[-1] == asked(FIRST_LAY)


def test_a_visit_may_begin_with_a_replay() -> None:
    link = ScriptedLink()
    talk = Conversation(link.send, Preferences(), SPEECHES, Replay("K7QP-12@2"))
    talk.begin()
    for said in (welcome(), lobby(), Mine(())):
        talk.handle(said)
    assert link.sent[-1] == Replay("K7QP-12@2")
    talk.take_lines()
    talk.handle(ReplayView("K7QP-12", 4, 9, 6, table_of(OVER, None)))
    assert talk.take_lines()[0] == "K7QP-12, step 4 of 9."
    assert not talk.waiting, "lines are read"
    talk.enter("0")
    assert any(line.startswith("1: ") for line in talk.take_lines()), "the lobby"
