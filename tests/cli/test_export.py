"""`cartino export`: the records that a journal has, on paper and in files."""

from pathlib import Path

import pytest

from cartino_protocol.records import write_lines
from cartino_server.cli.main import main
from tests.support.cartino import random_record
from tests.support.data import damage, make_data

RECORDS = [random_record(seed) for seed in range(3)]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """K7QP-1 and K7QP-2 are over, AB2C-3 runs."""
    return make_data(
        tmp_path / "data", [("K7QP", RECORDS[0]), ("K7QP", RECORDS[1]), ("AB2C", RECORDS[2][:-4])]
    )


def export(data: Path, *words: str) -> int:
    return main(["export", "--data", str(data), *words])


@pytest.mark.parametrize(("name", "record"), [("K7QP-1", 0), ("k7qp-2", 1), ("k7-qp", 1)])
def test_a_record_is_printed_as_it_was_played(
    data: Path, name: str, record: int, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert export(data, name) == 0
    assert capfdbinary.readouterr().out == write_lines(RECORDS[record])


@pytest.mark.parametrize(
    ("name", "status", "sentence"),
    [
        ("AB2C-3", 1, "Game AB2C-3 isn't over. `ssh HOST export AB2C` gives what you may see of it."),
        ("AB2C", 4, "There is no finished game AB2C in "),
        ("K7QP-3", 4, "There is no finished game K7QP-3 in "),
        ("K7QP-9", 4, "There is no finished game K7QP-9 in "),
    ],
)
def test_what_is_not_there_or_not_over_is_a_sentence(
    data: Path, name: str, status: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(data, name) == status
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(sentence)
    assert shown.err.count("\n") == 1


def test_all_finished_games_become_files_and_none_is_replaced(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "records"
    folder.mkdir()
    (folder / "K7QP-1.jsonl").write_text("mine")
    assert export(data, "--all", str(folder)) == 0
    assert capsys.readouterr().out == f"Wrote 1 record to {folder}; 1 were already there.\n"
    assert sorted(path.name for path in folder.iterdir()) == ["K7QP-1.jsonl", "K7QP-2.jsonl"]
    assert (folder / "K7QP-1.jsonl").read_text() == "mine"
    assert (folder / "K7QP-2.jsonl").read_bytes() == write_lines(RECORDS[1])
    assert export(data, "--all", str(folder)) == 0
    assert capsys.readouterr().out == f"Wrote 0 records to {folder}; 2 were already there.\n"


def test_a_damaged_game_is_left_out_and_told(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    end = write_lines(RECORDS[0][-1:]).strip()
    damage(data, end)
    assert export(data, "--all", str(tmp_path / "records")) == 1
    shown = capsys.readouterr()
    assert shown.out.startswith("Wrote 1 record to ")
    assert shown.err.startswith("Game K7QP-1 is damaged (")
    assert f"for more, run `cartino doctor --data {data}`." in shown.err
    assert export(data, "K7QP-1") == 1
    assert capsys.readouterr().err.startswith("Game K7QP-1 is damaged (")
    assert export(data, "K7QP-2") == 0
