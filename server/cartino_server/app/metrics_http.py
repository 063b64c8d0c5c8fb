"""Serve /metrics (Prometheus) and /health over HTTP on the loopback, in a thread.

The thread sees only the last immutable snapshot. Slow or excessive clients are cut off, and the event loop never waits.
"""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

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
REQUEST_SECONDS: Final = 5.0
"""Longest time for a request and its answer."""
POLL_SECONDS: Final = 0.25
"""Seconds between two checks for slow clients."""
STALE_SECONDS: Final = 20.0
"""Age in seconds at which a snapshot counts as unhealthy."""
_LOCAL_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
"""Allowed Host headers, against DNS rebinding by web pages."""


class MetricsServer:
    """Serve the last snapshot until closed."""

    def __init__(
        self, port: int, families: tuple[MetricFamily, ...], last: Callable[[], MetricsSnapshot]
    ) -> None:
        """Listen on 127.0.0.1:`port`; `last()` is called in other threads. Raises OSError."""
        self._server = _Server(port, _MetricsPage(families), last)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(POLL_SECONDS,), name="metrics", daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """The port."""
        return int(self._server.server_address[1])

    def close(self) -> None:
        """Stop listening; don't wait for running requests."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _MetricsPage:
    """The page for Prometheus, rendered once per snapshot."""

    def __init__(self, families: tuple[MetricFamily, ...]) -> None:
        self._families = families
        self._lock = threading.Lock()
        self._of: MetricsSnapshot | None = None
        self._text = b""

    def text(self, look: MetricsSnapshot) -> bytes:
        with self._lock:
            if look is not self._of:
                self._of, self._text = look, render_metrics(self._families, look.readings)
            return self._text


class _ReadingsCollector(Collector):
    def __init__(self, families: tuple[MetricFamily, ...], readings: tuple[Sample, ...]) -> None:
        self._families = families
        self._readings = readings

    def collect(self) -> Iterator[Metric]:
        for family in self._families:
            told = [reading for reading in self._readings if reading.family == family.name]
            yield _metric_family(family, told)
            if family.name in OLD_NAMES:
                explained = f"Old name of {family.name}."
                old = msgspec.structs.replace(family, name=OLD_NAMES[family.name], help=explained)
                yield _metric_family(old, told)


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


class _Server(ThreadingHTTPServer):
    """Serve few clients at once, none of them for long."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 16

    def __init__(self, port: int, page: _MetricsPage, last: Callable[[], MetricsSnapshot]) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.page = page
        self.last = last
        self._lock = threading.Lock()
        self._open: dict[socket.socket, float] = {}
        self._second, self._answered = 0, 0

    def process_request(self, request: Any, client_address: Any) -> None:
        now = time.monotonic()
        with self._lock:
            if int(now) != self._second:
                self._second, self._answered = int(now), 0
            self._answered += 1
            is_welcome = self._answered <= MAX_REQUESTS_PER_SECOND and len(self._open) < MAX_CONNECTIONS
            if is_welcome:
                self._open[request] = now + REQUEST_SECONDS
        if is_welcome:
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """Cut off slow clients."""
        now = time.monotonic()
        with self._lock:
            late = [request for request, until in self._open.items() if until < now]
        for request in late:
            try:
                request.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that vanished or were cut off."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = REQUEST_SECONDS
    server_version = "cartino"
    sys_version = ""

    def do_GET(self) -> None:
        """Serve /metrics and /health."""
        host = self.headers.get("Host", "localhost").lower()
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if name not in _LOCAL_HOSTS:
            self.send_error(HTTPStatus.FORBIDDEN)
        elif self.path == "/metrics":
            self._tell(HTTPStatus.OK, CONTENT_TYPE_LATEST, self.server.page.text(self.server.last()))
        elif self.path == "/health":
            look = self.server.last()
            health = with_age(look.health, time.monotonic() - look.at, STALE_SECONDS)
            status = HTTPStatus.OK if health.well else HTTPStatus.SERVICE_UNAVAILABLE
            told = {"words": health.words(ENGLISH), **msgspec.to_builtins(health)}
            self._tell(status, "application/json", msgspec.json.encode(told) + b"\n")
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _tell(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""
