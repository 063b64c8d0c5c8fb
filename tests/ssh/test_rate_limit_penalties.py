"""Repeated misbehaviour blocks a source, longer each time; records expire and are bounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_server.ssh.rate_limit import ENFORCED_FROM, Penalties

MOST = 600.0


def test_once_is_no_habit_and_it_fades() -> None:
    penalties = Penalties(MOST)
    penalties.add("a", 10, 100)
    assert (penalties.keeps_out("a", 100), penalties.seconds_left("a", 100)) == (False, 10)
    penalties.add("a", 4, 106)
    assert (penalties.keeps_out("a", 106), penalties.seconds_left("a", 106)) == (False, 8)
    penalties.add("a", 10, 110)
    assert not penalties.keeps_out("a", 110)
    assert penalties.seconds_left("a", 125) == 0


def test_a_habit_is_kept_out_until_its_time_is_up() -> None:
    penalties = Penalties(MOST)
    penalties.add("a", 10, 0)
    penalties.add("a", 10, 2)
    assert [penalties.keeps_out("a", now) for now in (2, 10, 19.9, 20)] == [True, True, True, False]
    assert not penalties.keeps_out("b", 2)


def test_each_time_takes_twice_as_long_up_to_the_most() -> None:
    penalties = Penalties(MOST)
    now, lengths = 0.0, []
    for _ in range(7):
        penalties.add("a", 20, now)
        lengths.append(penalties.seconds_left("a", now))
        now += lengths[-1]
    assert lengths == [20, 40, 80, 160, 320, 600, 600]
    # After as long a quiet as it could have been punished for, it is as new.
    now += MOST + 2
    penalties.add("b", 1, now)
    penalties.add("a", 20, now)
    assert penalties.seconds_left("a", now) == 20


def test_nobody_is_kept_out_where_the_most_is_nothing() -> None:
    penalties = Penalties(0)
    penalties.add("a", 1000, 0)
    assert (len(penalties), penalties.keeps_out("a", 0)) == (0, False)


def test_a_most_that_is_less_than_a_habit_is_enforced_too() -> None:
    penalties = Penalties(5)
    penalties.add("a", 10, 0)
    assert (penalties.keeps_out("a", 4), penalties.keeps_out("a", 5)) == (True, False)


def test_when_the_table_is_full_the_least_get_out() -> None:
    penalties = Penalties(MOST, sources=100)
    penalties.add("bad", 300, 0)
    for number in range(10_000):
        penalties.add(f"s{number}", 1 + number / 10_000, 0)
    assert len(penalties) == 100
    assert penalties.keeps_out("bad", 0)


def test_what_is_over_is_forgotten_though_the_table_is_not_full() -> None:
    penalties = Penalties(10)
    for number in range(1000):
        penalties.add(f"s{number}", 5, number)
    assert len(penalties) < 30


@given(
    st.lists(
        st.tuples(st.sampled_from("abcdefgh"), st.floats(0, 100), st.floats(0, 50)),
        max_size=60,
    ),
    st.floats(0.5, 700),
)
def test_never_more_than_the_most_never_too_many_and_always_fading(
    events: list[tuple[str, float, float]], most: float
) -> None:
    penalties, now = Penalties(most, sources=5), 0.0
    for source, seconds, passed in events:
        now += passed
        penalties.add(source, seconds, now)
        assert len(penalties) <= 5
        for each in "abcdefgh":
            left = penalties.seconds_left(each, now)
            assert 0 <= left <= most + 1e-6
            assert penalties.seconds_left(each, now + 1) <= left
            assert not penalties.keeps_out(each, now + most + 1e-6)
            if penalties.keeps_out(each, now):
                assert left > 0
    assert ENFORCED_FROM == 15


@pytest.mark.parametrize("seconds", [0, -1])
def test_nothing_is_nothing(seconds: float) -> None:
    penalties = Penalties(MOST)
    penalties.add("a", seconds, 0)
    assert len(penalties) == 0
