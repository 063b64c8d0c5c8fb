"""What Cartino's bots know, and how they err."""

from random import Random

import msgspec
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from cartino_engine.port import Step
from cartino_games.cartino.board import BOARDS, Edition
from cartino_games.cartino.bots.evaluation import rank, read_known
from cartino_games.cartino.bots.levels import (
    CartinoBeginner,
    CartinoCareful,
    CartinoChancer,
    CartinoExpert,
    CartinoGreedy,
    CartinoLearner,
    moves_of,
)
from cartino_games.cartino.bots.planning import plan_of
from cartino_games.cartino.bots.search import Deals, best_end
from cartino_games.cartino.moves import Lay
from cartino_games.cartino.rules.state import CartinoState
from cartino_protocol.wire import encode
from tests.support.cartino import GAME, Table, position, random_game


def played(state: CartinoState, moves: tuple[object, ...]) -> CartinoState:
    """The state after a plan."""
    seat = state.seat
    for move in moves:
        step = GAME.apply(state, seat, move)  # type: ignore[arg-type]
        assert isinstance(step, Step), f"{move} refused"
        state = step.state
    return state


@given(st.integers(0, 30), st.sampled_from(["1974", "1969"]), st.integers(2, 4), st.floats(0, 1))
@settings(max_examples=30)
def test_every_plan_is_a_whole_turn(seed: int, edition: Edition, seats: int, at: float) -> None:
    states = [state for state, _ in random_game(seed, edition, seats) if GAME.on_turn(state)]
    state = states[int(at * (len(states) - 1))]
    for bot in (CartinoBeginner(), CartinoCareful()):
        after = played(state, bot.plan(encode(GAME.view(state, state.seat)), Random(seed)))
        assert after.settlement is not None or len(after.course) > len(state.course)


def test_careful_uses_no_dice_and_a_shaking_hand_does() -> None:
    view = encode(GAME.view(position("AS KD 7H QC JC", "8H", stones=["QSu", "KDl", "ADu"], bag="9D 9C"), 0))
    assert len({CartinoCareful().plan(view, Random(seed)) for seed in range(20)}) == 1
    assert len({CartinoLearner().plan(view, Random(seed)) for seed in range(40)}) > 2
    assert CartinoLearner().plan(view, Random(5)) == CartinoLearner().plan(view, Random(5))


@pytest.mark.parametrize(("seats", "dice"), [(2, False), (3, True)])
def test_expert_deals_only_where_there_is_no_network(seats: int, dice: bool) -> None:
    states = [state for state, _ in random_game(3, "1974", seats) if GAME.on_turn(state)]
    views = [encode(GAME.view(state, state.seat)) for state in states[10:30:2]]
    plans = [{CartinoExpert(1).plan(view, Random(seed)) for seed in range(4)} for view in views]
    assert any(len(each) > 1 for each in plans) == dice


def test_the_network_prefers_another_turn_than_the_linear_evaluation_now_and_then() -> None:
    states = [state for seed in (3, 4) for state, _ in random_game(seed, "1974", 2) if GAME.on_turn(state)]
    asked = [each for each in (read_known(GAME.view(s, s.seat)) for s in states[::3]) if not each.ends_openly]
    others = [each for each in asked if best_end(each, Random(0)) != rank(each)[0][1]]
    assert 0 < len(others) < len(asked) / 4


MIRRORED = str.maketrans("DHSC", "CSHD")
"""The suits as the board's left half has them on the right."""


@given(st.integers(0, 200), st.floats(0, 0.9))
@settings(max_examples=30, deadline=None)
def test_the_network_reads_every_corner_alike(seed: int, at: float) -> None:
    """A position and its mirror image are worth the same."""
    states = [state for state, _ in random_game(seed, "1974", 2) if GAME.on_turn(state)]
    state = states[int(at * len(states))]
    view, board = GAME.view(state, state.seat), BOARDS["1974"]
    # Where hands are known, the end is computed, and of two that are worth the same either is taken.
    assume(view.laid == 0 and not read_known(view).ends_openly)
    mirrored = msgspec.structs.replace(
        view,
        hand=tuple(stone.translate(MIRRORED) for stone in view.hand),
        board="".join(view.board[board.spot_number[spot.translate(MIRRORED)]] for spot in board.spots),
    )
    one, other = (best_end(read_known(each), Random(0)) for each in (view, mirrored))
    assert (one.points, one.kept_jokers, len(one.kept)) == (other.points, other.kept_jokers, len(other.kept))


def whole_value(state: CartinoState, seat: int) -> int:
    """The margin of `seat` at the end if both play as well as they can, by trying everything at the engine."""
    if state.settlement is not None:
        return state.totals[seat] - state.totals[1 - seat]
    values = [whole_value(step.state, seat) for step in steps(state)]
    return max(values) if state.seat == seat else min(values)


