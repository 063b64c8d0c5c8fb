"""When a worker that says nothing is given up, by a made-up clock."""

from cartino_server.workers.worker_process import Heartbeat

PAUSE = 10.0


def test_one_that_never_answers_is_given_up_after_so_many_questions() -> None:
    silence = Heartbeat(PAUSE, 3)
    seen = [(silence.ask(number * PAUSE), silence.is_long) for number in range(4)]
    assert seen == [(True, False), (True, True), (True, True), (False, True)]


def test_any_sign_of_life_begins_it_anew() -> None:
    silence = Heartbeat(PAUSE, 3)
    for number in range(100):
        assert silence.ask(number * PAUSE)
        if number % 3 == 2:
            assert silence.is_long
            silence.record_message()
            assert not silence.is_long


def test_who_is_a_little_late_counts_all_the_same() -> None:
    silence = Heartbeat(PAUSE, 3)
    assert [silence.ask(number * PAUSE * 1.4) for number in range(4)] == [True, True, True, False]


def test_who_was_suspended_counts_nothing_of_before() -> None:
    silence = Heartbeat(PAUSE, 3)
    assert [silence.ask(now) for now in (0, 10, 20)] == [True] * 3
    # An hour later the fourth question would be the end.
    assert silence.ask(3630)
    assert not silence.is_long
    assert [silence.ask(3630 + number * PAUSE) for number in (1, 2, 3)] == [True, True, False]


def test_who_asks_late_each_time_gives_nobody_up() -> None:
    silence = Heartbeat(PAUSE, 3)
    assert all(silence.ask(number * 16) for number in range(50))
