"""Serve /metrics (Prometheus) and /health over HTTP on the loopback, bounded in connections, bytes and time.

Answers come from the last snapshot. The page is rendered in a thread, so that the event loop never waits.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from io import BytesIO
from typing import Final

import msgspec
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from cartino_server.metrics.definitions import OLD_NAMES
from cartino_server.metrics.registry import MetricFamily, Sample
from cartino_server.operations.health import MetricsSnapshot, with_age
from cartino_tui.i18n import ENGLISH

MAX_CONNECTIONS: Final = 4
"""Open connections; further ones are closed."""
MAX_REQUESTS_PER_SECOND: Final = 20
"""Further connections are closed, to spare the core that players need."""
MAX_REQUEST_BYTES: Final = 16_384
"""Longest request line with its headers."""
REQUEST_SECONDS: Final = 5.0
"""Longest time for a request and its answer."""
STALE_SECONDS: Final = 20.0
"""Age in seconds at which a snapshot counts as unhealthy."""
_LOCAL_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
"""Allowed Host headers, against DNS rebinding by web pages."""


class MetricsServer:
    """Serve the last snapshot from `listen` to `close`."""

    def __init__(self, families: tuple[MetricFamily, ...], last: Callable[[], MetricsSnapshot]) -> None:
        """Serve what `last()` returns."""
        self._families = families
        self._last = last
        self._server: asyncio.Server | None = None
        self._rendered: MetricsSnapshot | None = None
        self._page = b""
        self._open = 0
        self._second, self._requests = 0, 0

    async def listen(self, port: int) -> int:
        """Listen on 127.0.0.1:`port` and return the port, a free one for 0. Raises OSError."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port, limit=MAX_REQUEST_BYTES)
        return int(self._server.sockets[0].getsockname()[1])

    def close(self) -> None:
        """Stop listening; don't wait for running requests."""
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request and close the connection, whatever the client does."""
        second = int(time.monotonic())
        if second != self._second:
            self._second, self._requests = second, 0
        self._requests += 1
        if self._requests > MAX_REQUESTS_PER_SECOND or self._open >= MAX_CONNECTIONS:
            writer.transport.abort()
            return
        self._open += 1
        try:
            with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                async with asyncio.timeout(REQUEST_SECONDS):
                    head = await reader.readuntil(b"\r\n\r\n")
                    writer.write(_Request(head, self._last(), await self._metrics_page()).response)
                    writer.close()
                    await writer.wait_closed()
        finally:
            self._open -= 1
            writer.transport.abort()

    async def _metrics_page(self) -> bytes:
        """Return the page for Prometheus, which is rendered once per snapshot."""
        snapshot = self._last()
        if snapshot is not self._rendered:
            self._page = await asyncio.to_thread(render_metrics, self._families, snapshot.readings)
            self._rendered = snapshot
        return self._page


class _Request(BaseHTTPRequestHandler):
    """A request, and the answer to it; no connection is involved."""

    server_version = "cartino"
    sys_version = ""

    def __init__(self, head: bytes, snapshot: MetricsSnapshot, page: bytes) -> None:
        self.rfile, self.wfile = BytesIO(head), BytesIO()
        self._snapshot, self._page = snapshot, page
        self.handle_one_request()

    @property
    def response(self) -> bytes:
        """The whole answer, status line and headers included."""
        assert isinstance(self.wfile, BytesIO)
        return self.wfile.getvalue()

    def do_GET(self) -> None:
        """Serve /metrics and /health."""
        host = self.headers.get("Host", "localhost").lower()
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if name not in _LOCAL_HOSTS:
            self.send_error(HTTPStatus.FORBIDDEN)
        elif self.path == "/metrics":
            self._send(HTTPStatus.OK, CONTENT_TYPE_LATEST, self._page)
        elif self.path == "/health":
            age = time.monotonic() - self._snapshot.at
            health = with_age(self._snapshot.health, age, STALE_SECONDS)
            status = HTTPStatus.OK if health.well else HTTPStatus.SERVICE_UNAVAILABLE
            fields = {"words": health.words(ENGLISH), **msgspec.to_builtins(health)}
            self._send(status, "application/json", msgspec.json.encode(fields) + b"\n")
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


class _ReadingsCollector(Collector):
    def __init__(self, families: tuple[MetricFamily, ...], readings: tuple[Sample, ...]) -> None:
        self._families = families
        self._readings = readings

    def collect(self) -> Iterator[Metric]:
        for family in self._families:
            readings = [reading for reading in self._readings if reading.family == family.name]
            yield _metric_family(family, readings)
            if family.name in OLD_NAMES:
                explained = f"Old name of {family.name}."
                old = msgspec.structs.replace(family, name=OLD_NAMES[family.name], help=explained)
                yield _metric_family(old, readings)


def render_metrics(families: tuple[MetricFamily, ...], readings: tuple[Sample, ...]) -> bytes:
    """Return the page in Prometheus's text format."""
    registry = CollectorRegistry()
    registry.register(_ReadingsCollector(families, readings))
    return generate_latest(registry)


def _metric_family(family: MetricFamily, readings: list[Sample]) -> Metric:
    labels = ("process", *family.labels) if family.by_process else family.labels
    if not (readings or labels):
        # An unused metric without labels is 0.
        readings = [Sample("", (), 0.0, (0,) * (len(family.bounds) + 1))]
    if family.kind == "histogram":
        histogram = HistogramMetricFamily(family.name, family.help, labels=labels)
        for reading in readings:
            buckets = _cumulative_buckets(family.bounds, reading.counts)
            histogram.add_metric(reading.labels, buckets, reading.value)
        return histogram
    kind = CounterMetricFamily if family.kind == "counter" else GaugeMetricFamily
    metric = kind(family.name, family.help, labels=labels)
    for reading in readings:
        metric.add_metric(reading.labels, reading.value)
    return metric


def _cumulative_buckets(bounds: tuple[float, ...], counts: tuple[int, ...]) -> list[tuple[str, float]]:
    total, buckets = 0, []
    for bound, count in zip((*map(str, bounds), "+Inf"), counts, strict=True):
        total += count
        buckets.append((bound, float(total)))
    return buckets
