"""Who wants to hear no more of whom."""

from typing import Final

MOST_EACH: Final = 100
"""Persons of whom one person hears no more; what was said longest ago is forgotten first."""
MOST: Final = 10_000
"""Pairs of such persons in the house; then those give way who have the most."""


class Unheard:
    """Pairs of persons (ids): the first wants to hear no more of the second. Kept while the house runs."""

    def __init__(self) -> None:
        """Everybody hears of everybody."""
        self._of: dict[str, dict[str, None]] = {}
        # The same the other way round, so that whoever is gone for good is not searched for.
        self._by: dict[str, set[str]] = {}
        self._count = 0

    def __len__(self) -> int:
        """How many pairs there are."""
        return self._count

    def __contains__(self, pair: tuple[str, str]) -> bool:
        """Whether the first of the `pair` hears nothing of the second."""
        person, of = pair
        return of in self._of.get(person, ())

    def add(self, person: str, of: str) -> None:
        """From now on `person` hears nothing `of` that one."""
        if (person, of) in self:
            return
        self._of.setdefault(person, {})[of] = None
        self._by.setdefault(of, set()).add(person)
        self._count += 1
        if len(self._of[person]) > MOST_EACH:
            self._drop_oldest(person)
        if self._count > MOST:
            self._drop_oldest(max(self._of, key=lambda one: len(self._of[one])))

    def forget(self, person: str) -> None:
        """The person is gone for good, and with them every pair they are in."""
        for of in tuple(self._of.get(person, ())):
            self._drop(person, of)
        for other in tuple(self._by.get(person, ())):
            self._drop(other, person)

    def _drop_oldest(self, person: str) -> None:
        self._drop(person, next(iter(self._of[person])))

    def _drop(self, person: str, of: str) -> None:
        del self._of[person][of]
        self._by[of].discard(person)
        self._count -= 1
        if not self._of[person]:
            del self._of[person]
        if not self._by[of]:
            del self._by[of]
