"""How plays are typed: the cases of typing.txt, and every play of random games there and back."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_games.casino.typing_moves import read, write
from cartino_games.casino.views import Play
from tests.support.casino import ALL_OPTIONS, GAME, NOTATION, build, position, random_game
from tests.support.rules_script import cases, run

NINE = build("9:2H+7S", 1)


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("typing.txt")))
def test_rules(case: list[str]) -> None:
    run(NOTATION, case)


@pytest.mark.parametrize("text", ["", "９H", "9Hx" + "+" * 5000])
def test_anything_else_is_no_play(text: str) -> None:
    assert read(text, position("9H 4H", "KD", loose="9C 5C", builds=[NINE]).seen_by(0)) is None


@given(st.text(max_size=30) | st.text("9H7C52S10=x>+&,*AK", max_size=30))
def test_no_text_is_too_odd(text: str) -> None:
    state = position("9H AH 2D", "KD", loose="3C 6D 9C KC AD 7C", builds=[NINE])
    read(text, state.seen_by(0))


@given(st.integers(0, 2**32), st.sampled_from(ALL_OPTIONS), st.integers(2, 4))
@settings(max_examples=6, deadline=None)
def test_every_play_reads_as_it_is_written(seed: int, options: dict[str, str], seats: int) -> None:
    for state, _ in random_game(seed, options, seats):
        for seat in GAME.on_turn(state):
            for play in GAME.legal(state, seat):
                again = read(write(play), state.seen_by(seat))
                assert isinstance(again, Play), write(play)
                assert (again.card, again.act, again.value) == (play.card, play.act, play.value)
                assert set(again.takes) == set(play.takes)


@given(st.integers(0, 2**32), st.integers(2, 4))
@settings(max_examples=3, deadline=None)
def test_what_happened_is_written_out_of_the_view_alone(seed: int, seats: int) -> None:
    before = None
    for state, _ in random_game(seed, ALL_OPTIONS[0], seats):
        if before is not None:
            (seat,) = GAME.on_turn(before)
            told = next(event for event in reversed(GAME.view(state, None).recent) if event.card)
            assert told.seat == seat
            assert told.kind != "deal"
            assert told.kind != "left"
            assert told.kind != "score"
            text = write(Play(told.card, told.kind, told.value, told.takes))
            again = read(text, before.seen_by(seat))
            assert isinstance(again, Play), text
            assert GAME.check(before, seat, again) is None
            assert set(again.takes) == set(told.takes)
        before = state
