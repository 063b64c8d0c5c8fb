"""The list of tables, and whoever looks at it.

A change costs what its own room costs: a line is replaced and the list marked. The list itself goes out at most
once in `every` seconds, encoded once for all, and only when it reads differently.
"""

import asyncio
import contextvars
from collections.abc import Callable, Iterable

from cartino_protocol.outbox import ViewKind
from cartino_protocol.views import LobbyView, Mine, RoomLine
from cartino_protocol.wire import encode
from cartino_server.rooms.seat import HouseLink
from cartino_server.rooms.sitting import Sitting


class Lobby:
    """The lines of all rooms, oldest first, and the links in the lobby."""

    def __init__(self, every: float, people: Callable[[], int], sitting: Sitting) -> None:
        """`every` in seconds; `people()` is how many persons are in the house; `sitting` is up to date."""
        self._every = every
        self._people = people
        self._sitting = sitting
        self._lines: dict[str, RoomLine] = {}
        self._listed: set[str] = set()
        self._shown: dict[HouseLink, dict[ViewKind, bytes]] = {}
        self._affected: set[str] = set()
        self._kept: dict[str, tuple[tuple[str, str], ...]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._last = float("-inf")

    def note(self, line: RoomLine, listed: bool, persons: Iterable[str]) -> None:
        """A room is new or shows `line` now; `listed` for everybody's eyes; `persons` have or had a seat there."""
        self._lines[line.code] = line
        if listed:
            self._listed.add(line.code)
        self._affected.update(persons)
        self.touch()

    def drop(self, code: str, persons: Iterable[str]) -> None:
        """The room is no more, at which `persons` had a seat."""
        if self._lines.pop(code, None) is not None:
            self._listed.discard(code)
            self._affected.update(persons)
            self.touch()

    def line_of(self, code: str) -> RoomLine | None:
        """What the room shows; None for one that is unknown."""
        return self._lines.get(code)

    def is_over(self, code: str) -> bool:
        """Whether the last game at the room is over, and no other has begun."""
        line = self.line_of(code)
        return line is not None and line.state == "finished"

    def rooms_of(self, person: str) -> tuple[RoomLine, ...]:
        """The rooms at which `person` has a seat, oldest first."""
        mine = self._sitting.rooms_of(person)
        return tuple(line for code, line in self._lines.items() if code in mine) if mine else ()

    def keep(self, code: str, game: str, persons: Iterable[str]) -> None:
        """A room at which `persons` have seats can't be opened, since its `game` is not installed."""
        for person in persons:
            self._kept[person] = (*self._kept.get(person, ()), (code, game))

    def mine_of(self, person: str) -> Mine:
        """The tables of `person`, with those that are kept."""
        return Mine(self.rooms_of(person), self._kept.get(person, ()))

    def seen_by(self, person: str) -> tuple[RoomLine, ...]:
        """The rooms that `person` may see listed: everybody's and their own."""
        mine = self._sitting.rooms_of(person)
        return tuple(line for code, line in self._lines.items() if code in self._listed or code in mine)

    def enter(self, link: HouseLink) -> None:
        """`link` looks at the list, and gets it as it is now."""
        self._shown[link] = {}
        self._show(link, LobbyView, encode(self._view()))
        self._show(link, Mine, encode(self.mine_of(link.person.id)))

    def leave(self, link: HouseLink) -> None:
        """`link` looks elsewhere."""
        self._shown.pop(link, None)

    def touch(self) -> None:
        """Something in the list is different; it goes out when it is time."""
        if self._timer is None:
            loop = asyncio.get_running_loop()
            when = max(loop.time(), self._last + self._every)
            # The timer is the house's: it must not keep alive what belongs to whoever set it off.
            self._timer = loop.call_at(when, self._push, context=contextvars.Context())

    def close(self) -> None:
        """No list goes out any more."""
        if self._timer is not None:
            self._timer.cancel()

    def _push(self) -> None:
        self._timer = None
        self._last = asyncio.get_running_loop().time()
        frame = encode(self._view())
        for link in self._shown:
            self._show(link, LobbyView, frame)
            if link.person.id in self._affected:
                self._show(link, Mine, encode(self.mine_of(link.person.id)))
        self._affected.clear()

    def _show(self, link: HouseLink, kind: ViewKind, frame: bytes) -> None:
        shown = self._shown[link]
        if shown.get(kind) != frame:
            shown[kind] = frame
            link.put_view(kind, frame)

    def _view(self) -> LobbyView:
        lines = tuple(line for code, line in self._lines.items() if code in self._listed)
        return LobbyView(lines, self._people())
