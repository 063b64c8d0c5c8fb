"""Logins of one source that come too fast are delayed, and sources are forgotten in time."""

import pytest

from cartino_server.ssh.rate_limit import BURST_SECONDS, MAX_WAIT, LoginRateLimit


@pytest.mark.parametrize("rate", [1, 4, 50])
def test_so_many_come_at_once_and_then_at_the_rate(rate: int) -> None:
    pacing, now = LoginRateLimit(), 1000.0
    at_once = int(BURST_SECONDS * rate)
    for _ in range(at_once):
        assert pacing.wait("a", rate, now) == 0
        pacing.came_in("a", rate, now)
    pacing.came_in("a", rate, now)
    for _ in range(100):
        wait = pacing.wait("a", rate, now)
        assert wait == pytest.approx(1 / rate)
        assert pacing.wait("b", rate, now) == 0
        now += wait
        pacing.came_in("a", rate, now)
    # After a while it is all as it was.
    now += BURST_SECONDS + 1 / rate
    for _ in range(at_once):
        assert pacing.wait("a", rate, now) == 0
        pacing.came_in("a", rate, now)


def test_nobody_waits_for_long() -> None:
    pacing = LoginRateLimit()
    for _ in range(10_000):
        pacing.came_in("a", 1, 0.0)
    assert pacing.wait("a", 1, 0.0) == MAX_WAIT


def test_nothing_is_counted_where_there_is_no_limit() -> None:
    pacing = LoginRateLimit()
    for _ in range(1000):
        pacing.came_in("a", 0, 0.0)
    assert len(pacing) == 0
    for _ in range(1000):
        pacing.came_in("a", 1, 0.0)
    assert pacing.wait("a", 0, 0.0) == 0, "it was taken away"


def test_few_sources_are_remembered_and_none_for_long() -> None:
    pacing = LoginRateLimit(sources=100)
    for number in range(1000):
        pacing.came_in(f"{number}", 1, 0.0)
    assert len(pacing) == 100
    for _ in range(20):
        pacing.came_in("999", 1, 0.0)
    assert pacing.wait("999", 1, 0.0) > 0
    pacing.came_in("later", 1, 100.0)
    assert len(pacing) == 1
