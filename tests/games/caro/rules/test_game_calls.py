"""The referee `honour`: calls, laying again, the forfeit, the answers to a round's last lay."""

import pytest

from cartino_engine.chance import GivenOrder
from cartino_engine.port import Claim, Step
from cartino_games.caro.rules.table import FULL, CaroState
from cartino_games.caro.views import (
    Accept,
    AcceptLine,
    Call,
    CallLine,
    CaroLay,
    CaroLayLine,
    ForfeitLine,
    SkipLine,
    UndoLine,
    read_lay,
)
from tests.support.caro import GAME, Sitting, lay, position, refused


def opened(seats: int, referee: str = "honour") -> Sitting:
    options = GAME.read_options({"referee": referee})
    assert isinstance(options, dict)
    return Sitting(GAME.start(options, ["ann"] * seats, GivenOrder(range(seats))).state)


def sinned(seats: int = 2) -> Sitting:
    """Seat 1 has laid black; seat 0, or 2 of three, black beside it."""
    sitting = opened(seats)
    sitting.play((0, "R0,0"), (1, "B1,0"), (2 % seats, "B2,0"))
    return sitting


def who(state: CaroState) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return GAME.on_turn(state), GAME.may_act(state)


def test_a_right_call_takes_the_caro_back_and_costs_the_sinner_ten() -> None:
    sitting = sinned()
    turns = GAME.turns(sitting.state)
    assert sitting.play((1, "call")) == [CallLine(1, 0, True), UndoLine(0, 2, 0, 0, 10)]
    state = sitting.state
    assert (who(state), GAME.turns(state), GAME.claim(state)) == (((0,), (0,)), turns + 1, None)
    assert refused(state, 0, "G2,0") == "colour"
    assert refused(state, 0, "B2,0") == "beside"
    assert {move.colour for move in GAME.legal(state, 0) if not isinstance(move, Call | Accept)} == {"B"}
    offered = [read_lay(word, state.table.span) for word in GAME.view(state, 0).lays]
    assert offered == list(GAME.legal(state, 0)), "what would be refused is not offered"
    assert refused(state, 1, Call()) == "no-call"
    assert sitting.play((0, "B0,1")) == [CaroLayLine(0, "B", 0, 1, 10, False, 10, 10)]
    assert sitting.state.totals == (10, 10)
    assert who(sitting.state) == ((1,), (1,))


def test_a_wrong_call_costs_the_caller_ten_and_ends_nothing() -> None:
    sitting = opened(3)
    sitting.play((0, "R0,0"))
    assert sitting.play((1, "call")) == [CallLine(1, 0, False, 10, -10)]
    assert refused(sitting.state, 1, Call()) == "no-call"
    assert who(sitting.state) == ((1,), (1, 2))
    assert sitting.play((2, "call")) == [CallLine(2, 0, False, 10, -10)]
    assert GAME.claim(sitting.state) is None
    sitting.play((1, "B1,0"))
    assert sitting.state.totals == (10, 0, -10)


def test_who_may_call_and_until_when() -> None:
    sitting = sinned(3)
    state = sitting.state
    assert GAME.claim(state) == Claim((0, 1), 5.0)
    assert who(state) == ((0,), (0, 1))
    assert list(GAME.legal(state, 1)) == [Call()]
    assert list(GAME.legal(state, 0))[-1] == Call()
    assert refused(state, 2, Call()) == "no-call"
    assert refused(state, 7, Call()) == "no-call"
    assert refused(state, -1, Call()) == "no-call"
    assert refused(state, 1, Accept()) == "no-call"
    # Too late: the next caro lies, so a call is about that one.
    sitting.play((0, "G0,1"))
    assert refused(sitting.state, 0, Call()) == "no-call"
    assert sitting.play((1, "call")) == [CallLine(1, 0, False, 10, 0)]


def test_nothing_can_be_called_before_the_first_lay_or_under_a_strict_referee() -> None:
    assert refused(opened(2).state, 1, Call()) == "no-call"
    strict = opened(2, "strict")
    strict.play((0, "R0,0"))
    assert refused(strict.state, 1, Call()) == "no-call"
    assert refused(strict.state, 1, Accept()) == "no-call"
    assert (GAME.claim(strict.state), who(strict.state)) == (None, ((1,), (1,)))


