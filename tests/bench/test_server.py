"""The bench starts the real program, finds where it listens, and ends it."""

from pathlib import Path

import pytest

from bench.server import serving
from bench.tables import open_table
from bench.visitors import visiting

pytestmark = pytest.mark.e2e


async def test_a_server_of_the_bench_is_played_at_and_ended() -> None:
    async with serving(()) as server, visiting(server) as visitors:
        table = await open_table(visitors, ["ann", "bob"])
        assert (await visitors.tables())[table.code].on_turn in {"ann", "bob"}
        assert server.memory > 0
    assert not Path(f"/proc/{server.pid}").exists()
