"""Turns, calls, rounds and views of Caro: the cases of game.txt, and what holds in every random game."""

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_engine.chance import GivenOrder, SeedChance
from cartino_engine.port import Step
from cartino_games.caro.rules import game
from cartino_games.caro.rules.table import FULL, CaroState
from cartino_games.caro.views import (
    Call,
    CallLine,
    CaroLay,
    CaroLayLine,
    CaroView,
    RoundLine,
    Rule,
    UndoLine,
    place_at,
    read_lay,
)
from cartino_games.conformance.trial import kinds
from cartino_protocol.records import GameLine, RecordLine
from cartino_protocol.wire import encode
from tests.support.caro import GAME, NOTATION, Sitting, position, random_game
from tests.support.rules_script import cases, run


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("game.txt")))
def test_rules(case: list[str]) -> None:
    run(NOTATION, case)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_first_legal_move_never_sins(seats: int) -> None:
    sitting = Sitting(position("", *(FULL,) * seats, honour=True))
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


@given(st.integers(0, 2**32), st.sampled_from(kinds(GAME)), st.integers(2, 4))
@settings(max_examples=20)
def test_at_every_moment(seed: int, options: dict[str, str], seats: int) -> None:
    """Caros are conserved, a view is small, and a round of honest lays goes on only where somebody can lay."""
    for state, _ in random_game(seed, options, seats):
        everything = Counter("".join(state.supplies)) + Counter(state.table.cells.values())
        assert everything == Counter(FULL * seats)
        xs, ys = ({divmod(cell, 17)[axis] for cell in state.table.cells} or {0} for axis in (0, 1))
        assert max(max(xs) - min(xs), max(ys) - min(ys)) < state.table.span
        if GAME.result(state) is None:
            assert state.closing or any(state.lays(state.seat))
            assert len(encode(GAME.view(state, state.seat))) <= 2700


def test_the_lot_or_the_opener_begins() -> None:
    """A lot is the first of the provable order, and a record tells it."""
    seats = ["ann", "bob", "cleo"]
    for chance in (GivenOrder([2, 0, 1]), SeedChance(bytes(32), ("x", "y", "z"))):
        by_lot = GAME.start(options(), seats, chance)
        assert by_lot.lines == (RoundLine(0, chance.order(3)[0]),)
        assert GAME.on_turn(by_lot.state) == chance.order(3)[:1]
        head = GameLine(1, "caro", {}, ("ann", "bob", "cleo"), "", ("",) * 3, "")
        assert GAME.drawn(options(), [head, *by_lot.lines]).order(3)[0] == chance.order(3)[0]
        assert GAME.redact(by_lot.lines[0], by_lot.state) == by_lot.lines[0]
        assert sorted(GAME.drawn(options(), [head]).order(3)) == [0, 1, 2]
    opener = GAME.start(options(begins="opener"), seats, GivenOrder([2, 0, 1]))
    assert opener.lines == (RoundLine(0, 0),)


def options(**given: str) -> dict[str, str]:
    all_of_them = GAME.read_options(given)
    assert isinstance(all_of_them, dict)
    return all_of_them


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


AUDIENCES = (None, 0, 1, 2, 3)


_SIDES = ((0, -1), (-1, 0), (1, 0), (0, 1))


def spot(place: str) -> tuple[int, int]:
    return ord(place[0]), int(place[1:])


def caros(view: CaroView) -> dict[tuple[int, int], str]:
    return {spot(view.place(cell)): mark for cell, mark in enumerate(view.board) if mark != "."}


def states(referee: str, seats: int, seed: int, rounds: str = "1") -> list[CaroState]:
    options = {"referee": referee, "rounds": rounds, "begins": "lot"}
    return [state for state, _ in random_game(seed, options, seats)]


def test_a_strict_view_offers_what_is_legal_with_its_points_to_the_seat_on_turn_alone() -> None:
    for state in (state for seats in (2, 3, 4) for state in states("strict", seats, seed=seats)[::3]):
        on_turn = GAME.on_turn(state)
        for audience in AUDIENCES:
            offered = GAME.view(state, audience).lays
            lays = [read_lay(word, state.table.span) for word in offered]
            assert lays == (list(GAME.legal(state, audience)) if audience in on_turn else [])
            for lay, points in zip(lays, offered.values(), strict=True):
                assert lay
                step = GAME.apply(state, on_turn[0], lay)
                assert isinstance(step, Step)
                assert step.state.totals[on_turn[0]] - state.totals[on_turn[0]] == points


