"""What holds for every bot: it plays whole games from its view alone, by the rules, and the dice are the caller's."""

from random import Random

import msgspec
import pytest

from cartino_engine.bots import Bot, CantChoose
from cartino_engine.chance import SeedChance
from cartino_engine.port import Step
from cartino_games.caro.bots import SearchingCaroBot
from cartino_games.cartino.bots.levels import CartinoExpert
from cartino_games.casino.bots import CasinoExpert
from cartino_protocol.records import RecordLine
from cartino_protocol.wire import encode
from tests.support.games import BOTS, GAMES

KEYS = sorted(BOTS)
SHORTEST = {"caro": {"rounds": "1"}, "casino": {"target": "11"}}
"""Games that are over soonest."""


def played(bot: Bot, seed: int, seats: int, option: str) -> list[RecordLine]:
    """A whole game of the bot against itself; a refused move fails."""
    game, chance = GAMES[bot.game], Random(seed)
    options = game.read_options({**SHORTEST.get(bot.game, {}), game.options[0].name: option})
    assert isinstance(options, dict)
    step = game.start(options, ["x"] * seats, SeedChance(chance.randbytes(32), [""] * seats))
    lines = list(step.lines)
    state = step.state
    while turn := game.on_turn(state):
        choice = bot.choose(encode(game.view(state, turn[0])), chance)
        assert choice is not None
        move = game.read_move(encode(choice))
        after = game.apply(state, turn[0], move)
        assert isinstance(after, Step), f"{move} refused: {after}"
        lines += after.lines
        state = after.state
    assert game.result(state) is not None
    return lines


@pytest.mark.parametrize("key", KEYS)
def test_it_plays_every_kind_to_the_end_and_again_the_same(
    key: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = BOTS[key]
    # Few samples are enough here.
    if isinstance(bot, SearchingCaroBot):
        monkeypatch.setattr(type(bot), "moves", 20)
    bot = CartinoExpert(worlds=2) if isinstance(bot, CartinoExpert) else bot
    bot = CasinoExpert(worlds=2) if isinstance(bot, CasinoExpert) else bot
    first, *others = GAMES[bot.game].options[0].choices
    assert played(bot, 5, 2, first) == played(bot, 5, 2, first)
    for option in others:
        assert played(bot, 5, 4, option)


@pytest.mark.parametrize("key", KEYS)
def test_it_chooses_nothing_off_turn_or_from_what_is_no_view(key: tuple[str, str]) -> None:
    bot, game = BOTS[key], GAMES[BOTS[key].game]
    options = {option.name: option.default for option in game.options}
    state = game.start(options, ["x", "y"], SeedChance(bytes(32), ["", ""])).state
    with pytest.raises(CantChoose):
        bot.choose(encode(game.view(state, 1 - game.on_turn(state)[0])), Random(1))
    with pytest.raises(msgspec.DecodeError):
        bot.choose(b"\xc1", Random(1))
