"""What a play asks for and does: the cases of arithmetic.txt, and every set of cards on random tables."""

import random
from collections.abc import Sequence
from itertools import chain, combinations
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cartino_games.casino.arithmetic import biggest, gain, judge, plays, readings, sets_of
from cartino_games.casino.cards import CARDS, Customs
from cartino_games.casino.views import CasinoView, Play, Rule
from tests.oracle.check_casino import parts
from tests.support.casino import ALL_OPTIONS, GAME, NOTATION, build, position, random_game
from tests.support.rules_script import cases, run


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("arithmetic.txt")))
def test_rules(case: list[str]) -> None:
    run(NOTATION, case)


@pytest.mark.parametrize(
    ("card", "loose", "typed"),
    [
        ("JH", "JD", "JHxJD"),
        ("JH", "5D 6D", "JHx6D+5D"),
        ("QH", "10S 2D", "QHx10S+2D"),
        ("KH", "9D 4S", "KHx9D+4S"),
        ("AH", "AD", "AHxAD"),
        ("AH", "KC AD", "AH=14xKC+AD"),
        ("10D", "6H 4S", "10Dx6H+4S"),
        ("10D", "9H 7S", "10D=16x9H+7S"),
        ("2C", "2H", "2Cx2H"),
        ("2C", "8H 7S", "2C=15x8H+7S"),
    ],
)
def test_each_card_takes_what_it_is_worth(card: str, loose: str, typed: str) -> None:
    run(NOTATION, [f"hands: {card}, 4H; loose: {loose}", f"? lists {typed}: true"])


@pytest.mark.parametrize(
    ("card", "chosen", "expected"),
    [
        ("7H", "7C", {("capture", 7): None, ("build", 7): "own-a-build", ("build", 14): "own-a-build"}),
        ("2H", "7C", {("capture", 2): "does-not-add-up", ("build", 9): "own-a-build"}),
        ("2H", "", {("trail", 0): "own-a-build"}),
        ("2H", "6D", {("capture", 2): "other-build", ("raise", 12): None, ("add", 10): "does-not-add-up"}),
        ("2H", "KS", {("capture", 2): "not-on-table"}),
        ("KD", "7C", {("capture", 13): "not-in-hand", ("build", 20): "not-in-hand"}),
    ],
)
def test_every_way_to_mean_a_choice_is_told_with_the_rule_against_it(
    card: str, chosen: str, expected: dict[tuple[str, int], Rule | None]
) -> None:
    state = position("7H 2H QH 10S", "4H", loose="7C", builds=[build("10:6D+4S", 0)])
    ways = readings(state.seen_by(0), card, chosen.split())
    assert {(play.act, play.value): rule for play, rule in ways} == expected
    assert all(isinstance(play, Play) for play, _ in ways)
    rules = [rule for _, rule in ways]
    assert rules == sorted(rules, key=lambda rule: rule is not None)


GAMES = given(st.integers(0, 2**32), st.sampled_from(ALL_OPTIONS), st.integers(2, 4))


def seen_table(hand: Sequence[str], loose: Sequence[str]) -> CasinoView:
    return CasinoView(Customs(), (0, 0), you=0, on_turn=0, hand=tuple(hand), loose=tuple(loose))


def all_plays(view: CasinoView) -> set[tuple[str, str, int, frozenset[str]]]:
    """Every allowed play, by asking the judge for each set of cards on the table."""
    found = set()
    cards = view.cards
    for card in view.hand:
        for chosen in chain.from_iterable(combinations(cards, count) for count in range(len(cards) + 1)):
            for act in ("trail", "capture", "build", "raise", "add"):
                for value in range(17):
                    if judge(view, Play(card, act, value, chosen)) is None:
                        found.add((card, act, value, frozenset(chosen)))
    return found


@GAMES
@settings(max_examples=8, deadline=None)
def test_on_tables_as_they_come_every_allowed_play_is_listed(
    seed: int, options: dict[str, str], seats: int
) -> None:
    states = [state for state, _ in random_game(seed, options, seats) if GAME.on_turn(state)]
    for state in random.Random(seed).sample(states, 6):
        (seat,) = GAME.on_turn(state)
        view = state.seen_by(seat)
        assume(len(view.cards) <= 8)
        legal = {(each.card, each.act, each.value, frozenset(each.takes)) for each in GAME.legal(state, seat)}
        assert legal == all_plays(view)


@given(st.sets(st.sampled_from(CARDS), max_size=9), st.integers(1, 16))
@settings(max_examples=150, deadline=None)
def test_sets_are_found_exactly_where_there_are_some(cards: set[str], value: int) -> None:
    chosen = sorted(cards)
    parted = sets_of(chosen, value)
    assert (parted is not None) == parts(chosen, value)
    if parted is not None:
        assert sorted(card for each in parted for card in each) == chosen
        assert all(parts(each, value) and sum(1 for _ in each) for each in parted)


@given(st.integers(0, 2**32), st.integers(10, 48))
@settings(max_examples=20, deadline=None)
def test_captures_of_a_full_table_are_bounded_allowed_and_the_biggest_first(seed: int, loose: int) -> None:
    pack = random.Random(seed).sample(CARDS, loose + 4)
    view = seen_table(pack[:4], pack[4:])
    for card in view.hand:
        captures = [play for play in plays(view, card) if play.act == "capture"]
        assert len(captures) <= 64
        assert all(judge(view, play) is None for play in captures)
        sizes = [len(play.takes) for play in captures]
        assert sizes == sorted(sizes, reverse=True)
        every = [view.cards] if view.customs.takes_all(card) else []
        assert not every or captures[0].takes == every[0]


@given(st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_the_first_capture_is_the_biggest_there_is(seed: int) -> None:
    pack = random.Random(seed).sample(CARDS, 13)
    view = seen_table(pack[:1], pack[1:])
    sizes = [
        count
        for count in range(len(view.loose) + 1)
        for chosen in combinations(view.loose, count)
        for value in view.customs.in_hand(pack[0])
        if judge(view, Play(pack[0], "capture", value, chosen)) is None
    ]
    first = next(biggest(view, pack[0]), None)
    assert (len(first.takes) if first else 0) == max(sizes, default=0)


def test_a_gain_counts_the_card_played_and_nothing_but_captures() -> None:
    view = seen_table(["AC", "KD"], ["AD", "10D", "3C"])
    assert gain(view, Play("AC", "capture", 14, ("AD", "10D", "3C"))) == (4, 2, 4, 1)
    assert gain(view, Play("AC", "capture", 1, ("AD",))) == (2, 1, 2, 0)
    assert gain(view, Play("KD", "trail")) == (0, 0, 0, 0)
