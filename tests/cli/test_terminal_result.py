"""What stands on the terminal when an app has ended, and the exit code."""

from types import SimpleNamespace

import pytest

from cartino_protocol.exit_status import FAILURE
from cartino_server.cli.terminal import print_result


def ended(sentence: str | None = None, code: int | None = None, crash: str | None = None) -> SimpleNamespace:
    return SimpleNamespace(return_value=sentence, return_code=code, crash=crash)


@pytest.mark.parametrize("code", [0, 3])
def test_the_last_sentence_is_said_and_the_code_is_the_apps(
    code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert print_result(ended("Your seat is kept.", code)) == code
    assert capsys.readouterr() == ("Your seat is kept.\n", "")


@pytest.mark.parametrize("app", [ended(), ended("", 0)])
def test_nothing_to_say_leaves_nothing(app: SimpleNamespace, capsys: pytest.CaptureFixture[str]) -> None:
    assert print_result(app) == 0
    assert capsys.readouterr() == ("", "")


def test_a_crash_is_a_failure_and_is_told_on_stderr_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_result(ended("never shown", 0, "ValueError at table.py:7")) == FAILURE
    told = capsys.readouterr()
    assert told.out == ""
    assert "Sorry, the table crashed." in told.err
    assert told.err.endswith("ValueError at table.py:7\n")
