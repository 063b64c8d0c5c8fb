"""A caller measures from the moment that a key was due, and leaves no key out that nobody answered."""

import time
from typing import cast

import asyncssh
import pytest

from bench.load.caller import Caller

UP, DOWN = b"\x1b[A", b"\x1b[B"


class Channel:
    """Answers keys as a table would: by `answers`, nothing where none is set."""

    def __init__(self, caller: Caller, answers: dict[bytes, list[bytes]]) -> None:
        self.written: list[bytes] = []
        self._caller = caller
        self._answers = answers

    def write(self, keys: bytes) -> None:
        self.written.append(keys)
        if waiting := self._answers.get(keys):
            answer = waiting.pop(0) if len(waiting) > 1 else waiting[0]
            if answer:
                self._caller.data_received(answer, None)


@pytest.fixture
def caller() -> Caller:
    return Caller()


def connect(caller: Caller, answers: dict[bytes, list[bytes]]) -> Channel:
    channel = Channel(caller, answers)
    caller.connection_made(cast("asyncssh.SSHClientChannel[bytes]", channel))
    return channel


def test_a_wait_begins_when_the_key_was_due(caller: Caller) -> None:
    channel = connect(caller, {})
    caller.keys = (UP, DOWN)
    caller.press_due(time.perf_counter() - 5)
    assert caller.due
    caller.data_received(b"moved", None)
    assert not caller.due
    assert 5_000 <= caller.waits[0] < 60_000
    assert channel.written == [UP]
    assert caller.total == 5


def test_what_comes_answers_every_key_that_waits(caller: Caller) -> None:
    channel = connect(caller, {})
    caller.keys = (UP, DOWN)
    now = time.perf_counter()
    for late in (3, 2, 1):
        caller.press_due(now - late)
    caller.data_received(b"one picture", None)
    assert caller.waits == [(caller.last - (now - late)) * 1000 for late in (3, 2, 1)]
    assert channel.written == [UP, DOWN, UP]


def test_a_key_without_an_answer_stays_due(caller: Caller) -> None:
    connect(caller, {})
    caller.keys = (UP, DOWN)
    caller.press_due(time.perf_counter())
    assert len(caller.due) == 1
    assert caller.waits == []
    caller.begin()
    assert caller.due == []


async def test_keys_are_found_that_move_something_each_time(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.load.caller.NOTHING_AFTER", 0.01)
    # The first stone has one spot, the second has two.
    channel = connect(
        caller,
        {
            b"1": [b"picked"],
            b"2": [b"picked"],
            UP: [b"", b"", b"moved"],
            DOWN: [b"", b"moved"],
        },
    )
    assert await caller.find_keys()
    # The cursor stands where ↑ has led.
    assert caller.keys == (DOWN, UP)
    assert channel.written[0] == b"1"
    assert b"2" in channel.written


async def test_of_keys_that_are_told_no_stone_is_picked(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.load.caller.KNOWN_WITHIN", 0.01)
    channel = connect(caller, {b"k": [b"moved"], b"j": [b"moved"], b"h": [b"moved"]})
    assert await caller.find_keys([(b"h", b"l"), (b"k", b"j")])
    assert caller.keys == (b"j", b"k")
    assert b"1" not in channel.written


async def test_nothing_moves(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.load.caller.NOTHING_AFTER", 0.001)
    connect(caller, {})
    assert not await caller.find_keys()
    assert caller.keys is None
