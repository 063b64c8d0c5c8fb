"""`cartino export`: the records that a journal has, mostly in the scripts of `export.txt`."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from cartino_protocol.records import write_lines
from cartino_server.cli.main import main
from tests.support.cartino import random_record
from tests.support.cli_script import run_cli_script
from tests.support.data import make_data
from tests.support.script import scripts_in


@pytest.mark.parametrize("script", scripts_in(Path(__file__).with_name("export.txt")))
def test_script(script: Sequence[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run_cli_script(script, tmp_path, capfd)


def test_a_record_is_written_as_it_was_played(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    data, record = make_data(tmp_path / "data", [("K7QP", random_record(0))]), write_lines(random_record(0))
    assert main(["export", "--data", str(data), "k7qp-1"]) == 0
    assert capfdbinary.readouterr().out == record
    assert main(["export", "--data", str(data), "--all", str(tmp_path / "records")]) == 0
    assert (tmp_path / "records" / "K7QP-1.jsonl").read_bytes() == record
