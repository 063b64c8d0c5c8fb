"""What people have chosen outlives the server, and nothing is served that was damaged."""

import os
from pathlib import Path

import apsw
import pytest

from cartino_server.store import personal_data
from cartino_server.store.host_key import load_host_key
from cartino_server.store.journal import DiskJournal
from cartino_server.store.port import GameScores, Guest, NewEntry, SeatScore
from cartino_server.store.repair.backup import create_backup
from tests.support.journals import body_of, ended, fill, opened


async def play(journal: DiskJournal, *persons: str) -> None:
    """They have played a game to its end, and it was summed up."""
    number = journal.number("K7QP")
    await journal.write([NewEntry(number, b"all", "closed", ended())], 0.0)
    [due] = await journal.due(9)
    scores = [SeatScore(person, person, 0, 1, {}, None) for person in persons]
    await journal.tally([GameScores(due.place, number, "cartino", {}, True, tuple(scores))])


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
    monkeypatch.setattr(personal_data, "MAX_GUESTS", 2)
    monkeypatch.setattr(personal_data, "TRIM_BATCH", 1)
    async with opened(tmp_path) as found:
        for number in range(3):
            person = f"p{number}"
            await found.journal.store_resume_code(f"word {number}", Guest(person, "Ann"))
            await found.journal.keep_settings(person, person.encode())
        assert [await found.journal.settings(f"p{number}") for number in range(3)] == [b"", b"p1", b"p2"]
        assert await found.journal.redeem_resume_code("word 2", "fresh") is not None
        assert await found.journal.settings("p2") == b"p2"


async def test_those_that_were_changed_longest_ago_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(personal_data, "MAX_SETTINGS", 2)
    monkeypatch.setattr(personal_data, "TRIM_BATCH", 1)
    async with opened(tmp_path) as found:
        for person in ("p1", "p2", "p1", "p3"):
            await found.journal.keep_settings(person, b"x")
        assert await found.journal.settings("p2") == b""
        assert await found.journal.settings("p1") == await found.journal.settings("p3") == b"x"


async def test_strangers_push_out_no_settings_of_people_who_have_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(personal_data, "MAX_SETTINGS", 3)
    monkeypatch.setattr(personal_data, "TRIM_BATCH", 1)
    async with opened(tmp_path) as found:
        await play(found.journal, "ann", "bob", "cy", "joe")
        for person in ("ann", "bob", *(f"stranger {number}" for number in range(5))):
            await found.journal.keep_settings(person, b"x")
        kept = ("ann", "bob", "stranger 4")
        assert [await found.journal.settings(person) for person in kept] == [b"x"] * 3
        for person in ("cy", "joe"):
            await found.journal.keep_settings(person, b"x")
        known = ("bob", "cy", "joe")
        assert [await found.journal.settings(person) for person in known] == [b"x"] * 3
        assert await found.journal.settings("ann") == b""


async def test_strangers_push_out_no_word_of_a_guest_who_has_a_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(personal_data, "MAX_GUESTS", 2)
    monkeypatch.setattr(personal_data, "TRIM_BATCH", 1)
    async with opened(tmp_path) as found:
        for number in range(6):
            await found.journal.store_resume_code(f"word {number}", Guest(f"p{number}", "Ann"), {"p0", "p1"})
        back = [
            await found.journal.redeem_resume_code(f"word {number}", f"next {number}") for number in range(6)
        ]
        assert [guest is not None for guest in back] == [True, True, False, False, False, True]


async def test_more_than_the_most_are_dropped_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(personal_data, "MAX_GUESTS", 10)
    async with opened(tmp_path) as found:
        for number in range(1, personal_data.TRIM_BATCH + 1):
            await found.journal.store_resume_code(f"word {number}", Guest(f"p{number}", "Ann"))
        back = [
            await found.journal.redeem_resume_code(f"word {number}", f"next {number}")
            for number in (1, 90, 91, 100)
        ]
        assert [guest is not None for guest in back] == [False, False, True, True]


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
    load_host_key(data / "host_key")
    async with opened(data) as found:
        await found.journal.keep_settings("p1", b"one")
        create_backup(data, tmp_path / "two")
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
