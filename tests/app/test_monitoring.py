"""A server that is watched: what stands in it is told at once, and a port that can't be had is one sentence."""

import os
import socket
import subprocess
import urllib.request
from http.client import HTTPException
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.ports import own_port
from tests.support.ssh_world import CARTINO, open_server

pytestmark = pytest.mark.e2e


def test_a_port_that_is_taken_is_one_sentence_and_the_server_ends(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [*CARTINO, "serve", "--port", "0", "--data", str(tmp_path / "data"), "--workers", "1"],
            env={**os.environ, "CARTINO_METRICS": str(port)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stdout) == (1, "")
    last = done.stderr.splitlines()[-1]
    assert last == (
        f"Can't open port {port} for metrics (Address already in use). "
        "Set metrics to another port, or to 0 for none."
    )
    assert "Traceback" not in done.stderr


@pytest.mark.timeout(120)
def test_what_people_do_is_told_by_the_worker_that_draws_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = own_port()
    monkeypatch.setenv("CARTINO_METRICS", str(port))

    pages = [""]

    def told(name: str, **labels: str) -> float:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
                pages[0] = answer.read().decode()
        except (OSError, HTTPException):
            # It answers so often a second, and we ask more often: what was told last still holds.
            assert pages[0]
        families = text_string_to_metric_families(pages[0])
        samples = [sample for family in families for sample in family.samples if sample.name == name]
        return sum(each.value for each in samples if labels.items() <= each.labels.items())

    with open_server(tmp_path, "--bot-pause", "0", "--grace", "0") as (server, _):
        ann = server.visit("ann", "new", "--bots", "1")
        ann.sees("Your turn: pick a stone")
        ann.press("1")
        ann.sees("Enter to lay")
        ann.press("enter", "e")
        server.terminals.until(
            lambda: (
                told("cartino_moves_total") >= 2 and told("cartino_sessions", process="1", kind="screen") == 1
            ),
            "moves and sessions are told",
        )
        assert told("cartino_people") == 1
        assert told("cartino_tables", state="playing") == 1
        assert told("cartino_key_to_frame_seconds_count") >= 1
        assert told("cartino_command_to_commit_seconds_count") >= 1
        assert told("cartino_sent_bytes_total") > 1_000
        assert told("cartino_received_bytes_total") >= 3
        assert told("cartino_resident_memory_bytes", process="1") > 10_000_000
        assert ann.quit() == 0
        server.terminals.until(lambda: told("cartino_sessions") == 0, "the session is over")
