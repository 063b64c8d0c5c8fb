"""Bots keep the rules under any referee, call sins they see, and the better ones win."""

from collections.abc import Sequence
from itertools import islice
from random import Random

import msgspec
import pytest

from cartino_engine.bots import Bot, CantChoose
from cartino_engine.port import Result, Step
from cartino_games.caro import bots
from cartino_games.caro.bots import (
    Branch,
    CaroCareful,
    CaroChancer,
    CaroExpert,
    CaroGreedy,
    CaroPosition,
    Search,
)
from cartino_games.caro.game import PACKAGE
from cartino_games.caro.rules.table import FULL, CaroState, Table
from cartino_games.caro.views import Accept, Call, CaroLay
from cartino_protocol.wire import encode
from tests.support.caro import GAME, Sitting, position, random_game


def looking(moves: int) -> CaroExpert:
    """Return the expert, which looks at so many moves only."""

    class Shorter(CaroExpert):
        pass

    Shorter.moves = moves
    return Shorter()


BOTS: tuple[Bot, ...] = (*(bot for bot in PACKAGE.bots if bot.name != "expert"), looking(20))
EVERY = pytest.mark.parametrize("bot", BOTS, ids=lambda bot: bot.name)


def ask(bot: Bot, state: CaroState, seat: int, dice: int = 0) -> msgspec.Struct | None:
    return bot.choose(encode(GAME.view(state, seat)), Random(dice))


def play(players: tuple[Bot, Bot], seed: int) -> Result:
    """A strict game from four random moves on; the result."""
    dice, options = Random(seed), {"referee": "strict", "rounds": "1", "begins": "lot"}
    state = next(islice(random_game(seed, options, 2), 4, None))[0]
    while (result := GAME.result(state)) is None:
        seat = state.seat
        choice = players[seat].choose(encode(GAME.view(state, seat)), dice)
        assert isinstance(choice, CaroLay)
        step = GAME.apply(state, seat, choice)
        assert isinstance(step, Step)
        state = step.state
    return result


@EVERY
@pytest.mark.parametrize("referee", ["honour", pytest.param("strict", marks=pytest.mark.soak)])
def test_a_bot_only_does_what_is_legal(bot: Bot, referee: str) -> None:
    for seats in (2, 3, 4):
        options = {"referee": referee, "rounds": "2", "begins": "lot"}
        for state, _ in list(random_game(seats, options, seats))[::3]:
            for seat in GAME.may_act(state):
                move = ask(bot, state, seat)
                assert move in list(GAME.legal(state, seat)) or (
                    move is None and seat not in GAME.on_turn(state)
                )
            for seat in set(range(seats)) - set(GAME.may_act(state)):
                with pytest.raises(CantChoose):
                    ask(bot, state, seat)


@EVERY
def test_a_bot_calls_a_sin_half_the_time_and_nothing_else(bot: Bot) -> None:
    sinned = Sitting(position("RB", FULL, FULL, FULL, honour=True))
    sinned.play((0, "B2,0"))
    honest = Sitting(position("RB", FULL, FULL, FULL, honour=True))
    honest.play((0, "G2,0"))
    calls = sum(ask(bot, sinned.state, 2, dice) == Call() for dice in range(400))
    assert 160 < calls < 240
    assert {ask(bot, honest.state, 2, dice) for dice in range(50)} == {None}
    on_turn = [ask(bot, sinned.state, 1, dice) for dice in range(20)]
    assert {type(move) for move in on_turn} == {Call, CaroLay}


@EVERY
def test_a_bot_answers_the_last_lay(bot: Bot) -> None:
    honest = Sitting(position("R", "B", "", honour=True))
    honest.play((0, "B1,0"))
    assert {type(ask(bot, honest.state, 1, dice)) for dice in range(50)} == {Accept}
    sinned = Sitting(position("R", "R", "", honour=True))
    sinned.play((0, "R1,0"))
    assert {type(ask(bot, sinned.state, 1, dice)) for dice in range(50)} == {Accept, Call}


def test_greedy_takes_the_most_points_and_counts_doubling() -> None:
    for supply, colour in (("BBG", "G"), ("BBGG", "B"), ("BG", "B")):
        choice = ask(CaroGreedy(), position("WR", supply, FULL), 0)
        assert isinstance(choice, CaroLay)
        assert choice.colour == colour


def test_greedy_beats_random() -> None:
    wins = sum(play((CaroGreedy(), CaroChancer()), seed).winners == (0,) for seed in range(10))
    wins += sum(play((CaroChancer(), CaroGreedy()), seed).winners == (1,) for seed in range(10))
    assert wins >= 19


def margin(state: CaroState) -> int:
    """How far seat 0 ends ahead when both play their best."""
    if GAME.result(state) is not None:
        return state.totals[0] - state.totals[1]
    margins = [after(state, move) for move in GAME.legal(state, state.seat)]
    return max(margins) if state.seat == 0 else min(margins)


