from cartino_server.workers.backoff import CALM, FIRST, MOST, Backoff


def test_waits_double_up_to_a_bound() -> None:
    backoff = Backoff()
    waits = [backoff.after(0) for _ in range(10)]
    assert waits[:4] == [FIRST, 2 * FIRST, 4 * FIRST, 8 * FIRST]
    assert waits[-2:] == [MOST, MOST]


def test_a_long_life_begins_anew() -> None:
    backoff = Backoff()
    for _ in range(5):
        backoff.after(1)
    assert backoff.after(CALM) == FIRST
    assert backoff.after(1) == 2 * FIRST