def steps(state: CartinoState) -> list[Step[CartinoState]]:
    found = [GAME.apply(state, state.seat, move) for move in GAME.legal(state, state.seat)]
    return [step for step in found if isinstance(step, Step)]


CARDS = ["AS", "KS", "7S", "AH", "8H", "KD", "QD", "JC"]


@given(
    st.lists(st.sampled_from(CARDS), min_size=1, max_size=3),
    st.lists(st.sampled_from(CARDS), min_size=1, max_size=3),
    st.sampled_from(["1974", "1969"]),
    st.lists(st.sampled_from(["ADu", "QSl", "KHu", "7Cu", "AHl", "KDl"]), max_size=4, unique=True),
)
@example(["7S", "KD", "JC"], ["JC", "KD", "AH"], "1974", ["QSl"])
@example(["8H", "AH", "AS"], ["AH", "7S", "KD"], "1974", [])
@settings(max_examples=25)
def test_the_end_is_played_exactly(
    mine: list[str], theirs: list[str], edition: Edition, stones: list[str]
) -> None:
    both = [*mine, *theirs]
    assume(all(both.count(card) <= 2 for card in both))
    state = at_the_end(mine, theirs, edition, [spot for spot in stones if both.count(spot[:-1]) < 2])
    for bot in (CartinoCareful(), CartinoExpert()):
        plan = bot.plan(encode(GAME.view(state, 0)), Random(0))
        assert whole_value(played(state, plan), 0) == whole_value(state, 0)


@given(
    st.lists(st.sampled_from(CARDS), min_size=3, max_size=3, unique=True), st.sampled_from(["1974", "1969"])
)
@settings(max_examples=30)
def test_a_deal_is_worth_what_comes_of_it(cards: list[str], edition: Edition) -> None:
    """The other one goes out with their only stone: nothing is left to be estimated."""
    assume(cards[0][-1] != cards[1][-1])
    state = at_the_end(cards[:2], cards[2:], edition, [])
    known = read_known(GAME.view(state, 0))
    for end in known.tree.ends():
        after = played(state, moves_of(known.position.ground.board, plan_of(known.position, known.tree, end)))
        outcomes = [step.state for step in steps(after)]
        margins = {over.totals[0] - over.totals[1] for over in outcomes if over.settlement is not None}
        assert Deals(known).value(end) == min(margins)


def at_the_end(mine: list[str], theirs: list[str], edition: Edition, stones: list[str]) -> CartinoState:
    """The bag is empty, the jokers are out, and all but the hands is laid, with `stones` on these spots."""
    held, laid = [*mine, *theirs], list(stones)
    for card in BOARDS[edition].cards:
        free = [card + half for half in "ul" if card + half not in stones]
        laid += free[: max(0, len(free) - held.count(card))]
    begun = position(" ".join(mine), " ".join(theirs), edition=edition, stones=laid)
    return msgspec.structs.replace(begun, gone=2)


def test_with_an_empty_bag_a_turn_is_judged_by_what_really_follows() -> None:
    """Three halves are free: whichever stone is laid, the other player goes out next, and the one kept costs 4 or 1."""
    free = {"KSu", "7Du", "ACu"}
    board = BOARDS["1974"]
    state = position("KS 7D", "AC", stones=[spot for spot in board.spots if spot not in free])
    state = msgspec.structs.replace(state, gone=2)
    view = GAME.view(state, 0)
    points = {lay.stone: lay.points for lay in view.lays}
    verdicts = {
        stone: CartinoCareful().judge(encode(view), (encode(Lay(stone, f"{stone}u")),))
        for stone in ("KS", "7D")
    }
    assert verdicts["KS"].best == verdicts["7D"].best == (Lay("KS", "KSu"),)
    assert verdicts["KS"].lost == 0
    assert verdicts["7D"].lost == points["KS"] - points["7D"] + 4 - 1


@given(st.integers(0, 30), st.sampled_from(["1974", "1969"]), st.floats(0, 1))
@settings(max_examples=20)
def test_to_greedy_dice_and_earlier_choices_change_nothing(seed: int, edition: Edition, at: float) -> None:
    states = [state for state, _ in random_game(seed, edition, 3) if GAME.on_turn(state)]
    state = states[int(at * (len(states) - 1))]
    view, dice, other = encode(GAME.view(state, state.seat)), Random(seed), CartinoGreedy()
    other.choose(encode(GAME.view(states[0], states[0].seat)), Random(1))
    before = dice.getstate()
    assert CartinoGreedy().choose(view, dice) == other.choose(view, Random(seed + 1))
    assert dice.getstate() == before


def test_the_random_bot_makes_every_legal_move_sooner_or_later() -> None:
    table = Table(position("AS KS 7H *", "7D", bag="7D"))
    table.lay("ASu")
    legal = set(map(repr, GAME.legal(table.state, 0)))
    view = encode(GAME.view(table.state, 0))
    assert {repr(CartinoChancer().choose(view, Random(seed))) for seed in range(500)} == legal
