"""What the view tells, and under the referee `honour` never tells."""

import random

import msgspec
import pytest

from cartino_games.caro.rules import game
from cartino_games.caro.rules.table import FULL, CaroState
from cartino_games.caro.views import CaroLay, CaroView, Rule, place_at, read_lay
from cartino_protocol.wire import encode
from tests.support.caro import GAME, Sitting, position, random_game

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
    for seats in (2, 3, 4):
        for state in states("strict", seats, seed=seats):
            on_turn = GAME.on_turn(state)
            for audience in AUDIENCES:
                offered = GAME.view(state, audience).lays
                assert [read_lay(word, state.table.span) for word in offered] == (
                    list(GAME.legal(state, audience)) if audience in on_turn else []
                )
                for word, points in offered.items():
                    sitting = Sitting(state)
                    before = state.totals[on_turn[0]]
                    lay = read_lay(word, state.table.span)
                    assert lay
                    sitting.play((on_turn[0], f"{lay.colour}{lay.x},{lay.y}"))
                    assert sitting.state.totals[on_turn[0]] - before == points


def test_an_honest_view_offers_all_that_touches_inside_the_area() -> None:
    for seats in (2, 3, 4):
        for state in states("honour", seats, seed=seats):
            for seat in GAME.on_turn(state):
                view = GAME.view(state, seat)
                lies = caros(view)
                near = {(x + dx, y + dy) for x, y in lies for dx, dy in _SIDES} - lies.keys() or {
                    spot(place_at(0, 0, view.span))
                }
                fitting = {
                    free
                    for free in near
                    if all(
                        max(each[axis] for each in (*lies, free)) - min(each[axis] for each in (*lies, free))
                        < view.span
                        for axis in (0, 1)
                    )
                }
                expected = {(colour, *free) for colour in view.supplies[seat] for free in fitting}
                offered = {(word[0], *spot(word[1:])) for word in view.lays}
                if view.must:
                    # Laid again by the rules: see test_calling.
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
    options = GAME.read_options({"referee": "honour"})
    assert isinstance(options, dict)
    # White between two reds of three: the last red breaks rule 2, the last black none.
    sinful, lawful = (Sitting(position("W", FULL, FULL, FULL, honour=True)) for _ in range(2))
    sinful.play((0, "R1,0"), (1, "B0,1"), (2, "R-1,0"), (0, "R0,-1"))
    lawful.play((0, "R1,0"), (1, "R0,-1"), (2, "R-1,0"), (0, "B0,1"))
    for audience in AUDIENCES:
        one, other = (GAME.view(sitting.state, audience) for sitting in (sinful, lawful))
        assert caros(one) == caros(other)
        fields = [set(msgspec.to_builtins(view)) for view in (one, other)]
        assert fields[0] == fields[1]
        assert (one.claim, one.on_turn) == (other.claim, other.on_turn)
        assert one.lays == other.lays
    assert type(sinful.lines[-1]) is type(lawful.lines[-1])


def test_who_may_call_is_told_to_each_alone_and_to_all_alike() -> None:
    sitting = Sitting(position("R", FULL, FULL, FULL, honour=True))
    sitting.play((0, "R1,0"))
    assert [GAME.view(sitting.state, audience).claim for audience in AUDIENCES] == [
        False,
        False,
        True,
        True,
        False,
    ]
    sitting.play((1, "B0,1"), (0, "call"))
    assert [GAME.view(sitting.state, audience).claim for audience in AUDIENCES] == [
        False,
        False,
        False,
        True,
        False,
    ]
    assert sitting.state.answered == (0,)
    assert GAME.view(sitting.state, None).laid == place_at(0, 1, 7)


def test_a_view_has_the_last_lines_and_counts_them_all() -> None:
    sitting = Sitting(position("WRW", "WB", "W", FULL, honour=True))
    sitting.play((0, "W1,1"), (2, "call"))
    view = GAME.view(sitting.state, 0)
    assert [msgspec.to_builtins(line)["type"] for line in view.recent] == [
        "lay",
        "skip",
        "call",
        "undo",
        "forfeit",
        "skip",
    ]
    assert view.told == 6
    *_, (last, _) = random_game(1, {"referee": "strict", "rounds": "1", "begins": "lot"}, 2)
    assert len(GAME.view(last, 0).recent) == game.RECENT < GAME.view(last, 0).told


def test_the_course_of_the_totals_is_told_at_the_end() -> None:
    for seats in (2, 3):
        *course, last = states("honour", seats, seed=3, rounds="2")
        assert not any(GAME.view(state, 0).course for state in course)
        view = GAME.view(last, None)
        assert view.course[-1] == view.totals == tuple(map(sum, zip(*view.by_round, strict=True)))
        assert len(view.course) == GAME.turns(last)


def test_a_view_is_small_and_survives_the_wire() -> None:
    largest = 0
    for referee in ("strict", "honour"):
        for seats in (2, 3, 4):
            for state in states(referee, seats, seed=random.Random(seats).getrandbits(16), rounds="4"):
                for audience in (None, *range(seats)):
                    data = encode(GAME.view(state, audience))
                    assert msgspec.msgpack.decode(data, type=CaroView) == GAME.view(state, audience)
                    if GAME.result(state) is None:
                        largest = max(largest, len(data))
    assert largest <= 2700


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
        "Rf6 ",
        "Rff6",
        "Rl1",
        "Rf1\n",
        "Rf\u0661",
    ):
        assert read_lay(word, 6) is None
