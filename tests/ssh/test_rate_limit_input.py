import pytest
from asyncssh.constants import MSG_CHANNEL_DATA, MSG_CHANNEL_OPEN, MSG_KEXINIT

from cartino_server.rate_limit import TokenBucket
from cartino_server.ssh.rate_limit import (
    ABUSE_AFTER,
    PACKET_BURST,
    PACKET_COSTS,
    PACKETS_PER_SECOND,
    InputLimit,
)


def test_a_level_may_be_overdrawn_and_fills_again() -> None:
    level = TokenBucket(10, 100, now=50)
    level.draw(100)
    assert level.wait(50) == 0
    level.draw(20)
    assert level.wait(50) == 2
    assert level.wait(51) == 1
    assert level.wait(52) == 0


def test_a_level_holds_no_more_than_the_most() -> None:
    level = TokenBucket(10, 100, now=0)
    assert level.wait(1e9) == 0
    level.draw(110)
    assert level.wait(1e9) == 1


def test_what_is_not_there_is_not_taken() -> None:
    level = TokenBucket(2, 10, now=0)
    assert [level.take_tokens(1, 0) for _ in range(12)] == [True] * 10 + [False] * 2
    assert not level.take_tokens(1, 0.4)
    assert level.take_tokens(1, 0.5)
    assert not level.take_tokens(1, 0.5)
    assert [level.take_tokens(1, 1e9) for _ in range(11)] == [True] * 10 + [False]


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


@pytest.mark.parametrize("kind", [MSG_KEXINIT, MSG_CHANNEL_OPEN])
def test_what_makes_work_counts_for_more(kind: int) -> None:
    assert PACKET_COSTS[kind] > PACKET_COSTS.get(MSG_CHANNEL_DATA, 0)


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
