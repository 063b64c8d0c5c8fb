"""Random games over all options and numbers of seats against what must always hold."""

import random
from collections.abc import Sequence
from itertools import chain, combinations

import msgspec
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cartino_engine.chance import GivenOrder
from cartino_engine.port import Step
from cartino_games.casino.arithmetic import biggest, gain, judge, plays, sets_of
from cartino_games.casino.cards import CARDS, LOW, NUMBER, Customs
from cartino_games.casino.rules import CasinoState
from cartino_games.casino.views import (
    CasinoView,
    DealScoreLine,
    LeftLine,
    Play,
    PlayLine,
)
from cartino_protocol.wire import encode
from tests.oracle.check_casino import parts
from tests.support.casino import ALL_OPTIONS, GAME, NAMES, random_game

GAMES = given(st.integers(0, 2**32), st.sampled_from(ALL_OPTIONS), st.integers(2, 4))
MOST_OWN, MOST_WATCHED = 4096, 1024


def table(hand: Sequence[str], loose: Sequence[str]) -> CasinoView:
    return CasinoView(Customs(), (0, 0), you=0, on_turn=0, hand=tuple(hand), loose=tuple(loose))


def on_table(view: CasinoView) -> list[str]:
    return [*view.loose, *(card for build in view.builds for card in build.cards)]


@GAMES
@settings(max_examples=25, deadline=None)
def test_52_cards_are_somewhere_at_every_moment(seed: int, options: dict[str, str], seats: int) -> None:
    for state, _ in random_game(seed, options, seats):
        table = state.table
        if GAME.result(state) is None:
            held = [*chain(*state.hands), *chain(*state.piles), *state.pack, *on_table(table)]
            assert sorted(held) == sorted(CARDS)
        assert sum(table.held) + sum(table.taken) + table.pack + len(on_table(table)) in (
            52,
            sum(table.taken),
        )
        for audience in (None, *range(seats)):
            view = GAME.view(state, audience)
            assert view.taken == tuple(map(len, state.piles))
            assert view.held == tuple(map(len, state.hands))


@GAMES
@settings(max_examples=25, deadline=None)
def test_totals_are_the_sum_of_the_record(seed: int, options: dict[str, str], seats: int) -> None:
    totals, plays_made, won = [0] * seats, 0, False
    state: CasinoState | None = None
    for state, lines in random_game(seed, options, seats):
        for line in lines:
            plays_made += isinstance(line, PlayLine)
            if isinstance(line, DealScoreLine):
                parts_of = (line.suit, line.cards, line.big, line.little, line.aces, line.last, line.sweeps)
                assert line.points == tuple(map(sum, zip(*parts_of, strict=True)))
                assert sum(line.points) - sum(line.sweeps) <= 11
                totals = [total + points for total, points in zip(totals, line.points, strict=True)]
                assert line.total == tuple(totals)
                assert GAME.view(state, None).score == line
                won = max(totals) >= int(options["target"])
        assert GAME.totals(state) == tuple(totals)
        assert GAME.turns(state) == plays_made
        assert (GAME.result(state) is not None) == won == (GAME.on_turn(state) == ())
    assert won


@GAMES
@settings(max_examples=15, deadline=None)
def test_builds_are_owned_by_who_can_take_them(seed: int, options: dict[str, str], seats: int) -> None:
    for state, _ in random_game(seed, options, seats):
        builds = state.table.builds
        assert len({build.value for build in builds}) == len({build.owner for build in builds}) == len(builds)
        for build in builds:
            values = [state.table.customs.in_hand(card) for card in state.hands[build.owner]]
            assert any(build.value in each for each in values)
            assert build.value <= 16
            assert parts(sorted(build.cards, key=NUMBER.__getitem__), build.value)
            if not build.multiple:
                assert sum(LOW[card] for card in build.cards) == build.value


def all_plays(view: CasinoView) -> set[tuple[str, str, int, frozenset[str]]]:
    """Every allowed play, by asking the judge for each set of table cards."""
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
    view = table(pack[:4], pack[4:])
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
    view = table(pack[:1], pack[1:])
    sizes = [
        count
        for count in range(len(view.loose) + 1)
        for chosen in combinations(view.loose, count)
        for value in view.customs.in_hand(pack[0])
        if judge(view, Play(pack[0], "capture", value, chosen)) is None
    ]
    first = next(biggest(view, pack[0]), None)
    assert (len(first.takes) if first else 0) == max(sizes, default=0)


@GAMES
@settings(max_examples=10, deadline=None)
def test_views_stay_small_and_plays_in_them_are_allowed(
    seed: int, options: dict[str, str], seats: int
) -> None:
    for state, _ in random_game(seed, options, seats):
        watched = encode(GAME.view(state, None))
        assert len(watched) <= MOST_WATCHED
        for seat in range(seats):
            view = GAME.view(state, seat)
            assert len(encode(view)) <= MOST_OWN
            assert bool(view.plays) == (GAME.on_turn(state) == (seat,))
            assert all(GAME.check(state, seat, play) is None for play in view.plays)
            assert msgspec.msgpack.decode(encode(view), type=CasinoView) == view


def test_the_fullest_table_still_fits() -> None:
    """Everybody has only trailed: the seat on turn could take thousands of ways."""
    for seed in range(6):
        step = GAME.start(ALL_OPTIONS[0], NAMES[:2], GivenOrder(random.Random(seed).sample(range(52), 52)))
        state = step.state
        while GAME.on_turn(state) and state.turns < 47:
            (seat,) = GAME.on_turn(state)
            assert len(encode(GAME.view(state, seat))) <= MOST_OWN
            trailed = GAME.apply(state, seat, Play(state.hands[seat][0], "trail"))
            assert isinstance(trailed, Step)
            state = trailed.state


def test_a_gain_counts_the_card_played_and_nothing_but_captures() -> None:
    view = table(["AC", "KD"], ["AD", "10D", "3C"])
    assert gain(view, Play("AC", "capture", 14, ("AD", "10D", "3C"))) == (4, 2, 4, 1)
    assert gain(view, Play("AC", "capture", 1, ("AD",))) == (2, 1, 2, 0)
    assert gain(view, Play("KD", "trail")) == (0, 0, 0, 0)


# -- secrecy


def test_a_scored_deal_lies_open() -> None:
    moments = list(random_game(3, ALL_OPTIONS[0], 2))
    line = moments[0][1][0]
    later = next(state for state, _ in moments if state.table.deal == 1)
    assert GAME.redact(line, moments[5][0]) != line
    assert GAME.redact(line, later) == line
    assert GAME.redact(line, moments[-1][0]) == line
    view = GAME.view(later, None)
    assert sorted(chain(*view.piles)) == sorted(CARDS)
    left = LeftLine(0, ("AH",))
    assert GAME.redact(left, moments[5][0]) == left
