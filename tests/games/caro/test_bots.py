"""Caro's bots call sins they see and answer the last lay; the expert's search is exact and bounded."""

from collections.abc import Sequence
from random import Random

import msgspec
import pytest

from cartino_engine.bots import Bot
from cartino_engine.port import Step
from cartino_games.caro import bots
from cartino_games.caro.bots import (
    Branch,
    CaroCareful,
    CaroExpert,
    CaroGreedy,
    CaroPosition,
    Search,
)
from cartino_games.caro.game import PACKAGE
from cartino_games.caro.rules.table import FULL, CaroState, Table
from cartino_games.caro.views import Accept, Call, CaroLay
from cartino_protocol.wire import encode
from tests.support.caro import GAME, Sitting, position


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
    assert CaroCareful().judge(encode(GAME.view(honest.state, 1)), (encode(Accept()),)).lost == 0
    sinned = Sitting(position("R", "R", "", honour=True))
    sinned.play((0, "R1,0"))
    assert {type(ask(bot, sinned.state, 1, dice)) for dice in range(50)} == {Accept, Call}


def test_greedy_takes_the_most_points_and_counts_doubling() -> None:
    for supply, colour in (("BBG", "G"), ("BBGG", "B"), ("BG", "B")):
        choice = ask(CaroGreedy(), position("WR", supply, FULL), 0)
        assert isinstance(choice, CaroLay)
        assert choice.colour == colour


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


@pytest.mark.parametrize("bot", [CaroGreedy(), CaroCareful()], ids=lambda bot: bot.name)
def test_other_dice_play_another_game_and_the_same_ones_the_same(bot: Bot) -> None:
    def turns(dice: Random) -> list[str]:
        sitting, moves = Sitting(position("")), list[str]()
        while GAME.on_turn(sitting.state):
            move = bot.choose(encode(GAME.view(sitting.state, sitting.state.seat)), dice)
            assert isinstance(move, CaroLay)
            moves.append(f"{move.colour}{move.x},{move.y}")
            sitting.play((sitting.state.seat, moves[-1]))
        return moves

    games = [turns(Random(seed)) for seed in (0, 1, 2, 0)]
    assert games[0] == games[3]
    assert games[0] != games[1] != games[2] != games[0]
