"""Several rounds in one game, who begins them, and what a record tells of it."""

import pytest
from msgspec.structs import replace

from cartino_engine.chance import GivenOrder, SeedChance
from cartino_games.caro.rules.table import FULL
from cartino_games.caro.views import AcceptLine, CallLine, CaroLayLine, RoundLine, UndoLine
from cartino_protocol.records import GameLine, RecordLine
from tests.support.caro import GAME, Sitting, position, record, refused


def options(**given: str) -> dict[str, str]:
    all_of_them = GAME.read_options(given)
    assert isinstance(all_of_them, dict)
    return all_of_them


def test_the_lot_or_the_opener_begins() -> None:
    seats = ["ann", "bob", "cleo"]
    by_lot = GAME.start(options(), seats, GivenOrder([2, 0, 1]))
    assert by_lot.lines == (RoundLine(0, 2),)
    assert GAME.on_turn(by_lot.state) == (2,)
    opener = GAME.start(options(begins="opener"), seats, GivenOrder([2, 0, 1]))
    assert opener.lines == (RoundLine(0, 0),)


def test_the_lot_is_the_first_of_the_provable_order() -> None:
    chance = SeedChance(bytes(32), ("x", "y", "z", ""))
    step = GAME.start(options(), ["ann"] * 4, chance)
    assert step.lines == (RoundLine(0, chance.order(4)[0]),)


@pytest.mark.parametrize(
    ("totals", "before", "first"),
    [
        ((90, 50, 60), (0, 0, 0), 1),  # the lowest
        ((90, 80, 60), (60, 0, 0), 0),  # of the round that is over, not of the game
        ((0, 50, 50), (0, 0, 0), 0),
        ((80, 50, 50), (0, 0, 0), 1),  # a tie: clockwise after the last beginner
        ((10, 30, 30), (0, 0, 0), 1),  # the beginner, who made 20 more, is the last of those tied
    ],
)
def test_the_lowest_of_a_round_begins_the_next(
    totals: tuple[int, ...], before: tuple[int, ...], first: int
) -> None:
    state = replace(position("R", "B", "", "", rounds=3, totals=totals), by_round=(before,))
    sitting = Sitting(state)
    assert sitting.play((0, "B1,0"))[1:] == [RoundLine(2, first)]
    fresh = sitting.state
    assert GAME.on_turn(fresh) == (first,)
    assert fresh.supplies == (FULL,) * 3
    assert GAME.totals(fresh) == (totals[0] + 20, *totals[1:])
    assert GAME.turns(fresh) == GAME.turns(state) + 2
    assert GAME.view(fresh, None).by_round[1] == tuple(
        total - old for total, old in zip(GAME.totals(fresh), before, strict=True)
    )
    assert refused(fresh, first, "R1,0") == "place"


def test_a_wrong_call_of_the_last_lay_counts_in_its_round() -> None:
    sitting = Sitting(position("R", "B", "", "", honour=True, rounds=2))
    sitting.play((0, "B1,0"), (2, "call"))
    assert sitting.play((1, "accept")) == [AcceptLine(1), RoundLine(1, 2)]
    assert refused(sitting.state, 1, "R0,0") == "not-your-turn"
    assert GAME.claim(sitting.state) is None


def test_the_end_is_laid_or_blocked_by_the_last_round_alone() -> None:
    blocked_first = Sitting(position("WR.", "WW", "W", rounds=2))
    assert blocked_first.play((0, "W2,0"))[1:] == [RoundLine(1, 1)]
    assert GAME.result(blocked_first.state) is None
    laid_last = Sitting(replace(position("R", "B", "", rounds=2), by_round=((1, 1),)))
    laid_last.play((0, "B1,0"))
    result = GAME.result(laid_last.state)
    assert result is not None
    assert result.reason == "laid"


def test_equal_totals_share_the_win() -> None:
    sitting = Sitting(position("R", "B", "", totals=(0, 20)))
    sitting.play((0, "B1,0"))
    result = GAME.result(sitting.state)
    assert result is not None
    assert result.winners == (0, 1)


def test_the_best_lay_is_one_that_stood() -> None:
    head = GameLine(1, "caro", {}, ("ann", "bob"), "", ("", ""), "")
    lines: list[RecordLine] = [
        head,
        CaroLayLine(0, "R", 0, 0, 10, False, 10),
        CaroLayLine(1, "R", 1, 0, 30, False, 30),
        CallLine(0, 1, True),
        UndoLine(1, 1, 0, 30, 0),
        CaroLayLine(1, "R", 1, 1, 7, False, -3, 10),
    ]
    assert GAME.highlights(lines) == {"lay": [10, 7]}
    assert GAME.highlights(lines[:1]) == {"lay": [0, 0]}


def test_who_begins_makes_no_other_kind_of_game() -> None:
    assert GAME.kind(options(begins="opener")) == GAME.kind(options())
    assert GAME.kind(options(rounds="2")) != GAME.kind(options()) != GAME.kind(options(referee="honour"))


def test_a_record_tells_the_lot() -> None:
    lines = record(5, options(), 4)
    first = next(line.first for line in lines if isinstance(line, RoundLine))
    assert GAME.drawn(options(), lines).order(4)[0] == first
    assert sorted(GAME.drawn(options(), lines[:1]).order(4)) == [0, 1, 2, 3]
    assert GAME.redact(lines[1], GAME.start(options(), ["a"] * 4, GivenOrder(range(4))).state) == lines[1]
