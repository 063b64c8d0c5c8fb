"""Rate limits by policy and key, on a clock that the test turns."""

from cartino_server.rate_limit import Policy, RateLimiter

CHAT = Policy("chat", 2.0, 3)


def test_a_burst_then_so_many_a_second() -> None:
    limiter = RateLimiter()

    def take(now: float, tokens: float = 1) -> bool:
        return limiter.take_tokens([(CHAT, "ann")], now, tokens)

    assert [take(0) for _ in range(4)] == [True, True, True, False]
    assert not take(0.4)
    assert [take(0.5), take(0.5)] == [True, False]
    assert [take(1000, 2), take(1000, 2), take(1000)] == [True, False, True], "what is refused takes none"


def test_policies_and_keys_have_buckets_of_their_own() -> None:
    limiter, other = RateLimiter(), Policy("other", 1, 1)
    assert [limiter.take_tokens([(CHAT, "ann")], 0) for _ in range(4)].count(True) == 3
    assert limiter.take_tokens([(CHAT, "bob")], 0)
    assert limiter.take_tokens([(other, "ann")], 0)


def test_several_charges_are_taken_together_or_not() -> None:
    limiter, network = RateLimiter(), Policy("network", 1, 1)
    both = [(CHAT, "ann"), (network, "192.0.2.0/24")]
    assert limiter.take_tokens(both, 0)
    assert not any(limiter.take_tokens(both, 0) for _ in range(9))
    assert [limiter.take_tokens([(CHAT, "ann")], 0) for _ in range(3)] == [True, True, False]


def test_debt_is_bounded() -> None:
    limiter, logins = RateLimiter(), Policy("logins", 2, 4, debt=6)
    for _ in range(100):
        limiter.draw(logins, "a", 0)
    assert limiter.wait(logins, "a", 0) == 3
    assert limiter.wait(logins, "b", 0) == 0


def test_full_buckets_are_forgotten_and_at_the_most_the_oldest() -> None:
    limiter = RateLimiter(most=100)
    for number in range(1000):
        limiter.take_tokens([(CHAT, f"{number}")], 0)
    assert len(limiter) == 100
    assert limiter.has(CHAT, "999", 0)
    limiter.take_tokens([(CHAT, "later")], 100)
    assert len(limiter) == 1
    limiter.clear()
    assert len(limiter) == 0
