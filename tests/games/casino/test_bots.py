"""What Casino's greedy and careful bots prefer."""

from random import Random

import pytest
from msgspec.structs import replace

from cartino_engine.bots import Bot
from cartino_games.casino.bots import (
    CasinoCareful,
    CasinoGreedy,
)
from cartino_games.casino.cards import CARDS, NUMBER
from cartino_games.casino.game import PACKAGE
from cartino_games.casino.rules import CasinoState
from cartino_games.casino.views import Play
from cartino_protocol.wire import encode
from tests.support.casino import GAME, build, position

BOTS = PACKAGE.bots


def choice(bot: Bot, state: CasinoState) -> Play:
    play = bot.choose(encode(GAME.view(state, 0)), Random(1))
    assert isinstance(play, Play)
    return play


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
