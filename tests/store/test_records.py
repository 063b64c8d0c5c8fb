"""Records of finished games stay, each in a file of its own that verifies."""

from pathlib import Path

from cartino_server.engine.registry import GAMES
from cartino_server.engine.replay import read_record, verify
from cartino_server.store.records import keep_record
from tests.support.cartino import random_record


def test_each_game_gets_a_file_that_verifies(tmp_path: Path) -> None:
    first = keep_record(tmp_path, "K7QP", random_record(1))
    again = keep_record(tmp_path, "K7QP", random_record(2))
    assert [path.name for path in (first, again)] == [
        "20260101T123000Z-K7QP.jsonl",
        "20260101T123000Z-K7QP-2.jsonl",
    ]
    for path in (first, again):
        verify(read_record(path.read_bytes(), GAMES))
    assert sorted(path.name for path in (tmp_path / "records").iterdir()) == sorted([first.name, again.name])
