"""The page for Prometheus and the one for health checks, asked by good clients and by bad ones."""

import http.client
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families

from cartino_server.app import metrics_http
from cartino_server.app.metrics_http import (
    MAX_CONNECTIONS,
    MAX_REQUESTS_PER_SECOND,
    STALE_SECONDS,
    MetricsServer,
    render_metrics,
)
from cartino_server.metrics.registry import MetricFamily, Sample
from cartino_server.operations.health import HealthSources, MetricsSnapshot, ServerHealth, check_health
from tests.support.ports import own_port

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


def healthy(tmp_path: Path) -> ServerHealth:
    return check_health(HealthSources(lambda: True, lambda: 0, lambda: 1, 1, lambda: True, tmp_path), 0.0)


class Told:
    """What is told, and who is asked."""

    def __init__(self, health: ServerHealth, port: int = 0) -> None:
        self.look = MetricsSnapshot(READINGS, health, time.monotonic())
        self.exposition = MetricsServer(port, FAMILIES, lambda: self.look)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.exposition.port), timeout=TIME_LIMIT)

    def get(self, path: str, host: str = "localhost:9", method: str = "GET") -> tuple[int, str, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.exposition.port, timeout=TIME_LIMIT)
        try:
            connection.request(method, path, headers={"Host": host})
            answer = connection.getresponse()
            return answer.status, answer.getheader("Content-Type", ""), answer.read()
        finally:
            connection.close()

    def get_in_the_end(self, path: str) -> int:
        """Ask until there is an answer: whoever was cut off has a place until their thread knows it."""
        until = time.monotonic() + TIME_LIMIT
        while True:
            try:
                return self.get(path)[0]
            except (http.client.HTTPException, OSError):
                assert time.monotonic() < until


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Told]:
    # What is tested is not how many a second.
    monkeypatch.setattr(metrics_http, "MAX_REQUESTS_PER_SECOND", 10_000)
    monkeypatch.setattr(metrics_http, "POLL_SECONDS", 0.02)
    made = Told(healthy(tmp_path))
    yield made
    made.exposition.close()


def test_prometheus_reads_every_kind() -> None:
    parsed = {
        family.name: family
        for family in text_string_to_metric_families(render_metrics(FAMILIES, READINGS).decode())
    }
    assert {name: family.type for name, family in parsed.items()} == {
        "a": "counter",
        "b_bytes": "gauge",
        "c_seconds": "histogram",
        "d": "counter",
    }
    samples = {
        (sample.name, *sample.labels.values()): sample.value
        for family in parsed.values()
        for sample in family.samples
    }
    assert samples == {
        ("a_total", "x"): 3,
        ("b_bytes", "house"): 5,
        ("c_seconds_bucket", "0.1"): 1,
        ("c_seconds_bucket", "1.0"): 1,
        ("c_seconds_bucket", "+Inf"): 3,
        ("c_seconds_count",): 3,
        ("c_seconds_sum",): 2.5,
        # What has no labels is there from the first moment: a rate of it can be told.
        ("d_total",): 0,
    }


def test_a_renamed_metric_keeps_its_old_name_for_one_release() -> None:
    tables = MetricFamily("cartino_tables", "gauge", "Tables.", ("state",))
    page = render_metrics((tables,), (Sample("cartino_tables", ("open",), 2),)).decode()
    assert 'cartino_tables{state="open"} 2.0' in page
    assert 'cartino_rooms{state="open"} 2.0' in page
    assert "# HELP cartino_rooms Old name of cartino_tables." in page


def test_the_page_is_told_as_prometheus_wants_it(told: Told) -> None:
    status, kind, body = told.get("/metrics")
    assert status == 200
    assert kind.startswith("text/plain; version=")
    assert body == render_metrics(FAMILIES, READINGS)


def test_the_next_look_is_told_when_it_is_there(told: Told) -> None:
    first = told.get("/metrics")[2]
    told.look = msgspec.structs.replace(told.look, readings=(Sample("a_total", ("x",), 4),))
    second = told.get("/metrics")[2]
    assert b'a_total{kind="x"} 3.0' in first
    assert b'a_total{kind="x"} 4.0' in second


