"""What a start costs beside many parked games: no statement for each, no table and no replay."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from bench.parked import park
from cartino_server.store.port import StoredGame
from cartino_server.table.restoring import restore
from cartino_server.table.state import TableState
from tests.support.deals import NOON, DealServer

PARKED = 200
STATEMENTS = 120
"""Of both databases, with those of the schema checks and of what the server begins to do in the background."""


@contextlib.contextmanager
def counted_statements() -> Iterator[list[str]]:
    """Record the statements of all connections that are opened in the block."""
    found: list[str] = []

    def trace(_cursor: apsw.Cursor, statement: str, _values: object) -> bool:
        found.append(statement)
        return True

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = trace

    apsw.connection_hooks.append(watch)
    try:
        yield found
    finally:
        apsw.connection_hooks.remove(watch)


async def statements_of_a_start(data: Path, parked: int) -> int:
    """Return how many statements a start beside `parked` parked games takes; it restores the one open table."""
    data.mkdir(mode=0o700)
    await park(data, parked + 1, now=NOON)
    server = DealServer(data)
    with counted_statements() as found:
        await server.start()
        count = len(found)
    assert len(list(server.server.services.registry)) == 1
    assert len(await server.journal.parked()) == parked
    await server.stop()
    return count


async def test_a_start_does_nothing_for_each_parked_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    restored: list[int] = []

    def counted(kept: StoredGame, *others: Any) -> TableState:
        restored.append(kept.game)
        return restore(kept, *others)

    monkeypatch.setattr("cartino_server.lobby.table_registry.restore", counted)
    assert await statements_of_a_start(tmp_path / "data", PARKED) <= STATEMENTS < PARKED
    assert len(restored) == 1, "the open table"
