from cartino_server.workers.pool import FIRST_WAIT, MAX_WAIT, RESET_AFTER, RestartBackoff


def test_waits_double_up_to_a_bound() -> None:
    backoff = RestartBackoff()
    waits = [backoff.delay_after(0) for _ in range(10)]
    assert waits[:4] == [FIRST_WAIT, 2 * FIRST_WAIT, 4 * FIRST_WAIT, 8 * FIRST_WAIT]
    assert waits[-2:] == [MAX_WAIT, MAX_WAIT]


def test_a_long_life_begins_anew() -> None:
    backoff = RestartBackoff()
    for _ in range(5):
        backoff.delay_after(1)
    assert backoff.delay_after(RESET_AFTER) == FIRST_WAIT
    assert backoff.delay_after(1) == 2 * FIRST_WAIT