def test_an_honest_view_offers_all_that_touches_inside_the_area() -> None:
    for state in (state for seats in (2, 3, 4) for state in states("honour", seats, seed=seats)[::2]):
        for seat in GAME.on_turn(state):
            view = GAME.view(state, seat)
            lies = caros(view)
            near = {(x + dx, y + dy) for x, y in lies for dx, dy in _SIDES} - lies.keys() or {
                spot(place_at(0, 0, view.span))
            }
            spread = [
                (free, [sorted({*(each[axis] for each in lies), free[axis]}) for axis in (0, 1)])
                for free in near
            ]
            fitting = [free for free, axes in spread if all(line[-1] - line[0] < view.span for line in axes)]
            expected = {(colour, *free) for colour in view.supplies[seat] for free in fitting}
            offered = {(word[0], *spot(word[1:])) for word in view.lays}
            if view.must:  # laid again by the rules: see game.txt
                assert offered
                assert offered < expected
            else:
                assert offered == (set() if view.closing else expected)


@pytest.mark.parametrize("verdict", [None, "beside"])
def test_an_honest_view_does_not_depend_on_what_breaks_a_rule(
    verdict: Rule | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = [
        (state, audience, encode(GAME.view(state, audience)))
        for seats in (2, 3, 4)
        for state in states("honour", seats, seed=seats + 9)
        for audience in AUDIENCES
    ]
    assert any(state.must for state, _, _ in seen)
    assert any(state.closing for state, _, _ in seen)
    monkeypatch.setattr(game, "broken", lambda cells, cell, colour: verdict)
    for state, audience, view in seen:
        assert state.must or encode(GAME.view(state, audience)) == view


def test_a_sin_and_a_lawful_lay_look_alike() -> None:
    """The same cells, laid in another order, so that the last of them broke a rule in one game alone."""
    # White between two reds of three: the last red breaks rule 2, the last black none.
    sinful, lawful = (Sitting(position("W", FULL, FULL, FULL, honour=True)) for _ in range(2))
    sinful.play((0, "R1,0"), (1, "B0,1"), (2, "R-1,0"), (0, "R0,-1"))
    lawful.play((0, "R1,0"), (1, "R0,-1"), (2, "R-1,0"), (0, "B0,1"))
    for audience in AUDIENCES:
        one, other = (GAME.view(sitting.state, audience) for sitting in (sinful, lawful))
        assert caros(one) == caros(other)
        assert (one.claim, one.on_turn, one.lays) == (other.claim, other.on_turn, other.lays)
        assert one.broke == other.broke == ""


def test_a_view_has_the_last_lines_alone() -> None:
    view = GAME.view(states("strict", 2, 1)[-1], 0)
    assert len(view.recent) == game.RECENT < view.told


def test_the_course_of_the_totals_is_told_at_the_end() -> None:
    for seats in (2, 3):
        *course, last = states("honour", seats, seed=3, rounds="2")
        assert not any(GAME.view(state, 0).course for state in course)
        view = GAME.view(last, None)
        assert view.course[-1] == view.totals == tuple(map(sum, zip(*view.by_round, strict=True)))
        assert len(view.course) == GAME.turns(last)


def test_a_move_off_the_wire_is_within_the_table() -> None:
    assert GAME.read_move(encode(CaroLay("R", -7, 7))) == CaroLay("R", -7, 7)
    for x, y, colour in ((8, 0, "R"), (0, -8, "R"), (0, 0, "X")):
        with pytest.raises(msgspec.DecodeError):
            GAME.read_move(msgspec.msgpack.encode({"t": "CaroLay", "colour": colour, "x": x, "y": y}))


def test_a_lay_is_typed_in_either_case_and_counts_from_the_middle_of_the_widest_area() -> None:
    assert read_lay("Rf6", 6) == read_lay("rF6", 6) == CaroLay("R", 0, 0)
    assert read_lay("Wo1", 8) == CaroLay("W", 7, -7)
    for word in (
        "",
        "R",
        "Xf6",
        "Rf",
        "R6",
        "Rf0",
        "Rf12",
        "Rf06",
        "Rff6",
        "Rl1",
        "Rf6 ",
        "Rf1\n",
        "Rf\u0661",
    ):
        assert read_lay(word, 6) is None
