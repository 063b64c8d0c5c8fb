"""The dashboard and the alerts: what they name is told by a server that runs, with the labels that they ask for."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from cartino_server.metrics.definitions import OLD_NAMES, REGISTRY
from tests.support.ports import own_port
from tests.support.ssh_world import Server

SHARE = Path(__file__).parents[2] / "share"
DASHBOARD = SHARE / "grafana" / "cartino.json"
ALERTS = SHARE / "prometheus" / "cartino-alerts.yml"
OF_PROMETHEUS = {"job", "instance", "le"}
NAME = re.compile(r"\bcartino_[a-z_]+\b")
SERIES = re.compile(r"\b(cartino_[a-z_]+)(?:\{([^}]*)\})?")
LISTENS = "0A"
"""What stands in the kernel's table for a socket that listens."""
UNITS = {"s", "short", "ops", "bytes", "Bps", "none"}


@cache
def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(DASHBOARD.read_text())
    return found


def panels() -> list[dict[str, Any]]:
    return [panel for panel in dashboard()["panels"] if panel["type"] != "row"]


def expressions() -> list[str]:
    asked = [target["expr"] for panel in panels() for target in panel["targets"]]
    alerts = re.findall(r"^ +expr: (.+)$", ALERTS.read_text(), re.MULTILINE)
    assert len(alerts) == ALERTS.read_text().count("- alert:")
    return asked + alerts


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """What a real server tells."""
    port = own_port()
    server = Server(tmp_path_factory.mktemp("server"), env={"CARTINO_METRICS": str(port)})
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
            yield answer.read().decode()
    finally:
        server.ends_well()


@pytest.fixture(scope="module")
def told(page: str) -> dict[str, Metric]:
    return {family.name: family for family in text_string_to_metric_families(page)}


def family_of(name: str) -> str:
    return re.sub(r"_(total|bucket|count|sum)$", "", name)


@pytest.mark.e2e
def test_all_that_is_asked_for_is_told(told: dict[str, Metric]) -> None:
    asked = {family_of(name) for expression in expressions() for name in NAME.findall(expression)}
    assert asked
    assert asked <= set(told), asked - set(told)


@pytest.mark.e2e
def test_all_that_is_told_has_a_sentence_and_a_figure(told: dict[str, Metric]) -> None:
    assert set(told) - set(map(family_of, OLD_NAMES.values())) == {
        family_of(family.name) for family in REGISTRY.families
    }
    assert not {family_of(name) for name in OLD_NAMES.values()} & set(
        map(family_of, NAME.findall("".join(expressions())))
    )
    assert all(family.documentation.endswith(".") for family in told.values())


@pytest.mark.e2e
@pytest.mark.skipif(shutil.which("promtool") is None, reason="needs promtool")
def test_prometheus_has_nothing_to_say_against_the_names(page: str) -> None:
    done = subprocess.run(
        ["promtool", "check", "metrics"], input=page, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


@pytest.mark.skipif(shutil.which("promtool") is None, reason="needs promtool")
def test_prometheus_takes_the_alerts() -> None:
    done = subprocess.run(
        ["promtool", "check", "rules", str(ALERTS)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _listening(pid: int) -> int:
    """How many of a process's sockets listen for TCP, as the kernel tells."""
    opened = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed since the folder was read
            opened.add(os.readlink(link))
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]
    ]
    return sum(row[3] == LISTENS and f"socket:[{row[9]}]" in opened for row in rows)


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone tells of a process's sockets in files")
def test_a_server_that_nobody_watches_listens_nowhere_but_at_its_door(tmp_path: Path) -> None:
    server = Server(tmp_path)
    try:
        assert _listening(server.pid) == 1
    finally:
        server.ends_well()


def test_figures_are_told_apart_by_labels_that_they_have() -> None:
    has = {
        family.name: {*family.labels, *(("process",) if family.by_process else ())} | OF_PROMETHEUS
        for family in REGISTRY.families
    }
    for expression in expressions():
        for name, selected in SERIES.findall(expression):
            stem = name if name in has else family_of(name)
            asked = set(re.findall(r"(\w+)\s*=", selected))
            assert asked <= has[stem], expression
        names = [name if name in has else family_of(name) for name in NAME.findall(expression)]
        for grouped in re.findall(r"\b(?:by|on) \(([^)]*)\)", expression):
            labels = {label.strip() for label in grouped.split(",")}
            assert any(labels <= has[name] for name in names) or labels <= OF_PROMETHEUS, expression


def test_every_panel_says_what_it_shows_in_which_unit() -> None:
    shown = panels()
    assert len({panel["id"] for panel in dashboard()["panels"]}) == len(dashboard()["panels"])
    for panel in shown:
        assert panel["description"].endswith("."), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"] in UNITS, panel["title"]
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        for target in panel["targets"]:
            assert target["datasource"] == panel["datasource"]
            assert 'job=~"$job",instance=~"$instance"' in target["expr"]


def test_panels_stand_beside_and_below_each_other() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in dashboard()["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells


def test_every_figure_is_shown() -> None:
    asked = {
        family_of(name) for panel in panels() for t in panel["targets"] for name in NAME.findall(t["expr"])
    }
    assert {family_of(family.name) for family in REGISTRY.families} <= asked
