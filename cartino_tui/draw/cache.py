"""A small cache keyed by object identity, for pictures that many sessions share."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class IdentityCache(Generic[Value]):
    """Caches the newest values by the identity of the objects they were made from.

    The objects are held, so that no other one can get the same identity.
    """

    def __init__(self, most: int) -> None:
        """Create a cache of at most `most` values."""
        self._most = most
        self._known: OrderedDict[Hashable, tuple[tuple[object, ...], Value]] = OrderedDict()

    def get(self, made_from: tuple[object, ...], also: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value made from the objects `made_from` and the value `also`; call `make` if it isn't cached."""
        key = (*map(id, made_from), also)
        known = self._known.get(key)
        if known is not None:
            self._known.move_to_end(key)
            return known[1]
        value = make()
        self._known[key] = (made_from, value)
        if len(self._known) > self._most:
            self._known.popitem(last=False)
        return value
