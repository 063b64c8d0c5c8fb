"""A crowd is as many as press keys; who has none to press is beside it."""

from typing import cast

import pytest

from bench.latency import grow
from bench.load.caller import Pairs
from bench.load.many import Load
from bench.server import BenchError


class Unlucky:
    """A load of whom every `nth` finds no key to press."""

    def __init__(self, nth: int) -> None:
        self.size = self.able = 0
        self._nth = nth

    async def enter(self, count: int, words: str, shown: bytes) -> list[float]:
        self.size += count
        return [1.0] * count

    async def settle(self, silence: float) -> None:
        """Nothing comes."""

    async def prepare(self, pairs: Pairs) -> None:
        self.able = self.size - self.size // self._nth


async def test_others_come_for_those_who_press_no_keys() -> None:
    load = Unlucky(20)
    assert len(await grow(cast("Load", load), 100)) == load.size == 105
    assert load.able == 100


async def test_a_crowd_without_keys_is_none() -> None:
    load = Unlucky(2)
    with pytest.raises(BenchError, match="found a key"):
        await grow(cast("Load", load), 100)
    assert load.size < 200
