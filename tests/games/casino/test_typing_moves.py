"""How plays are typed (rules, Typing): every example there, mistakes, and back again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_games.casino.typing_moves import read, write
from cartino_games.casino.views import Play
from tests.support.casino import ALL_OPTIONS, GAME, build, position, random_game

NINE = build("9:2H+7S", 1)


@pytest.mark.parametrize(
    ("text", "play"),
    [
        ("9H", Play("9H", "trail")),
        ("9Hx3C+6D,9C", Play("9H", "capture", 9, ("3C", "6D", "9C"))),
        (" 9h X 3c + 6d , 9c ", Play("9H", "capture", 9, ("3C", "6D", "9C"))),
        ("AH=14xKC+AD", Play("AH", "capture", 14, ("KC", "AD"))),
        ("AHxKC+AD", Play("AH", "capture", 14, ("KC", "AD"))),
        ("AHxAD", Play("AH", "capture", 1, ("AD",))),
        ("2D+7C=9", Play("2D", "build", 9, ("7C",))),
        ("7H&7C", Play("7H", "build", 7, ("7C",))),
        ("AH>9", Play("AH", "raise", 10, ("2H", "7S"))),
        ("4H+5D>>9", Play("4H", "add", 9, ("5D", "2H", "7S"))),
        ("9S>>9", Play("9S", "add", 9, ("2H", "7S"))),
        ("9Hx>9,9C", Play("9H", "capture", 9, ("9C", "2H", "7S"))),
        ("9Hx7S", Play("9H", "capture", 9, ("2H", "7S"))),
        ("5Cx*", Play("5C", "capture", 5, ("3C", "6D", "9C", "KC", "AD", "7C", "5D", "2H", "7S"))),
    ],
)
def test_what_is_typed_is_the_play(text: str, play: Play) -> None:
    state = position("9H AH 2D 7H 7D 4H 9S 10H 5C", "KD", loose="3C 6D 9C KC AD 7C 5D", builds=[NINE])
    if text == "2D+7C=9":  # builds of nine are one stack: without the one that lies there
        state = position("2D 9S", "KD", loose="7C")
    assert read(text, state.seen_by(0)) == play


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("9Hx3C,3C", "card-twice"),
        ("9Hx3C+6D,KC", "does-not-add-up"),
        ("9Hx4S", "not-on-table"),
        ("9H=4x9C", "not-a-value"),
        ("KHxKC", "not-in-hand"),
        ("AH>8", "not-on-table"),
        ("4H>>8", "not-on-table"),
        ("4H+4S>>9", "not-on-table"),
        ("4H=14x9C", "not-a-value"),
        ("2D+7C=9", "use-add"),
        ("2D+7C=99", "does-not-add-up"),
        ("9Hx>4", "not-on-table"),
        ("5Cx3C", "five-takes-all"),
        ("9H>9", "above-16"),
    ],
)
def test_what_is_wrong_with_it_is_told_by_the_rule(text: str, rule: str) -> None:
    state = position("9H AH 2D 7H 4H 9S 5C", "KD", loose="3C 6D 9C KC AD 7C", builds=[NINE])
    assert read(text, state.seen_by(0)) == rule


def test_the_whole_of_an_empty_table_is_nothing() -> None:
    assert read("5Cx*", position("5C", "KD").seen_by(0)) == "nothing-taken"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "x",
            "9",
            "H",
            "1H",
            "11H",
            "9Hx",
            "9Hx,",
            "9H=x9C",
            "9Hx9C+",
            "9Hx9C5C",
            "9H+",
            "9H&",
            "9H+7C",
        ),
        *("9H>", "9H>>", "9Hx9", "9H9C", "９H", "9H>９", "9Hx" + "+" * 5000, "9Hx9C;5C", "4H+5C>9"),
    ],
)
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
