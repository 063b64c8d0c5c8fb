import pytest

from cartino_server.ssh.attempts import ASKED_FOR_EACH, Attempts, TooManyAttempts


def fail(attempts: Attempts) -> None:
    attempts.ask()
    attempts.fail()


def test_the_first_only_asks_which_methods_there_are() -> None:
    attempts = Attempts(2)
    fail(attempts)
    fail(attempts)
    with pytest.raises(TooManyAttempts):
        fail(attempts)


def test_what_succeeds_so_far_counts_as_asked() -> None:
    attempts = Attempts(2)
    for _ in range(ASKED_FOR_EACH * 2):
        attempts.ask()
    with pytest.raises(TooManyAttempts):
        attempts.ask()
