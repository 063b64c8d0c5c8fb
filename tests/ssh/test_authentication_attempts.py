import pytest

from cartino_server.ssh.authentication import REQUESTS_PER_FAILURE, LoginAttempts, TooManyAttempts


def fail(attempts: LoginAttempts) -> None:
    attempts.ask()
    attempts.fail()


def test_the_first_only_asks_which_methods_there_are() -> None:
    attempts = LoginAttempts(2)
    fail(attempts)
    fail(attempts)
    with pytest.raises(TooManyAttempts):
        fail(attempts)


def test_what_succeeds_so_far_counts_as_asked() -> None:
    attempts = LoginAttempts(2)
    for _ in range(REQUESTS_PER_FAILURE * 2):
        attempts.ask()
    with pytest.raises(TooManyAttempts):
        attempts.ask()
