"""Random games of both editions against what must always hold, and the best turns and lays of a record."""

from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_engine.port import Step
from cartino_games.cartino.board import Edition
from cartino_games.cartino.lines import LayLine, PassLine, SettleLine, TurnLine
from cartino_games.cartino.moves import EndTurn, Lay, Move
from cartino_games.cartino.rules.state import CartinoState
from cartino_protocol.records import GameLine, RecordLine
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


@GAMES
@settings(max_examples=8)
def test_every_legal_move_applies_and_every_other_is_refused(
    seed: int, edition: Edition, seats: int, options: Options
) -> None:
    states = [state for state, _ in random_game(seed, edition, seats, **options)]
    names, spots = states[0].tables.board.stone_names, states[0].tables.board.spots
    every: list[Move] = [EndTurn(), *(Lay(stone, spot) for stone in names for spot in spots)]
    for state in states[:: max(len(states) // 6, 1)]:
        assert all(len(hand) <= 5 for hand in state.hands)
        for seat in range(seats):
            legal = set(GAME.legal(state, seat))
            assert legal <= set(every)
            assert any(isinstance(move, Lay) for move in legal) == (seat in GAME.on_turn(state))
            for move in every:
                answer = GAME.apply(state, seat, move)
                assert isinstance(answer, Step if move in legal else Refusal)


def test_the_best_turn_and_the_best_lay_of_a_record() -> None:
    """With the 10 for five stones, without those for going out."""
    lines: list[RecordLine] = [
        GameLine(1, "cartino", {}, ("ann", "bob"), "", ("", ""), ""),
        LayLine(0, "AS", "ASu", 9, swapped=False),
        LayLine(0, "KS", "KSu", 4, swapped=False),
        TurnLine(0, laid=2, bonus=0, total=13),
        LayLine(1, "7D", "7Du", 5, swapped=False),
        TurnLine(1, laid=5, bonus=10, total=15),
        PassLine(0),
        LayLine(1, "8D", "8Du", 7, swapped=False),
        TurnLine(1, laid=1, bonus=0, total=22),
        SettleLine((0, 10), (5, 0)),
    ]
    assert GAME.highlights(lines) == {"turn": [13, 15], "lay": [9, 7]}
    assert GAME.highlights(lines[:1]) == {"turn": [0, 0], "lay": [0, 0]}
