"""Bots play by the rules out of their seat's view, each stronger than the one before."""

import random
from random import Random

import pytest
from msgspec.structs import replace

from cartino_engine.bots import Bot, CantChoose
from cartino_engine.chance import GivenOrder
from cartino_engine.port import Step
from cartino_games.casino.bots import (
    CasinoBeginner,
    CasinoCareful,
    CasinoCasual,
    CasinoChancer,
    CasinoExpert,
    CasinoGreedy,
    CasinoLearner,
)
from cartino_games.casino.cards import CARDS, NUMBER
from cartino_games.casino.game import PACKAGE
from cartino_games.casino.rules import CasinoState
from cartino_games.casino.views import DealScoreLine, Play
from cartino_protocol.wire import encode
from tests.support.casino import ALL_OPTIONS, DEFAULTS, GAME, NAMES, build, position, random_game
from tests.support.sizes import with_seats

BOTS = PACKAGE.bots


def points(order: list[int], bots: tuple[Bot, ...], options: dict[str, str]) -> tuple[int, ...]:
    """What each bot scores in a deal of the pack in that order."""
    state = GAME.start(options, NAMES[: len(bots)], GivenOrder(order, order)).state
    dice = Random(1)
    while True:
        (seat,) = GAME.on_turn(state)
        play = bots[seat].choose(encode(GAME.view(state, seat)), dice)
        assert isinstance(play, Play)
        step = GAME.apply(state, seat, play)
        assert isinstance(step, Step), f"{bots[seat].name}: {play} {step}"
        state = step.state
        for line in step.lines:
            if isinstance(line, DealScoreLine):
                return line.points


def choice(bot: Bot, state: CasinoState) -> Play:
    play = bot.choose(encode(GAME.view(state, 0)), Random(1))
    assert isinstance(play, Play)
    return play


@pytest.mark.parametrize("bot", BOTS, ids=lambda bot: bot.name)
@with_seats
def test_a_bot_plays_by_the_rules_with_all_options(bot: Bot, seats: int) -> None:
    bot = CasinoExpert(worlds=2) if isinstance(bot, CasinoExpert) else bot
    for number, options in enumerate(ALL_OPTIONS[::6]):
        order = Random(number).sample(range(52), 52)
        assert sum(points(order, (bot,) * seats, options)) > 0


def test_careful_judges_its_own_play_as_the_best_and_others_as_no_better() -> None:
    states = [state for state, _ in random_game(7, DEFAULTS, 3) if GAME.on_turn(state)]
    lost = []
    for state in states[::4]:
        (seat,) = GAME.on_turn(state)
        view = encode(GAME.view(state, seat))
        own = CasinoCareful().choose(view, Random(1))
        assert CasinoCareful().judge(view, (encode(own),)).lost == 0
        for move in GAME.legal(state, seat):
            verdict = CasinoCareful().judge(view, (encode(move),))
            assert verdict.best == (own,)
            lost.append(verdict.lost)
    assert min(lost) == 0
    assert max(lost) > 1


@pytest.mark.soak
@pytest.mark.parametrize(
    ("stronger", "weaker"),
    [
        (CasinoGreedy(), CasinoChancer()),
        (CasinoCasual(), CasinoBeginner()),
        (CasinoGreedy(), CasinoLearner()),
        (CasinoCareful(), CasinoGreedy()),
        (CasinoExpert(), CasinoGreedy()),
    ],
    ids=lambda bot: bot.name,
)
def test_a_bot_beats_weaker_ones(stronger: Bot, weaker: Bot) -> None:
    rng, margin = random.Random(2), 0
    for _ in range(20):
        order = rng.sample(range(52), 52)
        one, two = points(order, (stronger, weaker), DEFAULTS), points(order, (weaker, stronger), DEFAULTS)
        margin += one[0] - one[1] + two[1] - two[0]
    assert margin > 0


def test_greedy_takes_points_and_trails_what_counts_least() -> None:
    assert choice(CasinoGreedy(), position("10S 3H", "4H", loose="10D 3D 3C")).takes == ("10D",)
    assert choice(CasinoGreedy(), position("AS 3H 4C", "KH", loose="10D")) == Play("3H", "trail")


@pytest.mark.parametrize(("unseen", "act"), [((), "build"), (("9H", "9S", "9C"), "trail")])
def test_careful_builds_where_nobody_else_can_take_the_build(unseen: tuple[str, ...], act: str) -> None:
    hands = "2H 9D", "KH JH QH KS"
    unknown = {*" ".join(hands).split(), *unseen, "10H", "10S", "10C"}
    state = position(*hands, loose="7C")
    seen = sum(1 << NUMBER[card] for card in CARDS if card not in unknown)
    assert choice(CasinoCareful(), replace(state, table=replace(state.table, seen=seen))).act == act


def test_an_owner_who_must_take_the_build_takes_it() -> None:
    state = position("9D", "KH", builds=[build("9:2H+7C", 0)])
    for bot in BOTS:
        assert choice(bot, state) == Play("9D", "capture", 9, ("2H", "7C"))


@pytest.mark.parametrize("bot", BOTS, ids=lambda bot: bot.name)
def test_without_a_turn_there_is_nothing_to_choose(bot: Bot) -> None:
    state = position("9D", "KH")
    for audience in (None, 1):
        with pytest.raises(CantChoose):
            bot.choose(encode(GAME.view(state, audience)), Random(1))
