"""The page for Prometheus and the one for health checks, asked by good clients and by bad ones."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families

from cartino_server.app import metrics_http
from cartino_server.app.metrics_http import (
    MAX_CONNECTIONS,
    MAX_REQUEST_BYTES,
    STALE_SECONDS,
    MetricsServer,
    render_metrics,
)
from cartino_server.metrics.registry import MetricFamily, Sample
from cartino_server.operations.health import HealthSources, MetricsSnapshot, check_health

TIME_LIMIT = 20
FAMILIES = (
    MetricFamily("a_total", "counter", "A.", ("kind",)),
    MetricFamily("b_bytes", "gauge", "B.", by_process=True),
    MetricFamily("c_seconds", "histogram", "C.", bounds=(0.1, 1.0)),
    MetricFamily("d_total", "counter", "D."),
)
READINGS = (
    Sample("a_total", ("x",), 3),
    Sample("b_bytes", ("house",), 5),
    Sample("c_seconds", (), 2.5, (1, 0, 2)),
)


class Page:
    """A server of the `snapshot`."""

    def __init__(self, snapshot: MetricsSnapshot) -> None:
        self.snapshot = snapshot
        self.server = MetricsServer(FAMILIES, lambda: self.snapshot)
        self.port = 0

    async def send(self, data: bytes) -> tuple[int, dict[str, str], bytes]:
        """Send `data`; return status, headers and body of the answer, status 0 for none."""
        async with asyncio.timeout(TIME_LIMIT):
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            answer = b""
            with suppress(ConnectionError):
                writer.write(data)
                answer = await reader.read()
            writer.close()
        if not answer.startswith(b"HTTP/"):
            return 0, {}, answer
        head, _, body = answer.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        return int(first.split()[1]), dict(line.split(": ", 1) for line in lines), body

    async def get(self, path: str, host: str = "localhost:9", method: str = "GET") -> tuple[int, str, bytes]:
        status, headers, body = await self.send(f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        return status, headers.get("Content-Type", ""), body


@pytest.fixture
async def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Page]:
    # One test is about the number of requests a second.
    monkeypatch.setattr(metrics_http, "MAX_REQUESTS_PER_SECOND", 10_000)
    sources = HealthSources(lambda: True, lambda: 0, lambda: 1, 1, lambda: True, tmp_path)
    made = Page(MetricsSnapshot(READINGS, check_health(sources, 0.0), time.monotonic()))
    made.port = await made.server.listen(0)
    yield made
    made.server.close()


def test_prometheus_reads_every_kind() -> None:
    text = render_metrics(FAMILIES, READINGS).decode()
    parsed = {family.name: family for family in text_string_to_metric_families(text)}
    assert {name: family.type for name, family in parsed.items()} == {
        "a": "counter",
        "b_bytes": "gauge",
        "c_seconds": "histogram",
        "d": "counter",
    }
    assert {
        (sample.name, *sample.labels.values()): sample.value
        for family in parsed.values()
        for sample in family.samples
    } == {
        ("a_total", "x"): 3,
        ("b_bytes", "house"): 5,
        ("c_seconds_bucket", "0.1"): 1,
        ("c_seconds_bucket", "1.0"): 1,
        ("c_seconds_bucket", "+Inf"): 3,
        ("c_seconds_count",): 3,
        ("c_seconds_sum",): 2.5,
        # A metric without labels is there from the beginning, so that its rate is known.
        ("d_total",): 0,
    }


def test_a_renamed_metric_keeps_its_old_name_for_one_release() -> None:
    tables = MetricFamily("cartino_tables", "gauge", "Tables.", ("state",))
    text = render_metrics((tables,), (Sample("cartino_tables", ("open",), 2),)).decode()
    assert 'cartino_tables{state="open"} 2.0' in text
    assert 'cartino_rooms{state="open"} 2.0' in text
    assert "# HELP cartino_rooms Old name of cartino_tables." in text


async def test_the_page_is_that_of_the_last_snapshot(page: Page) -> None:
    status, kind, body = await page.get("/metrics")
    assert (status, body) == (200, render_metrics(FAMILIES, READINGS))
    assert kind.startswith("text/plain; version=")
    page.snapshot = msgspec.structs.replace(page.snapshot, readings=(Sample("a_total", ("x",), 4),))
    assert b'a_total{kind="x"} 4.0' in (await page.get("/metrics"))[2]


async def test_health_says_whether_all_is_well_and_why_not(page: Page, tmp_path: Path) -> None:
    async def health() -> tuple[int, bool, list[str], str]:
        status, kind, body = await page.get("/health")
        assert kind == "application/json"
        fields = msgspec.json.decode(body)
        return status, fields["well"], fields["troubles"], fields["words"]

    assert await health() == (200, True, [], "The server is healthy.")
    sources = HealthSources(lambda: False, lambda: 0, lambda: 1, 2, lambda: True, tmp_path)
    page.snapshot = msgspec.structs.replace(page.snapshot, health=check_health(sources, 0.0))
    assert (await health())[:3] == (503, False, ["journal", "workers"])
    page.snapshot = msgspec.structs.replace(page.snapshot, at=time.monotonic() - STALE_SECONDS - 1)
    assert (await health())[2] == ["silent", "journal", "workers"]


@pytest.mark.parametrize(
    ("status", "path", "host", "method"),
    [
        *((404, path, "localhost", "GET") for path in ("/", "/metrics/..", "/metrics?x", "/" + "x" * 1000)),
        *((501, "/metrics", "localhost", method) for method in ("POST", "PUT", "HEAD", "CONNECT")),
        *(
            (403, "/metrics", host, "GET")
            for host in ("evil.example", "evil.example:9", "127.0.0.1.evil.example", "[::2]:9")
        ),
        *((200, "/metrics", host, "GET") for host in ("LOCALHOST:9", "127.0.0.1", "127.0.0.1:9", "[::1]:9")),
    ],
)
async def test_there_is_nothing_else_and_for_nobody_else(
    page: Page, status: int, path: str, host: str, method: str
) -> None:
    assert (await page.get(path, host, method))[0] == status


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"GET\r\n\r\n", b"Error code: 400"),
        (b"GET /metrics HTTP/9\r\n\r\n", b"Error code: 400"),
        (b"GET /metrics HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n", b"Error code: 431"),
        (b"\xff" * 5 * MAX_REQUEST_BYTES, b""),
    ],
)
async def test_nonsense_is_refused_or_cut_off(
    page: Page, data: bytes, said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics_http, "REQUEST_SECONDS", 3600)
    assert said in (await page.send(data))[2]
    assert (await page.get("/metrics"))[0] == 200


async def test_silent_and_slow_clients_hold_few_places_and_not_for_long(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics_http, "REQUEST_SECONDS", 3600)
    async with asyncio.timeout(TIME_LIMIT):
        silent = [await asyncio.open_connection("127.0.0.1", page.port) for _ in range(MAX_CONNECTIONS)]
        assert (await page.get("/metrics"))[0] == 0
        for _, each in silent:
            each.close()
        monkeypatch.setattr(metrics_http, "REQUEST_SECONDS", 0.2)
        silent = [await asyncio.open_connection("127.0.0.1", page.port) for _ in range(MAX_CONNECTIONS)]
        for reader, _ in silent:
            with suppress(ConnectionError):
                assert await reader.read() == b""
        reader, writer = await asyncio.open_connection("127.0.0.1", page.port)
        while not reader.at_eof() and reader.exception() is None:
            writer.write(b"X")
            await asyncio.sleep(0.01)
        for _, each in [*silent, (reader, writer)]:
            each.close()
        while (await page.get("/metrics"))[0] != 200:
            pass


async def test_so_many_requests_a_second_are_answered(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics_http, "MAX_REQUESTS_PER_SECOND", 3)
    begun = time.monotonic()
    answered = sum([(await page.get("/metrics"))[0] == 200 for _ in range(40)])
    assert 0 < answered <= 3 * (int(time.monotonic() - begun) + 2)


async def test_it_listens_no_more_once_it_is_closed(page: Page) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", page.port)
    page.server.close()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", page.port)
    writer.close()
