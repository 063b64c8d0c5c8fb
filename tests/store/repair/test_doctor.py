"""What the doctor finds, and what it forgets."""

import asyncio
import base64
from pathlib import Path

import msgspec
import pytest

from cartino_server.store.data_directory import DataError, lock_directory
from cartino_server.store.host_key import load_host_key
from cartino_server.store.migrations import JOURNAL_MIGRATIONS
from cartino_server.store.port import NewEntry
from cartino_server.store.repair import doctor
from cartino_server.store.repair.doctor import DataReport, check_data, forget_game
from tests.support.journals import add, change, ended, fill, opened, overwrite_page
from tests.support.tables import keep


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data"
    path.mkdir(mode=0o700)
    load_host_key(path / "host_key")
    return path


def findings(data: Path) -> list[str]:
    report = check_data(data)
    for finding in report.findings:
        for sentence in filter(None, (str(finding.what), str(finding.do))):
            assert sentence[0].isupper() or sentence.startswith("/")
            assert sentence.isprintable()
    return [str(finding.what) for finding in report.findings]


async def test_a_sound_one_beside_its_server(data: Path) -> None:
    with lock_directory(data):
        async with opened(data) as found:
            journal = found.journal
            await add(journal, journal.number("K7QP"), b"x")
            over = journal.number("ABCD")
            await journal.write([NewEntry(over, b"end", "closed", ended("ABCD"))], 3.0)
            report = check_data(data)
            await add(journal, over, b"still writing")
    assert isinstance(report, DataReport)
    assert (report.findings, report.damaged) == ((), ())
    assert report.running
    assert report.games == {"open": 1, "closed": 1}
    assert report.version == len(JOURNAL_MIGRATIONS)
    assert report.size > 4096
    assert report.free > 0
    assert not check_data(data).running


async def test_each_damage_is_found_and_nothing_changed(data: Path) -> None:
    await fill(data, games=4, entries=3)
    async with opened(data) as found:
        await found.journal.write([NewEntry(4, b"end", "closed", ended())], 3.0)
    change(data, f"UPDATE entries SET body = zeroblob(5) WHERE place = {2 << 24 | 2}")
    change(data, "DELETE FROM games WHERE number = 3")
    change(data, "UPDATE finished SET body = zeroblob(9)")
    change(data, "UPDATE meta SET value = zeroblob(12) WHERE key = 'time'")
    before = (data / "journal.db").read_bytes()
    assert findings(data) == [
        "The server's time in the journal is damaged.",
        "Game K7QP-2 is damaged: entry 2 was altered.",
        "Game K7QP-3 is damaged: all of it is missing.",
        "Game K7QP-4 is damaged: its ending was altered.",
    ]
    assert [game.game for game in check_data(data).damaged] == [2, 3, 4]
    assert (data / "journal.db").read_bytes() == before


async def test_damaged_pages_and_what_lies_aside(data: Path) -> None:
    await fill(data, games=4, entries=30)
    overwrite_page(data, 12, bytes(1))
    [what] = findings(data)
    assert "journal.db are damaged" in what or "can't be read" in what
    async with opened(data) as found:
        assert found.aside is not None
        assert f"A damaged journal was set aside as {found.aside.name}." in findings(data)


async def test_heads_of_another_journal(data: Path) -> None:
    await fill(data, games=1)
    (data / "journal.heads").unlink()
    [what] = findings(data)
    assert "so lost entries at the end can't be detected" in what


def test_an_empty_directory(data: Path) -> None:
    (data / "host_key").unlink()
    assert [what.partition(" /")[0] for what in findings(data)] == [
        "There is no host key",
        "There is no journal",
    ]
    assert list(data.iterdir()) == []


