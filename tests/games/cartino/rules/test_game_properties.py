"""Random games of both editions against what must always hold."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_engine.port import Step
from cartino_games.cartino.board import Edition
from cartino_games.cartino.lines import LayLine, PassLine, SettleLine, TurnLine
from cartino_games.cartino.moves import EndTurn, Lay, Move
from cartino_games.cartino.rules.state import CartinoState
from cartino_protocol.records import RecordLine
from cartino_protocol.refusals import Refusal
from tests.support.cartino import GAME, random_game

GAMES = given(
    st.integers(0, 2**32),
    st.sampled_from(["1974", "1969"]),
    st.integers(2, 4),
    st.fixed_dictionaries(
        {"joker_swap": st.sampled_from(["later", "any"]), "bag": st.sampled_from(["one", "apart"])}
    ),
)
Options = dict[str, str]


@GAMES
@settings(max_examples=25, deadline=None)
def test_stones_are_conserved(seed: int, edition: Edition, seats: int, options: Options) -> None:
    for state, _ in random_game(seed, edition, seats, **options):
        tables = state.tables
        on_board = [
            tables.joker if state.jokers & bit else spot // 2
            for spot, bit in enumerate(tables.bit)
            if state.taken & bit
        ]
        held = [stone for hand in state.hands for stone in hand]
        gone = [tables.joker] * state.gone
        everything = Counter(on_board + held + gone + list(state.bag.remaining_stones()))
        assert everything == Counter(tables.stones)
        assert all(len(hand) <= 5 for hand in state.hands)
        assert state.jokers & ~state.taken == 0


@GAMES
@settings(max_examples=25, deadline=None)
def test_totals_are_the_sum_of_the_record(seed: int, edition: Edition, seats: int, options: Options) -> None:
    sums = [0] * seats
    state: CartinoState | None = None
    for state, lines in random_game(seed, edition, seats, **options):
        for line in lines:
            _add(sums, line)
        assert GAME.totals(state) == tuple(sums)
    assert state is not None
    result = GAME.result(state)
    assert result is not None
    assert result.totals == tuple(sums)
    assert result.winners == tuple(seat for seat in range(seats) if sums[seat] == max(sums))


@GAMES
@settings(max_examples=25, deadline=None)
def test_the_course_tells_what_every_turn_of_the_record_brought(
    seed: int, edition: Edition, seats: int, options: Options
) -> None:
    brought: list[tuple[int, int, bool]] = []
    gained = 0
    state: CartinoState | None = None
    for state, lines in random_game(seed, edition, seats, **options):
        for line in lines:
            if isinstance(line, LayLine):
                gained += line.points
            elif isinstance(line, TurnLine):
                brought.append((line.seat, gained + line.bonus, line.bonus > 0))
                gained = 0
            elif isinstance(line, PassLine):
                brought.append((line.seat, 0, False))
        if state.settlement is None:
            assert GAME.view(state, None).course == ()
    assert state is not None
    view = GAME.view(state, None)
    turns = range(len(view.course))
    told = [((view.first + turn) % seats, view.course[turn], turn in view.fives) for turn in turns]
    assert told == brought


def _add(sums: list[int], line: RecordLine) -> None:
    if isinstance(line, LayLine):
        sums[line.seat] += line.points
    elif isinstance(line, TurnLine):
        sums[line.seat] += line.bonus
        assert line.total == sums[line.seat]
    elif isinstance(line, SettleLine):
        for seat, (bonus, penalty) in enumerate(zip(line.bonus, line.penalty, strict=True)):
            sums[seat] += bonus - penalty


@GAMES
@settings(max_examples=8, deadline=None)
def test_every_legal_move_applies_and_every_other_is_refused(
    seed: int, edition: Edition, seats: int, options: Options
) -> None:
    states = [state for state, _ in random_game(seed, edition, seats, **options)]
    for state in states[:: max(len(states) // 6, 1)]:
        names = state.tables.board.stone_names
        spots = state.tables.board.spots
        for seat in range(seats):
            legal = set(GAME.legal(state, seat))
            every: list[Move] = [EndTurn(), *(Lay(stone, spot) for stone in names for spot in spots)]
            assert legal <= set(every)
            for move in every:
                answer = GAME.apply(state, seat, move)
                assert isinstance(answer, Step if move in legal else Refusal)


@GAMES
@settings(max_examples=15, deadline=None)
def test_whoever_is_on_turn_can_lay_and_the_game_ends(
    seed: int, edition: Edition, seats: int, options: Options
) -> None:
    moments = list(random_game(seed, edition, seats, **options))
    for state, _ in moments[:-1]:
        (seat,) = GAME.on_turn(state)
        assert any(isinstance(move, Lay) for move in GAME.legal(state, seat))
    assert len(moments) <= 2 * (len(moments[0][0].tables.stones) + 60)
