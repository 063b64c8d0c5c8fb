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
    """Seats, options, draws or an order that no game can have; the sentence is a clause."""


def error_clause(error: ValueError) -> LazyMessage:
    """Return the clause of a ValueError, translatable if it is an `Impossible`."""
    return error.sentence if isinstance(error, LazyMessageError) else LazyMessage(str(error))


SEED_BYTES = 32


class Chance(Protocol):
    """The source of a game's draw order."""

    def order(self, count: int, deal: int | str | None = None) -> tuple[int, ...]:
        """Return the numbers 0 to count-1 in draw order; `deal` is its number or name in games of several."""


def commitment(seed: bytes) -> str:
    """Return the SHA-256 of the seed in hex, which is shown before the deal."""
    return hashlib.sha256(seed).hexdigest()


DICE_BYTES = 16


def shared_dice(seed: bytes, seat: int, number: int) -> bytes:
    """Return the dice of the bot on `seat` at the state `number`: the same at every table of a shared deal."""
    return hmac.digest(seed, f"dice\n{seat}\n{number}".encode(), "sha256")[:DICE_BYTES]


class SeedChance:
    """The shuffle made from a seed and the players' cuts."""

    def __init__(self, seed: bytes, cuts: Sequence[str]) -> None:
        """Use a seed of 32 bytes and one cut per seat, in seat order. Raises ValueError for a wrong length."""
        if len(seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
        self._seed = seed
        self._cuts = "\n".join(cuts)

    def order(self, count: int, deal: int | str | None = None) -> tuple[int, ...]:
        """Sort the numbers by their HMACs."""
        text = self._cuts if deal is None else f"{self._cuts}:{deal}"
        keys = [hmac.digest(self._seed, f"{text}\n{number}".encode(), "sha256") for number in range(count)]
        return tuple(sorted(range(count), key=keys.__getitem__))


class GivenOrder:
    """A known order, from a record or a test."""

    def __init__(self, *orders: Sequence[int], **named: Sequence[int]) -> None:
        """Use one order per deal; those that have names instead of numbers are `named`."""
        self._orders: dict[int | str, tuple[int, ...]] = {
            **{number: tuple(order) for number, order in enumerate(orders)},
            **{name: tuple(order) for name, order in named.items()},
        }

    def order(self, count: int, deal: int | str | None = None) -> tuple[int, ...]:
        """Return the order of that deal. Raises Impossible if it is unknown or not of `count` things."""
        order = self._orders.get(deal or 0)
        if order is None:
            raise Impossible(lazy_gettext("the order of deal {number} isn't known", number=deal or 0))
        if sorted(order) != list(range(count)):
            raise Impossible(lazy_gettext("that isn't an order of {count} items", count=count))
        return order
