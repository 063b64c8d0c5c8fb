"""The provable shuffle: a seed hash before the deal, the players' cuts, and the seed to check it afterwards.

The i-th item of a game's canonical list gets the key HMAC-SHA-256(seed, cuts + newline + i); the draw order is the
order of these keys. Nothing here draws random numbers: the seed comes from outside. `Impossible` is raised for an
order, seats or options that no game can have.
"""

import hashlib
import hmac
from collections.abc import Sequence
from typing import Protocol

from cartino_protocol.text import LazyMessage, LazyMessageError, lazy_gettext


class Impossible(LazyMessageError, ValueError):
    """Seats, options, draws or an order of things that no game can have; the sentence is a clause that says why."""


def error_clause(error: ValueError) -> LazyMessage:
    """Why something can't be, to be told; a ValueError of no game's own stays in the words it has."""
    return error.sentence if isinstance(error, LazyMessageError) else LazyMessage(str(error))


SEED_BYTES = 32


class Chance(Protocol):
    """Where a game's order of things comes from."""

    def order(self, count: int, deal: int | None = None) -> tuple[int, ...]:
        """The numbers 0 to count-1 of the canonical list in draw order; `deal` for games of several deals."""


def commitment(seed: bytes) -> str:
    """What is shown before the deal: SHA-256 of the seed, in hex."""
    return hashlib.sha256(seed).hexdigest()


class SeedChance:
    """The shuffle that a seed and the players' cuts give."""

    def __init__(self, seed: bytes, cuts: Sequence[str]) -> None:
        """`seed` of 32 bytes, `cuts` one text a seat in seat order. Raises ValueError for another length of seed."""
        if len(seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
        self._seed = seed
        self._cuts = "\n".join(cuts)

    def order(self, count: int, deal: int | None = None) -> tuple[int, ...]:
        """See Chance."""
        text = self._cuts if deal is None else f"{self._cuts}:{deal}"
        keys = [hmac.digest(self._seed, f"{text}\n{number}".encode(), "sha256") for number in range(count)]
        return tuple(sorted(range(count), key=keys.__getitem__))


class GivenOrder:
    """An order that is known already: replay never rolls again. Also what tests deal with."""

    def __init__(self, *orders: Sequence[int]) -> None:
        """One order a deal, the first for games of a single deal."""
        self._orders = tuple(map(tuple, orders))

    def order(self, count: int, deal: int | None = None) -> tuple[int, ...]:
        """See Chance. Raises Impossible where no such deal is known, or not one of `count` things."""
        number = deal or 0
        if number >= len(self._orders):
            raise Impossible(lazy_gettext("the order of deal {number} is not known", number=number))
        order = self._orders[number]
        if sorted(order) != list(range(count)):
            raise Impossible(lazy_gettext("that is not an order of {count} things", count=count))
        return order
