"""The token bucket, on a clock that the test turns."""

from cartino_server.lobby.rate_limit import TokenBucket


def test_a_burst_then_so_many_a_second() -> None:
    now = 0.0
    bucket = TokenBucket(3, 2.0, lambda: now)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    now = 0.4
    assert not bucket.take()
    now = 0.5
    assert [bucket.take(), bucket.take()] == [True, False]
    now = 1000.0
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    now = 2000.0
    assert [bucket.take(2), bucket.take(2), bucket.take()] == [True, False, True], (
        "what is refused takes none"
    )
