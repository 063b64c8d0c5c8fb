"""The programs that the benchmark of starting runs find their keys, and its table."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.e2e
def test_both_clients_reach_the_table() -> None:
    run = (sys.executable, "-m", "bench", "--quick", "--only", "start")
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "Starting" in done.stdout, done.stderr
    assert "BROKE OFF" not in done.stdout
