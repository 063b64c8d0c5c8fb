"""What people have chosen outlives the server, and nothing is served that was damaged."""

import os
from pathlib import Path

import apsw
import pytest

from cartino_server.store import ledger
from cartino_server.store.backup import backup
from cartino_server.store.hostkey import host_key
from cartino_server.store.port import Guest
from tests.support.journals import body_of, fill, opened


async def test_they_are_there_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        await found.journal.keep_settings("p1", b"one")
        await found.journal.keep_settings("p2", b"two")
        await found.journal.keep_settings("p1", b"three")
        assert await found.journal.settings("p1") == b"three"
    async with opened(tmp_path) as found:
        assert await found.journal.settings("p1") == b"three"
        assert await found.journal.settings("p2") == b"two"
        assert await found.journal.settings("p3") == b""
        await found.journal.keep_settings("p1", b"")
        assert await found.journal.settings("p1") == b""


async def test_a_guests_go_with_the_guests_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "MOST_GUESTS", 2)
    async with opened(tmp_path) as found:
        for number in range(3):
            person = f"p{number}"
            await found.journal.give_word(f"word {number}", Guest(person, "Ann"))
            await found.journal.keep_settings(person, person.encode())
        assert [await found.journal.settings(f"p{number}") for number in range(3)] == [b"", b"p1", b"p2"]
        assert await found.journal.take_word("word 2", "fresh") is not None
        assert await found.journal.settings("p2") == b"p2"


async def test_those_that_were_changed_longest_ago_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "MOST_SETTINGS", 2)
    async with opened(tmp_path) as found:
        for person in ("p1", "p2", "p1", "p3"):
            await found.journal.keep_settings(person, b"x")
        assert await found.journal.settings("p2") == b""
        assert await found.journal.settings("p1") == await found.journal.settings("p3") == b"x"


@pytest.mark.parametrize("change", ["body = x'00'", "hash = x'00'", "person = 'p2'", "body = 'one'"])
async def test_what_is_not_as_it_was_written_is_nothing(tmp_path: Path, change: str) -> None:
    async with opened(tmp_path) as found:
        await found.journal.keep_settings("p1", b"one")
    connection = apsw.Connection(str(tmp_path / "journal.db"))
    connection.execute(f"UPDATE settings SET {change}")
    connection.close()
    async with opened(tmp_path) as found:
        assert await found.journal.settings("p1") == b""
        assert await found.journal.settings("p2") == b""


async def test_a_copy_has_them(tmp_path: Path) -> None:
    data = tmp_path / "one"
    data.mkdir()
    host_key(data / "host_key")
    async with opened(data) as found:
        await found.journal.keep_settings("p1", b"one")
        backup(data, tmp_path / "two")
    async with opened(tmp_path / "two") as found:
        assert await found.journal.settings("p1") == b"one"


async def test_they_are_saved_out_of_a_damaged_file(tmp_path: Path) -> None:
    await fill(tmp_path, games=8, entries=40)
    async with opened(tmp_path) as found:
        await found.journal.keep_settings("p7", b"seven")
    path = tmp_path / "journal.db"
    page = path.read_bytes().index(body_of(4, 20)) // 4096
    with path.open("r+b") as file:
        os.pwrite(file.fileno(), bytes(4096), page * 4096)
    async with opened(tmp_path) as found:
        assert found.aside is not None
        assert await found.journal.settings("p7") == b"seven"
