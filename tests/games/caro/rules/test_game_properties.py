"""Random games of every kind, with sins and calls, against what must always hold."""

import random
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from cartino_engine.port import Step
from cartino_engine.replay import GameRecord, read_record, replay, verify
from cartino_games.caro.rules.table import FULL
from cartino_games.caro.views import (
    COLOURS,
    Accept,
    Call,
    CallLine,
    CaroLay,
    CaroLayLine,
    ForfeitLine,
    Move,
    SkipLine,
    UndoLine,
)
from cartino_protocol.records import RecordLine, write_lines
from cartino_protocol.refusals import Refusal
from tests.oracle.check_caro import check
from tests.support.caro import GAME, random_game, record

OPTIONS = st.fixed_dictionaries(
    {option.name: st.sampled_from(option.choices) for option in GAME.options if option.name != "rounds"}
    | {"rounds": st.sampled_from(["1", "1", "2", "3", "4"])}
)
GAMES = given(st.integers(0, 2**32), OPTIONS, st.integers(2, 4))


def _add(sums: list[int], line: RecordLine) -> None:
    if isinstance(line, CaroLayLine):
        sums[line.seat] += line.points - (0 if line.penalty is UNSET else line.penalty)
    elif isinstance(line, CallLine) and line.penalty is not UNSET:
        sums[line.seat] -= line.penalty
    elif isinstance(line, UndoLine):
        sums[line.seat] -= line.points
    elif isinstance(line, ForfeitLine):
        sums[line.seat] -= line.penalty


@GAMES
@settings(max_examples=40, deadline=None)
def test_totals_are_the_sum_of_the_record(seed: int, options: dict[str, str], seats: int) -> None:
    sums = [0] * seats
    for state, lines in random_game(seed, options, seats):
        for line in lines:
            _add(sums, line)
            if isinstance(line, CaroLayLine | UndoLine | ForfeitLine):
                assert line.total == sums[line.seat]
            elif isinstance(line, CallLine):
                assert line.total == (UNSET if line.right else sums[line.seat])
        assert GAME.totals(state) == tuple(sums)
        result = GAME.result(state)
        assert result is None or result.winners == tuple(
            seat for seat in range(seats) if sums[seat] == max(sums)
        )


@GAMES
@settings(max_examples=20, deadline=None)
def test_caros_are_conserved(seed: int, options: dict[str, str], seats: int) -> None:
    for state, _ in random_game(seed, options, seats):
        everything = Counter("".join(state.supplies)) + Counter(state.table.cells.values())
        assert everything == Counter(FULL * seats)
        xs, ys = ({divmod(cell, 17)[axis] for cell in state.table.cells} or {0} for axis in (0, 1))
        assert max(max(xs) - min(xs), max(ys) - min(ys)) < state.table.span


@GAMES
@settings(max_examples=10, deadline=None)
def test_legal_moves_apply_and_refused_ones_change_nothing(
    seed: int, options: dict[str, str], seats: int
) -> None:
    dice = random.Random(seed)
    others: list[Move] = [Call(), Accept()]
    for state, _ in random_game(seed, options, seats):
        assert set(GAME.on_turn(state)) <= set(GAME.may_act(state))
        for seat in range(seats):
            legal = list(GAME.legal(state, seat))
            assert bool(legal) == (seat in GAME.may_act(state))
            for move in legal:
                assert isinstance(GAME.apply(state, seat, move), Step)
            lay = CaroLay(dice.choice(COLOURS), dice.randint(-7, 7), dice.randint(-7, 7))
            for move in (*others, lay):
                before = repr(state)
                answer = GAME.apply(state, seat, move)
                assert repr(state) == before
                assert GAME.check(state, seat, move) == (answer if isinstance(answer, Refusal) else None)
                if not state.honour or not isinstance(move, CaroLay):
                    assert isinstance(answer, Step) == (move in legal)
                elif move in legal:
                    assert isinstance(answer, Step)


@GAMES
@settings(max_examples=20, deadline=None)
def test_a_skipped_seat_could_lay_none_by_the_rules(seed: int, options: dict[str, str], seats: int) -> None:
    turns = -1
    for state, lines in random_game(seed, options, seats):
        for line in lines:
            if isinstance(line, SkipLine):
                assert state.supplies[line.seat]
                assert not any(state.lays(line.seat))
        if not state.closing and GAME.result(state) is None:
            assert any(state.lays(state.seat))
        assert GAME.turns(state) >= turns
        turns = GAME.turns(state)


@GAMES
@settings(max_examples=20, deadline=None)
def test_a_record_verifies_and_replays_without_its_seed(
    seed: int, options: dict[str, str], seats: int
) -> None:
    lines = record(seed, options, seats)
    read = read_record(write_lines(lines), {"caro": GAME})
    assert list(read.lines) == lines
    verify(read)
    running = GameRecord(GAME, read.head, read.lines[:-1])
    states = [state for state, _ in random_game(seed, options, seats)]
    assert [moment.state for moment in replay(running)] == states
    assert check(write_lines(lines).decode().splitlines()) is None