def test_a_caro_laid_again_may_be_called_like_any_other() -> None:
    sitting = sinned()
    sitting.play((1, "call"), (0, "B0,1"))
    assert sitting.play((1, "call")) == [CallLine(1, 0, False, 10, 0)]


def test_doubling_comes_off_with_the_caro_and_comes_again() -> None:
    sitting = Sitting(position("R.B ...", "RGG", FULL, honour=True, totals=(50, 0)))
    assert sitting.play((0, "R1,0")) == [CaroLayLine(0, "R", 1, 0, 20, True, 70)]
    assert sitting.play((1, "call")) == [CallLine(1, 0, True), UndoLine(0, 1, 0, 20, 50)]
    assert sorted(sitting.state.supplies[0]) == sorted("RGG")
    # The penalty is not doubled.
    assert sitting.play((0, "R3,0")) == [CaroLayLine(0, "R", 3, 0, 20, True, 60, 10)]


def test_an_undo_gives_the_area_back() -> None:
    sitting = Sitting(position("RBGBG", honour=True))
    sitting.play((0, "G5,0"))
    assert refused(sitting.state, 1, "G-1,0") == "place"
    sitting.play((1, "call"), (0, "G0,1"))
    assert GAME.check(sitting.state, 1, lay("G-1,0")) is None


def test_without_a_place_for_the_colour_the_turn_is_forfeit() -> None:
    sitting = opened(3)
    sitting.play((0, "R0,0"), (1, "R1,0"))
    lines = sitting.play((0, "call"))
    assert lines == [CallLine(0, 1, True), UndoLine(1, 1, 0, 0, 0), ForfeitLine(1, "R", 10, -10)]
    state = sitting.state
    assert who(state) == ((2,), (2,))
    assert sorted(state.supplies[1]) == sorted(FULL)
    assert refused(state, 0, Call()) == "no-call"
    assert state.totals == (10, -10, 0)


BLOCKED = "WR."
"""With a white one on the right, no white one has a place."""


def test_who_can_lay_none_by_the_rules_is_skipped() -> None:
    sitting = Sitting(position(BLOCKED, "WW", "W", FULL))
    assert sitting.play((0, "W2,0"))[1:] == [SkipLine(1)]
    assert GAME.on_turn(sitting.state) == (2,)


def test_no_skip_is_told_of_who_has_no_caro() -> None:
    sitting = Sitting(position(BLOCKED, "WW", "", FULL))
    assert sitting.play((0, "W2,0"))[1:] == []
    assert GAME.on_turn(sitting.state) == (2,)


def test_the_same_seat_goes_on_where_all_others_are_skipped_and_may_still_be_called() -> None:
    sitting = Sitting(position(BLOCKED, "WWB", "W", honour=True))
    turns = GAME.turns(sitting.state)
    assert sitting.play((0, "W2,0"))[1:] == [SkipLine(1)]
    assert who(sitting.state) == ((0,), (0, 1))
    assert GAME.turns(sitting.state) == turns + 1
    assert sitting.play((1, "call")) == [CallLine(1, 0, False, 10, -10)]


def test_a_skip_follows_a_forfeit() -> None:
    sitting = Sitting(position("WRW", "WB", "W", FULL, honour=True))
    sitting.play((0, "W1,1"))
    lines = sitting.play((2, "call"))
    assert lines[2:] == [ForfeitLine(0, "W", 10, -10), SkipLine(1)]
    assert GAME.on_turn(sitting.state) == (2,)


def test_where_nobody_can_lay_the_round_is_over_without_a_skip() -> None:
    sitting = Sitting(position(BLOCKED, "WW", "W"))
    assert len(sitting.play((0, "W2,0"))) == 1
    result = GAME.result(sitting.state)
    assert result is not None
    assert (result.reason, result.totals, result.winners) == ("blocked", (6, 0), (0,))
    assert refused(sitting.state, 1, "W5,5") == "over"
    assert GAME.on_turn(sitting.state) == ()


def closing(*supplies: str, picture: str = "R", lay: str = "B1,0") -> Sitting:
    """Seat 0 has laid the last caro."""
    sitting = Sitting(position(picture, *supplies, honour=True))
    sitting.play((0, lay))
    return sitting


