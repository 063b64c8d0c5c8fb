"""Tracebacks in a log: places and kinds, no words."""

import traceback

import pytest

from cartino_server.operations.logs import redact_traceback

SECRET = "queen of spades"


def crash(error: BaseException) -> str:
    try:
        raise error
    except BaseException:
        return traceback.format_exc()


@pytest.mark.parametrize(
    "words",
    [SECRET, f"\n{SECRET}\n", f"a\n  File {SECRET}", f"x: {SECRET}", f"{SECRET}: x\n    {SECRET}", ""],
)
def test_what_an_error_says_is_left_out(words: str) -> None:
    told = redact_traceback(crash(ValueError(words)))
    assert SECRET not in told
    lines = told.split("\n")
    assert lines[0] == "Traceback (most recent call last):"
    assert "test_logs_tracebacks.py" in lines[1]
    assert lines[-1] == "ValueError"


def test_an_error_with_a_module_and_one_without_words_are_named() -> None:
    class Odd(Exception):
        pass

    assert redact_traceback(crash(Odd(SECRET))).endswith("Odd")
    assert redact_traceback(crash(KeyError())).endswith("\nKeyError")


def test_each_of_a_chain_is_named_and_none_speaks() -> None:
    try:
        try:
            raise KeyError(SECRET)
        except KeyError as error:
            raise ValueError(f"{SECRET}\n\n{SECRET}") from error
    except ValueError:
        told = redact_traceback(traceback.format_exc())
    assert SECRET not in told
    assert told.count("Traceback") == 2
    assert "KeyError" in told
    assert "direct cause" in told
    assert told.endswith("ValueError")


def test_of_a_group_the_places_are_left() -> None:
    told = redact_traceback(crash(ExceptionGroup(SECRET, [ValueError(SECRET), KeyError(SECRET)])))
    assert SECRET not in told
    assert "test_logs_tracebacks.py" in told


def test_a_note_is_words_too() -> None:
    error = ValueError("x")
    error.add_note(SECRET)
    assert SECRET not in redact_traceback(crash(error))


def test_what_is_no_traceback_is_left_out() -> None:
    assert redact_traceback(SECRET) == "?"
    assert redact_traceback("") == "?"
