"""The best turn, against every turn that the engine allows."""

from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cartino_engine.port import Step
from cartino_games.cartino.board import BOARDS, Edition
from cartino_games.cartino.bots.levels import CartinoGreedy
from cartino_games.cartino.bots.planning import PlannedLay, TurnOutcome, TurnTree, best_turn, outcome_of
from cartino_games.cartino.bots.reading import read_position, read_view
from cartino_games.cartino.lines import SettleLine, TurnLine
from cartino_games.cartino.moves import EndTurn
from cartino_games.cartino.moves import Lay as LayMove
from cartino_games.cartino.rules.state import CartinoState
from cartino_protocol.wire import encode
from tests.support.cartino import GAME, Table, position, random_game


def turn_points(before: CartinoState, step: Step[CartinoState], so_far: int) -> tuple[int, bool]:
    """The points of a turn with the tens on top after `step`, and whether the turn is closed."""
    seat = before.seat
    gained = so_far + sum(line.points for line in step.lines if hasattr(line, "points"))
    closed = False
    for line in step.lines:
        if isinstance(line, TurnLine):
            closed, gained = True, gained + line.bonus
        if isinstance(line, SettleLine):
            gained += line.bonus[seat]
    return gained, closed


def most_points(state: CartinoState, so_far: int = 0) -> int:
    """The best turn found by trying everything at the engine."""
    best = -1
    for move in GAME.legal(state, state.seat):
        step = GAME.apply(state, state.seat, move)
        assert isinstance(step, Step)
        gained, closed = turn_points(state, step, so_far)
        best = max(best, gained if closed else most_points(step.state, gained))
    return best


def greedy_points(state: CartinoState) -> int:
    """What the bot's turn brings."""
    gained, closed, bot = 0, False, CartinoGreedy()
    while not closed:
        move = bot.choose(encode(GAME.view(state, state.seat)), Random(0))
        assert isinstance(move, LayMove | EndTurn)
        step = GAME.apply(state, state.seat, move)
        assert isinstance(step, Step), f"{move} refused: {step}"
        gained, closed = turn_points(state, step, gained)
        state = step.state
    return gained


@st.composite
def positions(draw: st.DrawFn) -> CartinoState:
    """A small hand (with a joker perhaps) at a board crowded round one suit."""
    edition: Edition = draw(st.sampled_from(["1974", "1969"]))
    board = BOARDS[edition]
    suit = draw(st.sampled_from("DHSC"))
    own = [card for card in board.cards if card[-1] == suit]
    hand = draw(st.lists(st.sampled_from(own), min_size=1, max_size=4))
    others = draw(st.lists(st.sampled_from(board.cards), max_size=4 - len(hand)))
    joker = ["*"] if len(hand) <= 2 and draw(st.booleans()) else []
    taken = draw(st.lists(st.sampled_from(board.spots), max_size=30, unique=True))
    # Of each card there are two stones: none may be in a hand and on both its spots as well.
    held = [*hand, *others]
    stones = [spot for spot in taken if held.count(spot[:-1]) < 1]
    jokers = draw(st.lists(st.sampled_from(own), max_size=2, unique=True))
    under = [card + "u" for card in jokers if card + "u" not in stones and held.count(card) < 2][
        : 2 - len(joker)
    ]
    bag = draw(st.sampled_from(["", "7D 7D 7D 7D 7D"]))
    filler = draw(st.sampled_from(["AH", "AD"]))
    return position(
        " ".join([*hand, *others, *joker]), filler, edition=edition, stones=stones, jokers=under, bag=bag
    )


@settings(max_examples=60)
@given(positions())
@example(position("QS KS AS", "7H", bag="7H"))
@example(position("AS KS QS JS 10S", "7H", bag="7D 7D 7D 7D 7D"))
@example(position("AS KS *", "7H"))
@example(position("AS", "7H", edition="1969", jokers=["ASu"]))
@example(position("AS", "7H", edition="1974", jokers=["ASu"]))
@example(position("KS KS", "7H", edition="1969", jokers=["KSu"], stones=["QSu", "ASl"]))
def test_no_turn_brings_more(state: CartinoState) -> None:
    assert greedy_points(state) == most_points(state)
    assert best_turn(read_position(GAME.view(state, 0))).points == most_points(state)


