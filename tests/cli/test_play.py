"""`cartino replay`: a record becomes the steps of a table, and a bad one a sentence."""

from pathlib import Path

import pytest

from cartino_engine.replay import read_record
from cartino_server.cli.main import main
from cartino_server.lobby.finished.history import game_replay
from tests.support.games import GAMES, SCREENS

GOLDEN = sorted((Path(__file__).parent.parent / "golden").glob("*.jsonl"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_step_is_a_table_that_its_screen_can_read(path: Path) -> None:
    record = read_record(path.read_bytes(), GAMES)
    replay, game_screen = game_replay(record), SCREENS[record.game.name]
    tables = [replay.view(step) for step in range(replay.steps + 1)]
    views = [game_screen.read(table.game_view) for table in tables]
    assert [table.number for table in tables] == list(range(len(tables)))
    assert all(view.hand for view in views[:-1] if hasattr(view, "hand")), "the hand on turn lies open"
    assert {table.you for table in tables} == {None}
    last, end = tables[-1], record.end()
    assert end is not None
    assert last.result is not None
    assert (last.state, last.result.totals, last.seed) == ("finished", end.totals, end.seed)


def test_a_record_cut_in_half_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    half = tmp_path / "half.jsonl"
    half.write_bytes(GOLDEN[0].read_bytes()[:3000])
    assert main(["replay", str(half)]) == 1
    assert capsys.readouterr().err.startswith(f"{half}:")