def test_a_strict_game_is_over_with_its_last_caro() -> None:
    sitting = Sitting(position("R", "B", ""))
    sitting.play((0, "B1,0"))
    result = GAME.result(sitting.state)
    assert result is not None
    assert (result.reason, result.totals) == ("laid", (20, 0))


def test_the_others_answer_the_last_lay_before_the_round_is_over() -> None:
    sitting = closing("B", "", "")
    state = sitting.state
    assert (who(state), GAME.result(state)) == (((1, 2), (1, 2)), None)
    assert GAME.claim(state) == Claim((1, 2), 15.0, Accept())
    assert list(GAME.legal(state, 2)) == [Accept(), Call()]
    assert refused(state, 1, "G0,1") == "answer-first"
    assert refused(state, 0, "G0,1") == "not-your-turn"
    assert refused(state, 0, Accept()) == "no-call"
    assert sitting.play((2, "accept")) == [AcceptLine(2)]
    assert who(sitting.state) == ((1,), (1,))
    assert refused(sitting.state, 2, Call()) == "no-call"
    assert sitting.play((1, "call")) == [CallLine(1, 0, False, 10, -10)]
    result = GAME.result(sitting.state)
    assert result is not None
    assert (result.reason, result.totals) == ("laid", (20, -10, 0))
    assert GAME.claim(sitting.state) is None
    assert refused(sitting.state, 1, Call()) == "over"


def test_silence_accepts() -> None:
    sitting = closing("B", "", "", "")
    while (claim := GAME.claim(sitting.state)) is not None:
        assert claim.silence == Accept()
        sitting.play(*((seat, "accept") for seat in claim.seats[:1]))
    assert sitting.lines[1:] == [AcceptLine(1), AcceptLine(2), AcceptLine(3)]
    assert GAME.result(sitting.state) is not None


def test_a_right_call_of_the_last_lay_opens_the_round_again() -> None:
    sitting = closing("R", "", "", picture="RB", lay="R-1,0")
    sitting.play((2, "accept"))
    assert sitting.play((1, "call")) == [CallLine(1, 0, True), UndoLine(0, -1, 0, 0, 0)]
    assert who(sitting.state) == ((0,), (0,))
    assert sitting.play((0, "R2,0")) == [CaroLayLine(0, "R", 2, 0, 20, True, 10, 10)]
    # It is the last one again, so everybody is asked again.
    assert who(sitting.state) == ((1, 2), (1, 2))
    sitting.play((1, "accept"), (2, "accept"))
    result = GAME.result(sitting.state)
    assert result is not None
    assert (result.reason, result.totals) == ("laid", (10, 0, 0))


def test_a_forfeit_of_the_last_lay_ends_the_round_at_once() -> None:
    sitting = closing("R", "", lay="R1,0")
    assert sitting.play((1, "call"))[2:] == [ForfeitLine(0, "R", 10, -10)]
    result = GAME.result(sitting.state)
    assert result is not None
    assert (result.reason, result.totals) == ("blocked", (-10, 0))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_first_legal_move_never_sins(seats: int) -> None:
    sitting = opened(seats)
    while GAME.result(sitting.state) is None:
        seat = GAME.on_turn(sitting.state)[0]
        move = next(GAME.legal(sitting.state, seat))
        step = GAME.apply(sitting.state, seat, move)
        assert isinstance(step, Step)
        sitting.state = step.state
        for caller in sitting.state.callers() if isinstance(move, CaroLay) else ():
            judged = GAME.apply(sitting.state, caller, Call())
            assert isinstance(judged, Step)
            assert judged.lines[0] == CallLine(caller, seat, False, 10, sitting.state.totals[caller] - 10)


def test_a_blocked_round_that_waits_for_answers_skips_nobody() -> None:
    sitting = Sitting(position("WR.", "WW", "W", honour=True))
    assert [type(line) for line in sitting.play((0, "W2,0"))] == [CaroLayLine]
    assert sitting.play((1, "accept")) == [AcceptLine(1)]
    result = GAME.result(sitting.state)
    assert result is not None
    assert result.reason == "blocked"
