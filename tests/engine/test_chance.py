"""The provable shuffle, against numbers worked out by hand with the standard library as RECORD.md has it."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_engine.chance import GivenOrder, SeedChance, commitment

SEED = bytes(range(32))


def test_the_commitment_is_sha_256_of_the_seed() -> None:
    assert commitment(SEED) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


@pytest.mark.parametrize(("cuts", "text"), [(("", ""), "\n"), (("a", "b c", "é"), "a\nb c\né")])
def test_the_order_is_that_of_the_keys(cuts: tuple[str, ...], text: str) -> None:
    keys = {i: hmac.new(SEED, f"{text}\n{i}".encode(), hashlib.sha256).digest() for i in range(66)}
    assert SeedChance(SEED, cuts).order(66) == tuple(sorted(keys, key=lambda i: keys[i]))


def test_a_deal_appends_its_number_to_the_cuts() -> None:
    assert SeedChance(SEED, ("a", "b")).order(52, deal=0) == SeedChance(SEED, ("a", "b:0")).order(52)
    assert SeedChance(SEED, ("a", "b")).order(52, deal=1) != SeedChance(SEED, ("a", "b")).order(52, deal=0)


@given(st.binary(min_size=32, max_size=32), st.text(max_size=20))
def test_every_cut_gives_an_order_of_everything(seed: bytes, cut: str) -> None:
    cut = cut.encode("utf-8", "replace").decode()
    assert sorted(SeedChance(seed, (cut, "")).order(66)) == list(range(66))


def test_a_seed_has_32_bytes() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        SeedChance(b"short", ())


def test_a_given_order_is_checked() -> None:
    assert GivenOrder((1, 0), (0, 1)).order(2, deal=1) == (0, 1)
    with pytest.raises(ValueError, match="isn't an order"):
        GivenOrder((1, 1)).order(2)
    with pytest.raises(ValueError, match="deal 2 isn't known"):
        GivenOrder((1, 0), (0, 1)).order(2, deal=2)
