"""Who has a seat in which rooms, whether they are here or not."""

from collections.abc import Collection, Iterator


class Sitting:
    """The seated persons of all rooms. `person in sitting`: whether they have a seat anywhere."""

    def __init__(self) -> None:
        """Nobody sits."""
        self._persons: dict[str, tuple[str, ...]] = {}
        self._rooms: dict[str, dict[str, None]] = {}

    def __contains__(self, person: object) -> bool:
        """Whether the person of that id has a seat."""
        return person in self._rooms

    def __iter__(self) -> Iterator[str]:
        """The ids of those who sit somewhere."""
        return iter(self._rooms)

    def rooms_of(self, person: str) -> Collection[str]:
        """The codes of the rooms at which `person` has a seat, in no order."""
        return self._rooms.get(person, {}).keys()

    def note(self, code: str, persons: tuple[str, ...]) -> tuple[str, ...]:
        """`persons` (ids) have the seats of the room `code` now; everybody who has or had one there."""
        before = self._persons.pop(code, ())
        for person in before:
            rooms = self._rooms[person]
            rooms.pop(code, None)
            if not rooms:
                del self._rooms[person]
        for person in persons:
            self._rooms.setdefault(person, {})[code] = None
        if persons:
            self._persons[code] = persons
        return (*before, *persons)
