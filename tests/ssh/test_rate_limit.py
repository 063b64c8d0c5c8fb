"""Input per connection is limited; misbehaviour blocks a source, longer each time, and is forgotten."""

from asyncssh.constants import MSG_CHANNEL_OPEN
from hypothesis import given
from hypothesis import strategies as st

from cartino_server.ssh.rate_limit import (
    ABUSE_AFTER,
    ENFORCED_FROM,
    PACKET_BURST,
    PACKET_COSTS,
    PACKETS_PER_SECOND,
    InputLimit,
    Penalties,
)


def test_bytes_and_packets_are_both_bounded() -> None:
    allowance = InputLimit(1000, 2000, now=0)
    allowance.charge(1, 2500)
    assert allowance.wait(0) == 0.5
    allowance = InputLimit(1000, 2000, now=0)
    allowance.charge(PACKET_BURST + PACKETS_PER_SECOND)
    assert allowance.wait(0) == 1


def test_people_have_room() -> None:
    """Sixty keys a second, a resize now and then, and a second ssh over the same connection."""
    allowance = InputLimit(32_768, 65_536, now=0)
    for tick in range(60 * 100):
        assert allowance.wait(tick / 60) == 0
        allowance.charge(1 + (tick % 6 == 0), 52)
        if tick % 60 == 0:
            allowance.charge(1 + PACKET_COSTS[MSG_CHANNEL_OPEN], 100)


def flood(allowance: InputLimit, start: int, seconds: int) -> None:
    for tick in range(start * 100, (start + seconds) * 100):
        if allowance.wait(tick / 100) == 0:
            allowance.charge(10, 360)


def test_who_always_sends_too_much_does_not_play() -> None:
    allowance = InputLimit(32_768, 65_536, now=0)
    flood(allowance, 0, int(ABUSE_AFTER) - 1)
    assert not allowance.is_abused(ABUSE_AFTER - 1)
    flood(allowance, int(ABUSE_AFTER) - 1, 3)
    assert allowance.is_abused(ABUSE_AFTER + 2)


def test_who_stops_meanwhile_is_forgiven() -> None:
    allowance = InputLimit(32_768, 65_536, now=0)
    for start in range(0, 100, 10):
        flood(allowance, start, 5)
        assert not allowance.is_abused(start + 5)


def test_a_long_paste_is_no_abuse() -> None:
    allowance = InputLimit(32_768, 65_536, now=0)
    for tick in range(10_000):
        if allowance.wait(tick / 100) == 0:
            allowance.charge(1, 32_768)
        assert not allowance.is_abused(tick / 100)


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


def test_a_most_that_is_less_than_a_habit_is_enforced_too() -> None:
    penalties = Penalties(5)
    penalties.add("a", 10, 0)
    assert (penalties.keeps_out("a", 4), penalties.keeps_out("a", 5)) == (True, False)


def test_when_the_table_is_full_those_punished_longest_ago_get_out() -> None:
    penalties = Penalties(MOST, sources=100)
    for number in range(10_000):
        penalties.add("bad", 300, 0)
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
