"""What each seat draws: from one bag for all, or apart."""

import hmac
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_engine.chance import SeedChance
from cartino_engine.port import Step
from cartino_games.cartino.lines import DrawLine
from cartino_games.cartino.moves import EndTurn
from cartino_games.cartino.rules.bag import Bag, fill
from cartino_games.cartino.rules.tables import TABLES
from tests.support.cartino import GAME, all_options, names

SEED = bytes(range(32))
CUTS = ("ñ", "", "x", "")
STONES = TABLES["1974"].stones


def by_key(text: str) -> list[int]:
    """The items by their keys, as RECORD.md makes them."""
    keys = [hmac.digest(SEED, f"{text}\n{item}".encode(), "sha256") for item in range(len(STONES))]
    return sorted(range(len(STONES)), key=keys.__getitem__)


def full(seats: int, *, apart: bool) -> Bag:
    return fill(TABLES["1974"], seats, SeedChance(SEED, CUTS[:seats]), apart=apart)


def stones_of(items: list[int]) -> tuple[int, ...]:
    return tuple(STONES[item] for item in items)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_one_bag_gives_the_next_stones_to_whoever_draws(seats: int) -> None:
    order, bag = by_key("\n".join(CUTS[:seats])), full(seats, apart=False)
    first, bag = bag.draw(seats - 1, 3)
    then, bag = bag.draw(0, 2)
    assert (first, then) == (stones_of(order[:3]), stones_of(order[3:5]))
    assert (bag.count, bag.remaining_stones()) == (61, stones_of(order[5:]))


def test_two_seats_apart_draw_from_the_two_ends() -> None:
    order, bag = by_key("ñ\n"), full(2, apart=True)
    mine, bag = bag.draw(0, 4)
    theirs, bag = bag.draw(1, 3)
    assert (mine, theirs) == (stones_of(order[:4]), stones_of(order[:-4:-1]))
    rest, bag = bag.draw(1, 99)
    assert (rest, bag.count) == (stones_of(order[4:-3][::-1]), 0), "who draws first gets the last stones"
    assert bag.draw(0, 5)[0] == ()


@pytest.mark.parametrize("seats", [3, 4])
def test_more_seats_apart_draw_what_is_left_of_an_order_of_their_own(seats: int) -> None:
    bag, gone = full(seats, apart=True), set[int]()
    for turn in range(30):
        seat = turn * 7 % seats
        own = [item for item in by_key("\n".join(CUTS[:seats]) + f":bag{seat}") if item not in gone]
        drawn, bag = bag.draw(seat, 2)
        assert drawn == stones_of(own[:2])
        gone |= set(own[:2])
        assert bag.count == len(STONES) - len(gone)


@given(st.integers(0, 2**32), st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_two_apart_draw_the_same_whatever_the_other_does(seed: int, chance: Random) -> None:
    """Until the two ends meet: of all draws of a seat, those of another game are the same as far as both go."""
    shuffle = SeedChance(seed.to_bytes(32, "big"), ("", ""))
    courses = []
    for _ in range(2):
        step = GAME.start(all_options("1974", bag="apart"), names(2), shuffle)
        drawn: list[list[str]] = [[], []]
        while True:
            for line in step.lines:
                if isinstance(line, DrawLine):
                    drawn[line.seat] += line.stones
            state = step.state
            if sum(map(len, drawn)) > 40 or not GAME.on_turn(state):
                break
            moves = list(GAME.legal(state, state.seat))
            ends = moves[-1:] if isinstance(moves[-1], EndTurn) else []
            # Each draws at a pace of its own: some turns are ended early, others go on.
            after = GAME.apply(state, state.seat, chance.choice(chance.choice([ends, moves]) or moves))
            assert isinstance(after, Step)
            step = after
        courses.append(drawn)
    for one, other in zip(*courses, strict=True):
        both = min(len(one), len(other))
        assert both >= 5
        assert one[:both] == other[:both]
