"""A table whose value changes in place, so that tests read like a story."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from cartino_protocol.commands import Act, TableCommand
from cartino_protocol.refusals import Refusal
from cartino_server.environment import Ports
from cartino_server.store.journal import Journal
from cartino_server.table import participants, rounds
from cartino_server.table.participants import apply
from cartino_server.table.saving import Saver, diff
from cartino_server.table.seating import Order
from cartino_server.table.state import TableState, open_table


class LiveTable:
    """Holds the newest value of a table. Its commands return None, or a refusal with the value unchanged."""

    def __init__(
        self,
        code: str,
        order: Order,
        seed: bytes,
        ports: Ports,
        substitutes: Sequence[str] = (),
        opener: str = "ann",
    ) -> None:
        self.table = open_table(code, order, seed, ports, substitutes, opener)

    @classmethod
    def of(cls, table: TableState) -> "LiveTable":
        """The table that has the value `table` now."""
        live = cls.__new__(cls)
        live.table = table
        return live

    def __getattr__(self, name: str) -> Any:
        """What the newest value has; a command of it changes the table."""
        for module in (participants, rounds):
            if name in vars(module):
                return self._changing(partial(vars(module)[name], self.table))
        found = getattr(self.table, name)
        return self._changing(found) if callable(found) else found

    def act(self, person: str, number: int, move: bytes) -> Refusal | None:
        """A person's move, as an answer to the state `number`."""
        return self.take(apply(self.table, person, Act(number, msgspec.Raw(move))))

    def answer(self, person: str, command: TableCommand) -> Refusal | None:
        """A person's command."""
        return self.take(apply(self.table, person, command))

    def take(self, new: TableState | Refusal) -> Refusal | None:
        """The table is `new` from now on, unless that is a refusal."""
        if isinstance(new, Refusal):
            return new
        self.table = new
        return None

    def _changing(self, found: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **named: Any) -> Any:
            new = found(*args, **named)
            return self.take(new) if isinstance(new, TableState | Refusal) else new

        return called


class LiveSaver:
    """Saves what is new at a `LiveTable`."""

    def __init__(
        self,
        table: LiveTable,
        journal: Journal,
        clock: Callable[[], float],
        saved: TableState | None = None,
        game: int = 0,
    ) -> None:
        self.table = table
        self.saver = Saver(table.table.code, journal, clock, saved, game)

    @property
    def is_behind(self) -> bool:
        """Whether anything is new."""
        return diff(self.saver.saved, self.table.table, 0.0) is not None

    async def save(self) -> None:
        """Write it."""
        self.table.table = await self.saver.save(self.table.table, "open")
