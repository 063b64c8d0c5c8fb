"""Dealing, scoring and the end of a game: the cases of rules.txt, and what holds at every moment of random games."""

import random
from itertools import chain
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_engine.chance import GivenOrder
from cartino_engine.port import Step
from cartino_engine.replay import GameRecord, RecordError, replay
from cartino_games.casino.cards import CARDS
from cartino_games.casino.views import (
    CasinoDealLine,
    CasinoView,
    DealScoreLine,
    LeftLine,
    Play,
)
from cartino_protocol.records import FORMAT, GameLine
from cartino_protocol.wire import encode
from tests.support.casino import (
    ALL_OPTIONS,
    DEFAULTS,
    GAME,
    NAMES,
    NOTATION,
    Table,
    random_game,
)
from tests.support.rules_script import cases, run


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("rules.txt")))
def test_rules(case: list[str]) -> None:
    run(NOTATION, case)


@pytest.mark.parametrize(("seats", "hands"), [(2, 6), (3, 4), (4, 3)])
def test_cards_come_two_at_a_time_from_the_dealers_left_and_then_to_the_table(seats: int, hands: int) -> None:
    at = Table(GAME.start(DEFAULTS, NAMES[:seats], GivenOrder(range(52), range(52))).state)
    first = GAME.start(DEFAULTS, NAMES[:seats], GivenOrder(range(52))).lines[0]
    assert isinstance(first, CasinoDealLine)
    half = 2 * seats + 2
    for seat, hand in enumerate(first.hands):
        again = half + 2 * seat
        assert hand == (*CARDS[2 * seat : 2 * seat + 2], *CARDS[again : again + 2])
    assert first.table == (*CARDS[half - 2 : half], *CARDS[2 * half - 2 : 2 * half])
    assert (first.dealer, first.hand, first.last) == (seats - 1, 0, False)
    for number in range(1, hands):
        before = at.state.table
        assert GAME.on_turn(at.state) == ((number - 1) % seats,), (
            "each hand is begun by the next player round"
        )
        while at.state.table.hand_number == before.hand_number:
            (seat,) = GAME.on_turn(at.state)
            at.play(at.state.hands[seat][0])
        line = at.lines[-1]
        assert isinstance(line, CasinoDealLine)
        start = 4 + 4 * seats * number
        assert line.hands[0] == (*CARDS[start : start + 2], *CARDS[start + 2 * seats : start + 2 * seats + 2])
        assert (line.hand, line.table, line.last) == (number, (), number == hands - 1)
        assert (GAME.view(at.state, None).pack == 0) == line.last


def test_the_most_points_of_a_deal_are_told_of_a_record() -> None:
    parts = ((0, 0),) * 7
    lines = [DealScoreLine(*parts, points, (0, 0)) for points in ((3, 0), (1, 6))]
    assert GAME.highlights(lines) == {"deal": [3, 6]}
    assert GAME.highlights([]) == {}


def test_options_that_are_none_are_no_game() -> None:
    chance = GivenOrder(range(52))
    for options, seats in (({}, 2), (DEFAULTS | {"target": "12"}, 2), (DEFAULTS, 1), (DEFAULTS, 5)):
        with pytest.raises(ValueError, match="no game"):
            GAME.start(options, ("ann",) * seats, chance)
    assert all(GAME.read_options(options) == options for options in ALL_OPTIONS)
    assert len(ALL_OPTIONS) == 24


GAMES = given(st.integers(0, 2**32), st.sampled_from(ALL_OPTIONS), st.integers(2, 4))
MOST_OWN, MOST_WATCHED = 4096, 1024


def on_table(view: CasinoView) -> list[str]:
    return [*view.loose, *(card for build in view.builds for card in build.cards)]


@GAMES
@settings(max_examples=12)
def test_at_every_moment(seed: int, options: dict[str, str], seats: int) -> None:
    """52 cards are somewhere, builds are owned by players who can take them, and views count and are small."""
    for state, _ in random_game(seed, options, seats):
        table = state.table
        everything = [*chain(*state.hands), *chain(*state.piles), *state.pack, *on_table(table)]
        assert GAME.result(state) is not None or sorted(everything) == sorted(CARDS)
        assert (sum(table.held), sum(table.taken), table.pack) == (
            sum(map(len, state.hands)),
            sum(map(len, state.piles)),
            len(state.pack),
        )
        for build in table.builds:
            values = [table.customs.in_hand(card) for card in state.hands[build.owner]]
            assert any(build.value in each for each in values)
        for audience in (None, *range(seats)):
            view = GAME.view(state, audience)
            assert view.taken == tuple(map(len, state.piles))
            assert view.held == tuple(map(len, state.hands))
            assert len(encode(view)) <= (MOST_WATCHED if audience is None else MOST_OWN)
            assert bool(view.plays) == (audience is not None and GAME.on_turn(state) == (audience,))
        if table.score is not None:
            assert GAME.view(state, None).score == table.score
            assert sum(table.score.points) - sum(table.score.sweeps) <= 11


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


def changed(line: CasinoDealLine, **fields: object) -> GameRecord:
    head = GameLine(FORMAT, "casino", DEFAULTS, NAMES[:2], "", ("", ""), "")
    return GameRecord(GAME, head, (head, msgspec.structs.replace(line, **fields)))


@pytest.mark.parametrize(
    "fields",
    [
        {"hands": ()},
        {"hands": (("AH",), ("KH",))},
        {"hands": ((), (), (), ())},
        {"hands": (("AH",) * 4, ("AH",) * 4)},
        {"hands": (("AH", "2H", "3H", "ZZ"), ("4H", "5H", "6H", "7H"))},
        {"hands": (("AH", "2H", "3H", "?"), ("4H", "5H", "6H", "7H"))},
        {"dealer": -7},
        {"table": ()},
        {"deal": 4, "hand": 4, "table": ()},
    ],
)
def test_deals_that_can_not_have_been_are_no_chance_for_a_replay(fields: dict[str, object]) -> None:
    _, lines = next(random_game(5, DEFAULTS, 2))
    assert isinstance(lines[0], CasinoDealLine)
    with pytest.raises(RecordError):
        list(replay(changed(lines[0], **fields)))


def test_a_running_games_export_can_not_be_replayed() -> None:
    moments = list(random_game(5, DEFAULTS, 2))[:4]
    lines = [GAME.redact(line, moments[-1][0], 0) for _, made in moments for line in made]
    assert isinstance(lines[0], CasinoDealLine)
    record = changed(lines[0])
    with pytest.raises(RecordError, match="hidden"):
        list(replay(msgspec.structs.replace(record, lines=(*record.lines, *lines[1:]))))
