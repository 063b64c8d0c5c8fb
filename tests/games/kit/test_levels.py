"""The bots of all games: they play by the rules from their view, and each level beats one below."""

from random import Random

import pytest

from cartino_engine.bots import Bot, CantChoose
from cartino_engine.chance import SeedChance
from cartino_engine.port import AnyGame, Step
from cartino_games.caro.bots import CaroExpert
from cartino_games.cartino.bots.levels import CartinoExpert
from cartino_games.casino.bots import CasinoExpert
from cartino_games.conformance.trial import kinds, play
from cartino_protocol.base import Seat
from cartino_protocol.wire import encode
from tests.support.games import BOTS, GAMES


class HastyCaro(CaroExpert):
    """Looks at few moves, to be quick."""

    moves = 20


HASTY: dict[tuple[str, str], Bot] = {
    ("caro", "expert"): HastyCaro(),
    ("cartino", "expert"): CartinoExpert(1),
    ("casino", "expert"): CasinoExpert(worlds=2),
}
EVERY = pytest.mark.parametrize(("game", "name"), BOTS, ids=map(" ".join, BOTS))


def planned(game: AnyGame, state: object, seat: Seat, bot: Bot, dice: Random) -> object:
    """The state after the bot's whole turn, every move of which is taken."""
    for move in bot.plan(encode(game.view(state, seat)), dice):
        step = game.apply(state, seat, move)
        assert isinstance(step, Step), f"{bot.name}: {move} {step}"
        state = step.state
    return state


@EVERY
def test_a_bot_plays_by_the_rules_at_any_table(game: str, name: str) -> None:
    """And says so where there is nothing to choose."""
    rules, bot = GAMES[game], HASTY.get((game, name), BOTS[game, name])
    for number, options in enumerate(kinds(rules)):
        seats = rules.seats[0] + number % (rules.seats[1] - rules.seats[0] + 1)
        played = play(rules, options, seats, Random(number))
        for at in played.sample(8):
            state = played.states[at]
            for seat in range(seats):
                if seat not in rules.may_act(state):
                    with pytest.raises(CantChoose):
                        bot.choose(encode(rules.view(state, seat)), Random(at))
                elif seat in rules.on_turn(state):
                    assert planned(rules, state, seat, bot, Random(at)) is not state
        with pytest.raises(CantChoose):
            bot.choose(encode(rules.view(played.states[0], None)), Random(0))


@pytest.mark.parametrize("game", ["caro", "cartino", "casino"])
def test_careful_judges_its_own_turn_as_the_best_and_others_as_no_better(game: str) -> None:
    rules, judge, greedy = GAMES[game], BOTS[game, "careful"], BOTS[game, "greedy"]
    played, lost = play(rules, kinds(rules)[0], 2, Random(3)), 0.0
    for at in played.sample(16)[1:-1]:
        state = played.states[at]
        view = encode(rules.view(state, rules.on_turn(state)[0]))
        own = tuple(map(encode, judge.plan(view, Random(1))))
        verdict = judge.judge(view, tuple(map(encode, greedy.plan(view, Random(1)))))
        assert verdict.lost >= 0
        for best in (own, tuple(map(encode, verdict.best))):
            assert judge.judge(view, best).lost == pytest.approx(0, abs=1e-9)
        lost += verdict.lost
    assert lost > 0, "the most points now may lose more than they bring"


def margin(game: AnyGame, bots: tuple[Bot, Bot], seed: int) -> int:
    """By how many points the first of two bots wins; at Caro, where nothing is dealt, after four random moves."""
    options, dice = game.read_options({}), Random(seed)
    assert isinstance(options, dict)
    state = game.start(options, ("a", "b"), SeedChance(dice.randbytes(32), ("", ""))).state
    for _ in range(4 if game.name == "caro" else 0):
        (seat,) = game.on_turn(state)
        step = game.apply(state, seat, dice.choice(list(game.legal(state, seat))))
        assert isinstance(step, Step)
        state = step.state
    while turn := game.on_turn(state):
        state = planned(game, state, turn[0], bots[turn[0]], dice)
    return game.totals(state)[0] - game.totals(state)[1]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("game", "strong", "weak", "deals", "least"),
    [
        ("caro", "greedy", "random", 10, 0.9),
        ("caro", "learner", "beginner", 8, 0.6),
        ("caro", "careful", "greedy", 8, 0.6),
        ("cartino", "learner", "beginner", 25, 0.55),
        ("cartino", "casual", "learner", 25, 0.55),
        ("cartino", "greedy", "casual", 25, 0.5),
        ("cartino", "careful", "greedy", 25, 0.55),
        ("cartino", "expert", "greedy", 25, 0.55),
        ("casino", "greedy", "random", 8, 0.6),
        ("casino", "casual", "beginner", 8, 0.6),
        ("casino", "greedy", "learner", 8, 0.6),
        ("casino", "careful", "greedy", 8, 0.55),
        ("casino", "expert", "greedy", 8, 0.55),
    ],
)
def test_each_level_beats_one_below(game: str, strong: str, weak: str, deals: int, least: float) -> None:
    """Deals and dice are fixed, so this is the same everywhere; bench/strength.py measures with more of them."""
    rules, one, other = GAMES[game], BOTS[game, strong], BOTS[game, weak]
    margins = [
        *(margin(rules, (one, other), seed) for seed in range(deals)),
        *(-margin(rules, (other, one), seed) for seed in range(deals)),
    ]
    assert sum(0.5 if each == 0 else each > 0 for each in margins) / len(margins) > least