async def test_who_may_look_and_how_much_room_there_is(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await fill(data, games=1)
    data.chmod(0o755)
    (data / "host_key").chmod(0o644)
    monkeypatch.setattr(doctor, "MIN_FREE_BYTES", 1 << 60)
    directory, key, table = findings(data)
    assert "Other users can read the data directory" in directory
    assert "Other users can read the host key" in key
    assert "are free on the disk" in table


@pytest.mark.parametrize("content", [b"Dear diary, " * 1000, b""])
def test_a_file_that_is_no_journal(data: Path, content: bytes) -> None:
    (data / "journal.db").write_bytes(content)
    assert len(findings(data)) == 1


@pytest.mark.parametrize("left", [None, b"", b"half"])
async def test_one_that_has_gone_or_was_cut_is_to_be_replaced(data: Path, left: bytes | None) -> None:
    """What the doctor advises is what the server then takes: it never starts empty where games were kept."""
    await fill(data, games=3)
    path = data / "journal.db"
    whole = path.read_bytes()
    path.unlink()
    if left is not None:
        path.write_bytes(whole[: len(whole) // 2] if left else b"")
    (finding,) = check_data(data).findings
    assert ("can't be read" if left else "although it held games") in str(finding.what)
    assert f"run cartino restore COPY --data {data}," in str(finding.do)
    for name in ("journal.db", "journal.heads"):
        (data / name).unlink(missing_ok=True)
    async with opened(data) as found:
        assert found.kept == ()


async def test_a_newer_journal(data: Path) -> None:
    await fill(data, games=1)
    change(data, "PRAGMA user_version = 99")
    [what] = findings(data)
    assert "has version 99" in what


async def test_entries_that_are_newer_than_the_rooms_or_of_a_damaged_format(data: Path) -> None:
    async with opened(data, entries=2):
        pass
    assert findings(data) == []
    assert check_data(data, entries=2).findings == ()
    [newer] = check_data(data, entries=1).findings
    assert "have format 2, but this Cartino reads at most 1. Start the newer Cartino that wrote them." in str(
        newer.what
    )
    change(data, "UPDATE meta SET value = zeroblob(12) WHERE key = 'entries'")
    [damaged] = findings(data)
    assert "format of the entries" in damaged


def test_a_directory_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Can't examine"):
        check_data(tmp_path / "missing")


BODIES = [b"one", b"\xff\xfe", b"three"]


@pytest.fixture
def three(data: Path) -> Path:
    keep(data, ("AAAA", [b"a"]), ("BBBB", BODIES), ("CCCC", [b"c"]))
    return data


def kept(data: Path) -> list[str]:
    """The tables that a start finds."""

    async def start() -> list[str]:
        async with opened(data) as found:
            assert found.damaged == ()
            return [game.code for game in found.kept]

    return asyncio.run(start())


def test_a_forgotten_game_lies_in_the_file_and_is_not_even_missing(three: Path, tmp_path: Path) -> None:
    forget_game(three, 2, tmp_path / "left")
    lines = [msgspec.json.decode(line) for line in (tmp_path / "left").read_bytes().splitlines()]
    assert [line["seq"] for line in lines] == [1, 2, 3]
    assert [line["body"].encode() or base64.b64decode(line["base64"]) for line in lines] == BODIES
    assert kept(three) == ["AAAA", "CCCC"]
    assert check_data(three).damaged == ()


def test_one_of_which_only_the_head_is_left_can_be_forgotten(three: Path, tmp_path: Path) -> None:
    change(three, "DELETE FROM games WHERE number = 3; DELETE FROM entries WHERE CAST(body AS TEXT) = 'c'")
    assert [str(game.why) for game in check_data(three).damaged] == ["all of it is missing"]
    forget_game(three, 3, tmp_path / "left")
    assert (tmp_path / "left").read_bytes() == b""
    assert check_data(three).damaged == ()


def test_a_file_that_is_there_stays_and_so_does_the_game(three: Path, tmp_path: Path) -> None:
    (tmp_path / "left").write_text("mine")
    with pytest.raises(DataError, match="nothing was removed"):
        forget_game(three, 2, tmp_path / "left")
    assert (tmp_path / "left").read_text() == "mine"
    assert len(kept(three)) == 3


def test_when_it_can_not_be_removed_there_is_no_file(
    three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_GAME_TABLES", ("games", "no_such_table"))
    with pytest.raises(DataError, match="Can't change"):
        forget_game(three, 2, tmp_path / "left")
    assert not (tmp_path / "left").exists()
    assert len(kept(three)) == 3


def test_without_a_journal_none_is_made(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no journal"):
        forget_game(tmp_path, 1, tmp_path / "left")
    assert list(tmp_path.iterdir()) == []
