"""Codes for further keys: once, for ten minutes, and not by trying."""

import secrets

import pytest

from cartino_server.rooms import key_codes
from cartino_server.rooms.key_codes import GOOD_FOR, LETTERS, TRIES, KeyCodes


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def codes(clock: Clock) -> KeyCodes:
    return KeyCodes(secrets.token_bytes, clock)


def made(codes: KeyCodes, person: str) -> str:
    code = codes.make(person)
    assert code is not None
    return code


def test_a_code_is_good_once_however_it_is_typed(codes: KeyCodes) -> None:
    code = made(codes, "ann")
    assert len(code.replace("-", "")) == LETTERS
    assert codes.take("key", f" {code.replace('-', ' ').lower()} ") == "ann"
    assert codes.take("key", code) is None


def test_it_is_good_for_ten_minutes(codes: KeyCodes, clock: Clock) -> None:
    old, new = made(codes, "ann"), made(codes, "bob")
    clock.now = GOOD_FOR - 1
    assert codes.take("key", new) == "bob"
    clock.now = GOOD_FOR
    assert codes.take("key", old) is None


def test_the_next_takes_the_place_of_the_one_before(codes: KeyCodes) -> None:
    first, second = made(codes, "ann"), made(codes, "ann")
    assert codes.take("key", first) is None
    assert codes.take("key", second) == "ann"


def test_no_code_is_kept_as_it_is(codes: KeyCodes) -> None:
    code = made(codes, "ann").replace("-", "")
    assert code.encode() not in codes._waiting["ann"].digest
    assert all(len(each.digest) == 64 for each in codes._waiting.values())


def test_who_tries_too_many_has_to_wait_and_nobody_else(codes: KeyCodes, clock: Clock) -> None:
    for _ in range(TRIES):
        assert codes.may_try("thief")
        assert codes.take("thief", "AAAAA-AAAAA") is None
    assert not codes.may_try("thief")
    assert codes.may_try("ann")
    clock.now = GOOD_FOR
    assert codes.may_try("thief")
    assert not codes._wrong


def test_all_together_have_so_many_tries(codes: KeyCodes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_codes, "TRIES_OF_ALL", 20)
    for number in range(20):
        assert codes.may_try(f"thief{number}")
        codes.take(f"thief{number}", "AAAAA-AAAAA")
    assert not codes.may_try("one more")


def test_so_many_wait_and_no_more(codes: KeyCodes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_codes, "MOST", 2)
    made(codes, "ann")
    made(codes, "bob")
    assert codes.make("eve") is None
    made(codes, "ann")


@pytest.mark.parametrize("typed", ["", "\ud800", "💥", "A" * 64, "ʼ" * 30])
def test_anything_can_be_typed(codes: KeyCodes, typed: str) -> None:
    made(codes, "ann")
    assert codes.take("key", typed) is None
