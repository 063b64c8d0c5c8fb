"""The bots that there are."""

import pytest

from tests.support.games import BOTS, GAMES


def test_every_bot_stands_under_its_game_s_and_its_own_name() -> None:
    assert {(bot.game, bot.name): bot for bot in BOTS.values()} == BOTS


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_bot_for_quick_play_and_one_that_plays_anything(game: str) -> None:
    assert {name for of, name in BOTS if of == game} >= {"greedy", "random"}
