"""Codes for further keys: once, for ten minutes, and not by trying."""

import secrets

import pytest

from cartino_server.lobby import key_codes
from cartino_server.lobby.key_codes import CODE_LETTERS, GOOD_FOR, TRIES, KeyCodes
from tests.support.game_server import World


@pytest.fixture
def codes(world: World) -> KeyCodes:
    return KeyCodes(secrets.token_bytes, lambda: world.time)


def test_a_code_is_good_once_however_it_is_typed(codes: KeyCodes) -> None:
    code = codes.make("ann")
    assert len(code.replace("-", "")) == CODE_LETTERS
    assert codes.redeem_code("key", f" {code.replace('-', ' ').lower()} ") == "ann"
    assert codes.redeem_code("key", code) is None


def test_it_is_good_for_ten_minutes(codes: KeyCodes, world: World) -> None:
    old, new = codes.make("ann"), codes.make("bob")
    world.time = GOOD_FOR - 1
    assert codes.redeem_code("key", new) == "bob"
    world.time = GOOD_FOR
    assert codes.redeem_code("key", old) is None


def test_the_next_takes_the_place_of_the_one_before(codes: KeyCodes) -> None:
    first, second = codes.make("ann"), codes.make("ann")
    assert codes.redeem_code("key", first) is None
    assert codes.redeem_code("key", second) == "ann"


def test_no_code_is_kept_as_it_is(codes: KeyCodes) -> None:
    code = codes.make("ann").replace("-", "")
    assert [len(digest) for digest in codes._waiting] == [64]
    assert code not in repr(vars(codes))


def test_who_tries_too_many_has_to_wait_and_nobody_else(codes: KeyCodes, world: World) -> None:
    for _ in range(TRIES):
        assert codes.may_try("thief")
        assert codes.redeem_code("thief", "AAAAA-AAAAA") is None
    assert not codes.may_try("thief")
    assert codes.may_try("ann")
    world.time = GOOD_FOR
    assert codes.may_try("thief")


def test_what_is_remembered_is_bounded(codes: KeyCodes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_codes, "MAX_CODES", 10)
    made = [codes.make(f"person {number}") for number in range(30)]
    assert len(codes._waiting) <= 10
    assert len(codes._digests) == len(codes._waiting)
    assert codes.redeem_code("key", made[0]) is None
    assert codes.redeem_code("key", made[-1]) == "person 29"


@pytest.mark.parametrize("typed", ["", "\ud800", "💥", "A" * 64, "ʼ" * 30])
def test_anything_can_be_typed(codes: KeyCodes, typed: str) -> None:
    codes.make("ann")
    assert codes.redeem_code("key", typed) is None
