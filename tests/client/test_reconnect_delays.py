"""The pauses between the tries."""

from cartino_server.client.reconnect import FIRST_DELAYS, JITTER, MAX_DELAY, RetryDelays


def test_they_grow_up_to_the_longest_and_begin_anew_after_a_success() -> None:
    pauses = RetryDelays(lambda: 0.0)
    assert [pauses.next() for _ in range(7)] == [0.5, 1, 2, 4, 8, 15, 15]
    pauses.start_over()
    assert pauses.next() == FIRST_DELAYS[0]


def test_not_all_call_at_the_same_moment() -> None:
    late = RetryDelays(lambda: 0.999)
    found = [late.next() for _ in range(6)]
    assert found[0] > FIRST_DELAYS[0]
    assert found[-1] <= MAX_DELAY * (1 + JITTER)
