"""Games that are whole in the journal and yet make no table are found before a server sets them aside."""

from pathlib import Path

import pytest

from cartino_protocol.text import lazy_gettext
from cartino_server.cli.damaged_games import find_unplayable
from cartino_server.store.data_directory import DataError, lock_directory
from cartino_server.store.port import DamagedGame
from cartino_server.table import restoring
from tests.support.tables import keep, table_of


def test_tables_that_can_be_rebuilt_are_no_finding(tmp_path: Path) -> None:
    keep(tmp_path / "data", ("AAAA", table_of(1)), ("BBBB", table_of(2)))
    with lock_directory(tmp_path / "data"):
        assert find_unplayable(tmp_path / "data") == ()


def test_what_makes_no_table_is_named_with_the_reason(tmp_path: Path) -> None:
    keep(
        tmp_path / "data",
        ("AAAA", table_of(1)),
        ("BBBB", [b'{"at":1.0,"number":0}']),
        ("CCCC", [b'{"at":1.0,"number":0,"newfield":1}']),
        ("AAAA", table_of(2)),
    )
    assert find_unplayable(tmp_path / "data") == (
        DamagedGame(2, "BBBB", lazy_gettext("it doesn't say which table it belongs to")),
        DamagedGame(3, "CCCC", lazy_gettext("its entry {number} can't be read", number=1)),
        DamagedGame(4, "AAAA", restoring.TAKEN),
    )


def test_one_that_the_engine_chokes_on_is_told_without_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def choke(*_: object) -> None:
        raise KeyError("AH")

    keep(tmp_path / "data", ("AAAA", table_of(1)))
    monkeypatch.setattr(restoring, "replay", choke)
    (found,) = find_unplayable(tmp_path / "data")
    assert str(found.why).startswith("it can't be replayed (KeyError at test_damaged_games_unplayable.py:")
    assert "AH" not in str(found.why)


def test_without_a_journal_there_is_nothing_to_look_at(tmp_path: Path) -> None:
    with pytest.raises(DataError):
        find_unplayable(tmp_path)