@pytest.mark.parametrize(("swap_later", "points"), [(False, 2 * (5 + 3)), (True, 5 + 3 + 5)])
def test_a_joker_and_its_stone_share_a_spot_of_one_turn_only_where_they_may(
    swap_later: bool, points: int
) -> None:
    """Beside A and Q the king's spot scores for the joker, and with `any` again for the king that takes it out."""
    state = position("KS *", "7H", stones=["ASu", "QSu"], bag="7H 7H 7H 7H", swap_later=swap_later)
    assert greedy_points(state) == most_points(state) == points


def best_spots(state: CartinoState) -> list[str]:
    """Where the best turn lays, in its order."""
    position = read_position(read_view(encode(GAME.view(state, 0))))
    return [position.ground.board.spots[lay.spot] for lay, _ in best_turn(position).lays]


def test_of_equal_turns_the_one_that_leaves_least_open_is_taken() -> None:
    """Neither half of the ten scores; the upper one lies in the corner, with two free neighbours instead of three."""
    assert best_spots(position("10S", "7H", stones=["8Du"], bag="7D 7D 7D 7D")) == ["10Su"]


def test_a_stone_that_brings_nothing_is_laid_with_the_others() -> None:
    """Held back it would only cost; in the middle of a turn a joker of it is left where it lies."""
    table = Table(position("KS 10S", "7H", stones=["ASu"], bag="7D 7D 7D 7D"))
    assert sorted(spot[:-1] for spot in best_spots(table.state)) == ["10S", "KS"]
    table.lay("KSu")
    assert best_spots(table.state) == ["10Su"]
    table = Table(position("* KS 7H", "7H", stones=["ASu", "QSu"], bag="7H 7H 7H 7H"))
    table.lay("*@KSu")
    assert best_spots(table.state) == ["KSl"]


def test_a_turn_is_planned_once() -> None:
    """The moves of a plan are those that would be chosen one by one."""
    table = Table(position("QS KS AS", "7H", bag="7H"))
    for move in CartinoGreedy().plan(encode(GAME.view(table.state, 0)), Random(0)):
        assert CartinoGreedy().choose(encode(GAME.view(table.state, 0)), Random(0)) == move
        table.play(move)
    assert table.state.seat == 1


@given(
    st.integers(0, 50), st.sampled_from(["1974", "1969"]), st.floats(0, 1), st.sampled_from(["later", "any"])
)
@settings(max_examples=25)
def test_what_lays_lead_to_is_the_end_of_their_turn(
    seed: int, edition: Edition, at: float, swap: str
) -> None:
    states = [state for state, _ in random_game(seed, edition, 3, joker_swap=swap) if GAME.on_turn(state)]
    state = states[int(at * (len(states) - 1))]
    read = read_position(read_view(encode(GAME.view(state, state.seat))))
    tree = TurnTree(read)
    for end in list(tree.ends())[:200]:
        found = outcome_of(read, tree.lays_to(end))
        assert all(getattr(found, name) == getattr(end, name) for name in found.__struct_fields__)


def test_what_lays_lead_to_has_both_bonuses() -> None:
    read = read_position(read_view(encode(GAME.view(position("AS KS QS JS 10S", "7H"), 0))))
    lays = [PlannedLay(card, 2 * card) for card in reversed(read.stones)]
    assert outcome_of(read, lays[:4]).points == 5 + 4 + 3
    taken = sum(1 << lay.spot for lay in lays)
    assert outcome_of(read, lays) == TurnOutcome(5 + 4 + 3 + 10 + 10, taken, 0, (), 0, out=True)
