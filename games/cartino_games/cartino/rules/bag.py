"""The bag (RECORD.md, Cartino lines): which stones each seat draws next."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from cartino_engine.chance import Chance, GivenOrder
from cartino_games.cartino.rules.tables import Tables


class Bag(msgspec.Struct, frozen=True):
    """The stones in draw order, and which of them are gone.

    `orders` has one order for all seats, or one a seat (option `bag`: `apart`); an order is of items, the numbers of
    `stones`, and the same items are in all. `gone` are the items drawn, as a mask.
    """

    stones: tuple[int, ...]
    orders: tuple[tuple[int, ...], ...]
    gone: int = 0

    @property
    def count(self) -> int:
        """How many stones are left."""
        return len(self.orders[0]) - self.gone.bit_count()

    def remaining_stones(self, seat: int = 0) -> tuple[int, ...]:
        """Return the stones that are left, in the order in which `seat` alone would draw them."""
        return tuple(self.stones[item] for item in self._items(seat))

    def draw(self, seat: int, count: int) -> "tuple[tuple[int, ...], Bag]":
        """Return the next `count` stones of `seat`, fewer where the bag is empty, and the bag without them."""
        items = tuple(islice(self._items(seat), count))
        gone = self.gone
        for item in items:
            gone |= 1 << item
        return tuple(self.stones[item] for item in items), Bag(self.stones, self.orders, gone)

    def _items(self, seat: int) -> Iterator[int]:
        order = self.orders[seat if len(self.orders) > 1 else 0]
        return (item for item in order if not self.gone >> item & 1)


def bag_of(stones: Iterable[int]) -> Bag:
    """Return a bag for all seats with those stones, the next one first."""
    row = tuple(stones)
    return Bag(row, (tuple(range(len(row))),))


def fill(tables: Tables, seats: int, chance: Chance, *, apart: bool) -> Bag:
    """Return the full bag; `apart`: what a seat draws hardly depends on what the others drew.

    Then two seats draw from the two ends of one order, and three or four each by an order of their own.
    """
    count = len(tables.stones)
    if apart and seats > 2:
        return Bag(tables.stones, tuple(chance.order(count, order_name(seat)) for seat in range(seats)))
    order = chance.order(count)
    return Bag(tables.stones, (order, order[::-1]) if apart else (order,))


def chance_of(draws: Sequence[tuple[int, int]], count: int, *, apart: bool) -> GivenOrder:
    """Return a chance by which `draws`, each of a seat and the item it drew, came about from a bag of `count`."""
    seats = {seat: [item for drew, item in draws if drew == seat] for seat, _ in draws}
    drawn = {item for _, item in draws}
    rest = [item for item in range(count) if item not in drawn]
    if not apart:
        return GivenOrder([*(item for _, item in draws), *rest])
    if len(seats) <= 2:
        return GivenOrder([*seats.get(0, ()), *rest, *reversed(seats.get(1, ()))])
    return GivenOrder(
        **{
            order_name(seat): [*own, *rest, *(item for item in sorted(drawn) if item not in own)]
            for seat, own in seats.items()
        }
    )


def order_name(seat: int) -> str:
    """Return the name of a seat's own order where each has one."""
    return f"bag{seat}"