def test_a_server_that_is_well_says_so(told: Told) -> None:
    status, kind, body = told.get("/health")
    assert (status, kind) == (200, "application/json")
    said = msgspec.json.decode(body)
    assert (said["well"], said["troubles"], said["words"]) == (True, [], "The server is healthy.")


def test_a_server_that_is_not_well_says_why(told: Told, tmp_path: Path) -> None:
    sick = check_health(HealthSources(lambda: False, lambda: 0, lambda: 1, 2, lambda: True, tmp_path), 0.0)
    told.look = msgspec.structs.replace(told.look, health=sick)
    status, _, body = told.get("/health")
    assert status == 503
    assert msgspec.json.decode(body)["troubles"] == ["journal", "workers"]


def test_a_server_whose_loop_hangs_is_not_well(told: Told) -> None:
    told.look = msgspec.structs.replace(told.look, at=time.monotonic() - STALE_SECONDS - 1)
    status, _, body = told.get("/health")
    assert status == 503
    assert msgspec.json.decode(body)["troubles"] == ["silent"]


@pytest.mark.parametrize("path", ["/", "/metrics/..", "/metrics?x", "/../etc/passwd", "/" + "x" * 1000])
def test_there_is_nothing_else(told: Told, path: str) -> None:
    assert told.get(path)[0] == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "HEAD", "CONNECT"])
def test_nothing_can_be_done_here(told: Told, method: str) -> None:
    assert told.get("/metrics", method=method)[0] == 501


@pytest.mark.parametrize("host", ["evil.example", "evil.example:9", "127.0.0.1.evil.example", "[::2]:9"])
def test_a_web_page_that_leads_its_own_name_here_gets_nothing(told: Told, host: str) -> None:
    assert told.get("/metrics", host)[0] == 403


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:9", "127.0.0.1", "127.0.0.1:9", "[::1]:9"])
def test_this_machine_is_called_as_it_is(told: Told, host: str) -> None:
    assert told.get("/metrics", host)[0] == 200


@pytest.mark.parametrize(
    "nonsense", [b"\x16\x03\x01\x02", b"GET\r\n\r\n", b"\xff" * 70_000, b"GET /metrics HTTP/9\r\n\r\n"]
)
def test_nonsense_is_cut_off_and_the_next_one_answered(told: Told, nonsense: bytes) -> None:
    with told.connect() as client:
        client.sendall(nonsense)
        client.shutdown(socket.SHUT_WR)
        while _more(client):
            pass
    assert told.get("/metrics")[0] == 200


def test_whoever_says_nothing_holds_few_places_and_not_for_long(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics_http, "REQUEST_SECONDS", 0.2)
    silent = [told.connect() for _ in range(MAX_CONNECTIONS + 3)]
    for client in silent:
        # Some are closed at once, the others when their time is over.
        assert not _more(client)
        client.close()
    assert told.get_in_the_end("/metrics") == 200


def test_whoever_sends_a_byte_now_and_then_is_cut_off_too(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics_http, "REQUEST_SECONDS", 0.2)
    with told.connect() as client:
        client.settimeout(0.01)
        assert _drips(client)


def test_whoever_asks_without_end_is_answered_so_often_a_second(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics_http, "MAX_REQUESTS_PER_SECOND", 3)
    begun = time.monotonic()
    answered = 0
    for _ in range(MAX_REQUESTS_PER_SECOND * 2):
        try:
            answered += told.get("/metrics")[0] == 200
        except (http.client.HTTPException, OSError):
            continue
    assert answered <= 3 * (int(time.monotonic() - begun) + 2)


def test_it_listens_on_the_loopback_alone(told: Told) -> None:
    assert told.exposition._server.server_address[0] == "127.0.0.1"


def test_closed_it_listens_no_more_though_somebody_is_there(tmp_path: Path) -> None:
    port = own_port()
    made = Told(healthy(tmp_path), port)
    client = made.connect()
    made.exposition.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=TIME_LIMIT)
    client.close()


def _more(client: socket.socket) -> bool:
    try:
        return client.recv(65_536) != b""
    except ConnectionError:
        return False


def _drips(client: socket.socket) -> bool:
    """Send a byte now and then; whether the other side has put an end to it."""
    for _ in range(100_000):
        try:
            client.sendall(b"X")
            if client.recv(1) == b"":
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False
