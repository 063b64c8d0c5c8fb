"""A salvage that is cut short leaves the damaged journal, and the next start does it all."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from cartino_server.store.data_directory import DataError
from cartino_server.store.journal import open_journal
from cartino_server.store.port import Guest, NewEntry
from tests.support.journals import body_of, change, ended, fill, opened, overwrite_page


class Cut(BaseException):
    """The process ends here."""


async def damaged(data: Path) -> dict[int, tuple[bytes, ...]]:
    """A journal of eight games of which a page is gone."""
    bodies = await fill(data, games=8, entries=40)
    async with opened(data) as found:
        await found.journal.store_resume_code("first", Guest("p1", "Ann"))
        await found.journal.redeem_resume_code("first", "word")
        await found.journal.note_expired(("p1",), "QP7K")
    overwrite_page(data, body_of(4, 20), bytes(1))
    return bodies


async def require_saved(data: Path, bodies: dict[int, tuple[bytes, ...]]) -> None:
    async with opened(data) as found:
        kept = {game.game: game.bodies for game in found.kept}
        assert kept == {game: bodies[game] for game in kept}
        assert set(kept) | {game.game for game in found.damaged} == set(bodies)
        assert 1 <= len(found.damaged) <= 2
        assert await found.journal.redeem_resume_code("word", "fresh") == Guest("p1", "Ann")
        assert await found.journal.expired("p1") == ("QP7K",)


async def test_what_is_proved_comes_over_and_the_old_file_stays(tmp_path: Path) -> None:
    bodies = await damaged(tmp_path)
    before = (tmp_path / "journal.db").read_bytes()
    await require_saved(tmp_path, bodies)
    [aside] = tmp_path.glob("journal.db.damaged-*")
    assert aside.read_bytes() == before
    assert aside.stat().st_mode & 0o777 == 0o600
    assert not list(tmp_path.glob("*.new*"))


@pytest.mark.parametrize("step", ["link", "replace", "unlink"])
async def test_a_crash_in_the_middle_loses_nothing(
    tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    bodies = await damaged(whole)
    calls = 0
    for crash in range(20):
        data = tmp_path / str(crash)
        shutil.copytree(whole, data)
        real, calls = getattr(os, step), 0

        def cut(*arguments: object, real: Callable[..., object] = real, last: int = crash) -> None:
            nonlocal calls
            calls += 1
            if calls > last:
                raise Cut
            real(*arguments)

        with monkeypatch.context() as patch:
            patch.setattr(f"os.{step}", cut)
            try:
                await open_journal(data, print).journal.close()
            except Cut:
                pass
            else:
                break
        await require_saved(data, bodies)
    assert calls > 0


@pytest.mark.parametrize("readable", [True, False])
async def test_games_stay_due_in_the_order_in_which_they_ended(tmp_path: Path, readable: bool) -> None:
    # The clock of the machine was set in between.
    ends = {2: "2026-01-02T00:00:00Z", 3: "2026-01-01T00:00:00Z", 1: "2026-01-03T00:00:00Z"}
    async with opened(tmp_path) as found:
        for _ in ends:
            found.journal.number("K7QP")
        for number, at in ends.items():
            ending = msgspec.structs.replace(ended(), ended=at)
            await found.journal.write([NewEntry(number, b"", "closed", ending)], 0.0)
    change(tmp_path, "CREATE TABLE junk (x)" if readable else "DROP TABLE tally")
    async with opened(tmp_path) as found:
        assert found.aside is not None
        assert [due.number for due in await found.journal.due(9)] == ([2, 3, 1] if readable else [3, 2, 1])


async def journal_of_all_kinds(data: Path) -> dict[int, tuple[bytes, ...]]:
    """Open and finished games, a guest, settings."""
    bodies = await fill(data, games=6, entries=30)
    async with opened(data) as found:
        await found.journal.store_resume_code("first", Guest("p1", "Ann"))
        await found.journal.redeem_resume_code("first", "word")
        await found.journal.keep_settings("p2", b"dark")
        await found.journal.note_expired(("p1", "p2"), "QP7K")
        await found.journal.write([NewEntry(6, b"end", "closed", ended())], 70.0)
    return bodies


def first_page_of(start: bytes) -> Callable[[bytes], bytes]:
    """Write `start` over the beginning of a file."""
    return lambda content: start + content[len(start) :]


def renamed(content: bytes) -> bytes:
    """Have a table that nobody knows."""
    return content.replace(b"CREATE TABLE entries", b"CREATE TABLE entriez")


def led_astray(content: bytes) -> bytes:
    """Flip one bit in the number of the page where the entries begin, which stands in front of the statement."""
    place = content.index(b"CREATE TABLE entries") - 1
    there = content[place : place + 20]
    return content.replace(there, bytes([there[0] ^ 8]) + there[1:])


def spoil(data: Path, how: Callable[[bytes], bytes]) -> bytes:
    """Damage the journal; what is in the file then."""
    path = data / "journal.db"
    before = path.read_bytes()
    path.write_bytes(how(before))
    assert path.read_bytes() != before
    return path.read_bytes()


@pytest.mark.parametrize(
    "how",
    [
        first_page_of(bytes(4096)),
        first_page_of(b"\xff" * 4096),
        first_page_of(b"no database"),
        renamed,
        led_astray,
    ],
)
async def test_a_lost_first_page_costs_no_game(tmp_path: Path, how: Callable[[bytes], bytes]) -> None:
    bodies = await journal_of_all_kinds(tmp_path)
    before = spoil(tmp_path, how)
    async with opened(tmp_path) as found:
        assert found.damaged == ()
        assert found.time == 70.0
        assert found.aside is not None
        assert found.aside.read_bytes() == before
        assert {game.game: game.bodies for game in found.kept} == {n: bodies[n] for n in range(1, 6)}
        assert await found.journal.latest("K7QP") == 6
        assert await found.journal.redeem_resume_code("word", "fresh") == Guest("p1", "Ann")
        assert await found.journal.expired("p1") == ("QP7K",)
        assert await found.journal.settings("p2") == b"dark"
    left = {path.name for path in tmp_path.iterdir() if not path.name.endswith(("-wal", "-shm"))}
    assert left == {"journal.db", "journal.heads", "journal.schema", found.aside.name}


async def test_what_only_the_log_has_comes_through_with_it(tmp_path: Path) -> None:
    crashed = tmp_path / "crashed"
    data = tmp_path / "data"
    data.mkdir()
    bodies = await journal_of_all_kinds(data)
    async with opened(data) as found:
        await found.journal.write([NewEntry(1, b"more")], 80.0)
        shutil.copytree(data, crashed)
    assert (crashed / "journal.db-wal").stat().st_size
    spoil(crashed, first_page_of(bytes(4096)))
    async with opened(crashed) as found:
        assert found.damaged == ()
        assert next(game for game in found.kept if game.game == 1).bodies == (*bodies[1], b"more")


async def test_tables_of_which_nothing_can_be_read_stop_the_start(tmp_path: Path) -> None:
    await fill(tmp_path, games=1)
    path = tmp_path / "journal.db"
    before = spoil(tmp_path, lambda content: bytes(4096) + content[4096:].replace(b"\x0d", b"\x01"))
    with pytest.raises(DataError, match="Run cartino restore COPY --data "):
        open_journal(tmp_path, print)
    assert path.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {
        *("journal.db", "journal.db-shm", "journal.db-wal", "journal.heads", "journal.schema")
    }


@pytest.mark.parametrize("schema", [None, b"", b"[]", b'[["games", "x"]]'])
async def test_without_a_saved_schema_a_lost_first_page_stops_the_start(
    tmp_path: Path, schema: bytes | None
) -> None:
    await fill(tmp_path, games=1)
    before = spoil(tmp_path, first_page_of(bytes(4096)))
    (tmp_path / "journal.schema").unlink()
    if schema is not None:
        (tmp_path / "journal.schema").write_bytes(schema)
    with pytest.raises(DataError, match=r"isn't a database\. Run cartino restore COPY --data "):
        open_journal(tmp_path, print)
    assert (tmp_path / "journal.db").read_bytes() == before