def after(state: CaroState, move: msgspec.Struct | None) -> int:
    assert isinstance(move, CaroLay)
    step = GAME.apply(state, state.seat, move)
    assert isinstance(step, Step)
    return margin(step.state)


def test_the_expert_plays_a_short_end_perfectly_where_greedy_does_not() -> None:
    lost = 0
    for picture, *supplies in (
        ("WG", "RW", "B"),
        ("GB", "RG", "R"),
        ("BW .G", "RW", "BG"),
        ("RG", "BW", "R"),
    ):
        state = position(picture, *supplies)
        assert after(state, ask(looking(5000), state, 0)) == margin(state)
        lost += margin(state) - after(state, ask(CaroGreedy(), state, 0))
    assert lost > 0


@pytest.mark.parametrize("moves", [1, 60, 600])
def test_the_expert_looks_at_no_more_than_it_may(moves: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    asks = bots.replies

    def counted(position: CaroPosition, most: int) -> Sequence[Branch]:
        asked.append(position)
        return asks(position, most)

    monkeypatch.setattr(bots, "replies", counted)
    assert isinstance(ask(looking(moves), position("RBG"), 0), CaroLay)
    assert moves // 4 <= len(asked) <= moves


SLOW, FAST = (
    Branch(CaroLay("R", at, 0), 0, gain, CaroPosition(Table(6), ("", ""), at))
    for at, gain in ((1, 1), (2, 3))
)


def replies(position: CaroPosition, most: int) -> Sequence[Branch]:
    """Answer `SLOW` with 2 points, `FAST` with 5 or none."""
    gains = {1: (2,), 2: (5, 0)}.get(position.seat, ())
    after = msgspec.structs.replace(position, seat=0)
    return [Branch(CaroLay("R", 3, 0), 1, gain, after) for gain in gains][:most]


@pytest.mark.parametrize(
    ("seats", "width", "moves", "best"),
    [
        pytest.param(2, 12, 99, SLOW, id="one other"),
        pytest.param(3, 12, 99, FAST, id="own points count against each of the others"),
        pytest.param(3, 12, 0, SLOW, id="without moves to look at the first is the best"),
        pytest.param(3, 1, 99, SLOW, id="as many moves a position as wanted"),
    ],
)
def test_the_search_weighs_a_players_points_against_those_of_all_others(
    seats: int, width: int, moves: int, best: Branch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "replies", replies)
    assert Search(seats, width, moves).best([SLOW, FAST]) is best


@pytest.mark.soak
@pytest.mark.parametrize("bot", [CaroGreedy(), CaroCareful(), looking(60)], ids=lambda bot: bot.name)
def test_twenty_games_from_one_beginning_are_twenty_different_ones(bot: Bot) -> None:
    def turns(dice: Random) -> list[msgspec.Struct]:
        state, moves = position(""), list[msgspec.Struct]()
        while GAME.on_turn(state):
            move = bot.choose(encode(GAME.view(state, state.seat)), dice)
            assert isinstance(move, CaroLay)
            step = GAME.apply(state, state.seat, move)
            assert isinstance(step, Step)
            state = step.state
            moves.append(move)
        return moves

    games = [turns(Random(seed)) for seed in range(20)]
    assert len({tuple(map(repr, game)) for game in games}) == 20
    assert turns(Random(3)) == games[3], "the dice are all of its chance"


@pytest.mark.soak
@pytest.mark.parametrize(("strong", "weak"), [("learner", "beginner"), ("careful", "greedy")])
def test_a_level_beats_one_below(strong: str, weak: str) -> None:
    levels = {bot.name: bot for bot in PACKAGE.bots}
    wins = sum(play((levels[strong], levels[weak]), seed).winners == (0,) for seed in range(8))
    wins += sum(play((levels[weak], levels[strong]), seed).winners == (1,) for seed in range(8))
    assert wins >= 10


def test_careful_judges_lays_by_what_comes_after_them() -> None:
    """Taking the most points now may lose more than it takes; no lay is better than the best one."""
    judge, lost_by_greed = CaroCareful(), 0.0
    options = {"referee": "strict", "rounds": "1", "begins": "lot"}
    for state, _ in list(random_game(3, options, 2))[2:-2:3]:
        if not GAME.on_turn(state):
            continue
        view = encode(GAME.view(state, state.seat))
        greedy = ask(CaroGreedy(), state, state.seat)
        assert greedy is not None
        verdict = judge.judge(view, (encode(greedy),))
        assert verdict.lost >= 0
        assert judge.judge(view, tuple(map(encode, verdict.best))).lost == 0
        lost_by_greed += verdict.lost
    assert lost_by_greed > 0


def test_an_answer_loses_nothing() -> None:
    honest = Sitting(position("R", "B", "", honour=True))
    honest.play((0, "B1,0"))
    assert CaroCareful().judge(encode(GAME.view(honest.state, 1)), (encode(Accept()),)).lost == 0
