"""A server that is watched: what happens in it is on the page, and a port that is taken is one sentence."""

import asyncio
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from cartino_protocol.commands import Create
from cartino_protocol.views import TableView
from cartino_server.app.monitoring import Monitor
from cartino_server.commands.console import CommandError
from cartino_server.metrics.definitions import REGISTRY
from cartino_server.metrics.registry import Sample
from cartino_server.operations.health import HealthSources
from cartino_server.server import Server
from tests.support.game_server import QUICK, World, a_guest
from tests.support.games import BOTS, GAMES
from tests.support.metered import metered
from tests.support.ports import own_port


async def test_the_page_has_what_happens_here_and_in_workers(tmp_path: Path) -> None:
    server, port = Server(GAMES, BOTS, QUICK, World().ports()), own_port()
    sources = HealthSources(lambda: True, lambda: 0, lambda: 1, 1, lambda: True, tmp_path)
    with metered():
        guest = await a_guest(server, "ann")
        await guest.ask(Create("cartino", bots=("random",)), TableView)
        await guest.wait(TableView, lambda table: table.state == "playing")
        REGISTRY.absorb("1", [Sample("cartino_sessions", ("screen",), 1)])
        monitor, other = Monitor(sources, server.stats), Monitor(sources, server.stats)
        await monitor.listen(port)
        with pytest.raises(CommandError) as taken:
            await other.listen(port)
        async with asyncio.timeout(20):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /metrics HTTP/1.1\r\n\r\n")
            page = (await reader.read()).decode()
        writer.close()
        monitor.close()
    assert str(taken.value) == (
        f"Can't open port {port} for metrics (Address already in use). "
        "Set metrics to another port, or to 0 for none."
    )
    families = text_string_to_metric_families(page.partition("\r\n\r\n")[2])
    samples = {
        (each.name, *each.labels.values()): each.value for family in families for each in family.samples
    }
    assert samples["cartino_people",] == 1
    assert samples["cartino_tables", "playing"] == 1
    assert samples["cartino_sessions", "screen", "1"] == 1
    assert samples["cartino_games_begun_total", "cartino"] == 1
    # What hasn't happened yet is 0.
    assert samples["cartino_moves_total", "caro"] == samples["cartino_crashes_total", "worker"] == 0
    assert (
        samples["cartino_connections_over_total", "lost"]
        == samples["cartino_limits_enforced_total", "pace"]
        == 0
    )
    await server.close()
