"""The logged-in connections: whose they are, where they come from, and how they are ended."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final

import msgspec

from cartino_protocol.refusals import Refusal
from cartino_protocol.text import EMPTY_MESSAGE, LazyMessage
from cartino_server.networks import Networks, source_of, wider_networks

FAREWELL_SECONDS: Final = 1.5
"""Seconds in which an app can say goodbye before its connection is closed."""
KEY_MOVED: Final = Refusal("key-moved").words()


class ActiveConnection(msgspec.Struct, frozen=True):
    """A logged-in connection, with the fields of its `LoginRequest`; `since` is in Unix seconds."""

    connection: int
    source: str
    person: str
    key: str
    user: str
    client: str
    since: float


class Connections:
    """The logged-in connections, oldest first, with the addresses and keys that limits don't apply to."""

    def __init__(self, dismiss: Callable[[int, LazyMessage], object] = lambda _connection, _: None) -> None:
        """`dismiss(connection, farewell)` closes a connection."""
        self._dismiss = dismiss
        self._present: dict[int, ActiveConnection] = {}
        self._numbers: dict[str, set[int]] = {}
        self._exempt = Networks(())
        self.admins: tuple[str, ...] = ()
        """Fingerprints of the admins' keys, to which no rule applies."""
        self.keys_moved = 0
        """How many keys moved to another person so far."""

    def configure(self, exempt: Iterable[str], admins: tuple[str, ...]) -> None:
        """Set the networks that don't count, and the admins' keys."""
        self._exempt = Networks(exempt)
        self.admins = admins

    def __len__(self) -> int:
        return len(self._present)

    def __iter__(self) -> Iterator[ActiveConnection]:
        return iter(tuple(self._present.values()))

    def __getitem__(self, connection: int) -> ActiveConnection:
        return self._present[connection]

    def numbers_of(self, person: str) -> Collection[int]:
        """Return the numbers of the person's connections."""
        return self._numbers.get(person, ())

    def add(self, present: ActiveConnection) -> None:
        """Add a connection that has logged in."""
        self._present[present.connection] = present
        self._numbers.setdefault(present.person, set()).add(present.connection)

    def remove(self, connection: int) -> None:
        """Remove a connection, if it is here."""
        present = self._present.pop(connection, None)
        if present is not None:
            numbers = self._numbers[present.person]
            numbers.discard(connection)
            if not numbers:
                del self._numbers[present.person]

    def close(self, connection: int, farewell: LazyMessage = EMPTY_MESSAGE) -> None:
        """Close a connection now, whether it has logged in or not."""
        self._dismiss(connection, farewell)

    def dismiss(self, connections: Iterable[int], farewell: LazyMessage) -> None:
        """Remove the connections, and close them a moment later."""
        loop = asyncio.get_running_loop()
        for connection in connections:
            self.remove(connection)
            loop.call_later(FAREWELL_SECONDS, self._dismiss, connection, farewell)

    def key_moved(self, fingerprint: str) -> None:
        """Dismiss the connections that use the key, since it belongs to another person now."""
        self.keys_moved += 1
        gone = [present.connection for present in self if present.key == fingerprint]
        if gone:
            self.dismiss(gone, KEY_MOVED)

    def admits(self, connection: int, person: str) -> bool:
        """Return whether the connection logged in as `person` and was not dismissed since."""
        return connection in self.numbers_of(person)

    def is_admin(self, connection: int) -> bool:
        """Return whether the connection uses an admin's key."""
        present = self._present.get(connection)
        return present is not None and present.key in self.admins

    def address_of(self, connection: int) -> str:
        """Return the address of a connection; "" if unknown."""
        present = self._present.get(connection)
        return "" if present is None else present.source

    def counted(self, source: str) -> str:
        """Return the address `source`, "" if it is exempt."""
        return "" if self._exempt.has(source) else source

    def network_of(self, connection: int) -> str:
        """Return the network of a connection; "" if it is exempt or unknown."""
        source = self.counted(self.address_of(connection))
        return source_of(source).network if source else ""

    def networks_around(self, connection: int) -> tuple[str, ...]:
        """Return the network of a connection and the wider ones around it, narrowest first; () if it has none."""
        network = self.network_of(connection)
        return (network, *wider_networks(network.partition("/")[0])) if network else ()

    def origin_of(self, connection: int) -> str:
        """Return the network that one customer may have around that of a connection; "" if it has none."""
        return next(iter(self.networks_around(connection)[1:]), "")

    def networks_of(self, connections: Iterable[int]) -> tuple[str, ...]:
        """Return the networks of the connections, also exempt ones, each once."""
        sources = map(self.address_of, connections)
        return tuple(dict.fromkeys(source_of(source).network for source in sources if source))
