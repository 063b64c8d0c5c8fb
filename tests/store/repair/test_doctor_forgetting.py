"""A forgotten game is nowhere but in its file; every other one is as it was."""

import asyncio
import base64
from pathlib import Path

import msgspec
import pytest

from cartino_server.store.data_directory import DataError
from cartino_server.store.database import open_writer
from cartino_server.store.journal import OpenedJournal, open_journal
from cartino_server.store.repair import doctor
from cartino_server.store.repair.doctor import check_data, forget_game
from tests.support.tables import keep

BODIES = [b"one", b"\xff\xfe", b"three"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    made = tmp_path / "data"
    keep(made, ("AAAA", [b"a"]), ("BBBB", BODIES), ("CCCC", [b"c"]))
    return made


def opened(data: Path) -> OpenedJournal:
    """What a start finds."""

    async def start() -> OpenedJournal:
        found = open_journal(data, print)
        await found.journal.close()
        return found

    return asyncio.run(start())


def test_what_was_left_lies_in_the_file(data: Path, tmp_path: Path) -> None:
    forget_game(data, 2, tmp_path / "left")
    lines = [msgspec.json.decode(line) for line in (tmp_path / "left").read_bytes().splitlines()]
    assert [line["seq"] for line in lines] == [1, 2, 3]
    assert [line["body"].encode() or base64.b64decode(line["base64"]) for line in lines] == BODIES


def test_the_others_are_whole_and_it_is_not_even_missing(data: Path, tmp_path: Path) -> None:
    forget_game(data, 2, tmp_path / "left")
    found = opened(data)
    assert ([kept.code for kept in found.kept], found.damaged) == (["AAAA", "CCCC"], ())
    assert check_data(data).damaged == ()


def test_one_of_which_only_the_head_is_left_can_be_forgotten(data: Path, tmp_path: Path) -> None:
    connection = open_writer(data / "journal.db")
    connection.execute("DELETE FROM games WHERE number = 3")
    connection.execute("DELETE FROM entries WHERE CAST(body AS TEXT) = 'c'")
    connection.close()
    assert [str(game.why) for game in check_data(data).damaged] == ["all of it is missing"]
    forget_game(data, 3, tmp_path / "left")
    assert (tmp_path / "left").read_bytes() == b""
    assert check_data(data).damaged == ()


def test_a_file_that_is_there_stays_and_so_does_the_game(data: Path, tmp_path: Path) -> None:
    (tmp_path / "left").write_text("mine")
    with pytest.raises(DataError, match="nothing was removed"):
        forget_game(data, 2, tmp_path / "left")
    assert (tmp_path / "left").read_text() == "mine"
    assert len(opened(data).kept) == 3


def test_when_it_can_not_be_removed_there_is_no_file(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_GAME_TABLES", ("games", "no_such_table"))
    with pytest.raises(DataError, match="Can't change"):
        forget_game(data, 2, tmp_path / "left")
    assert not (tmp_path / "left").exists()
    assert len(opened(data).kept) == 3


def test_without_a_journal_none_is_made(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no journal"):
        forget_game(tmp_path, 1, tmp_path / "left")
    assert list(tmp_path.iterdir()) == []
