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


def connect(caller: Caller, answers: dict[bytes, list[bytes]]) -> Channel:
    channel = Channel(caller, answers)
    caller.connection_made(cast("asyncssh.SSHClientChannel[bytes]", channel))
    return channel


def test_a_wait_begins_when_the_key_was_due_and_what_comes_answers_every_key_that_waits() -> None:
    caller = Caller()
    channel = connect(caller, {})
    caller.keys = (UP, DOWN)
    now = time.perf_counter()
    for late in (3, 2, 1):
        caller.press_due(now - late)
    assert caller.due
    caller.data_received(b"one picture", None)
    assert not caller.due
    assert caller.waits == [(caller.last - (now - late)) * 1000 for late in (3, 2, 1)]
    assert channel.written == [UP, DOWN, UP]
    caller.press_due(time.perf_counter())
    assert len(caller.due) == 1
    caller.begin()
    assert caller.due == []


async def test_keys_are_found_that_move_something_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first stone has one spot, the second has two; the cursor stands where ↑ has led."""
    monkeypatch.setattr("bench.load.caller.NOTHING_AFTER", 0.01)
    stones = {b"1": [b"picked"], b"2": [b"picked"]}
    for answers, keys in (
        ({**stones, UP: [b"", b"", b"moved"], DOWN: [b"", b"moved"]}, (DOWN, UP)),
        ({}, None),
    ):
        caller = Caller()
        channel = connect(caller, answers)
        assert await caller.find_keys() == (keys is not None)
        assert caller.keys == keys
        assert channel.written[0] == b"1"


async def test_of_keys_that_are_told_no_stone_is_picked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.load.caller.KNOWN_WITHIN", 0.01)
    caller = Caller()
    channel = connect(caller, {b"k": [b"moved"], b"j": [b"moved"], b"h": [b"moved"]})
    assert await caller.find_keys([(b"h", b"l"), (b"k", b"j")])
    assert caller.keys == (b"j", b"k")
    assert b"1" not in channel.written
