"""Logins of one source that come too fast are delayed, and sources are forgotten in time."""

import pytest

from cartino_server.rate_limit import RateLimiter
from cartino_server.ssh.rate_limit import BURST_SECONDS, MAX_WAIT, login_policy


@pytest.mark.parametrize("rate", [1, 4, 50])
def test_so_many_come_at_once_and_then_at_the_rate(rate: int) -> None:
    pacing, now = RateLimiter(), 1000.0
    at_once = int(BURST_SECONDS * rate)
    for _ in range(at_once):
        assert pacing.wait(login_policy(rate), "a", now) == 0
        pacing.draw(login_policy(rate), "a", now)
    pacing.draw(login_policy(rate), "a", now)
    for _ in range(100):
        wait = pacing.wait(login_policy(rate), "a", now)
        assert wait == pytest.approx(1 / rate)
        assert pacing.wait(login_policy(rate), "b", now) == 0
        now += wait
        pacing.draw(login_policy(rate), "a", now)
    # After a while it is all as it was.
    now += BURST_SECONDS + 1 / rate
    for _ in range(at_once):
        assert pacing.wait(login_policy(rate), "a", now) == 0
        pacing.draw(login_policy(rate), "a", now)


def test_nobody_waits_for_long() -> None:
    pacing = RateLimiter()
    for _ in range(10_000):
        pacing.draw(login_policy(1), "a", 0.0)
    assert pacing.wait(login_policy(1), "a", 0.0) == MAX_WAIT
