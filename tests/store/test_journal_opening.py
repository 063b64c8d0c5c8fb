"""A start on what is there: on all that a journal can be, and on what is none."""

import os
from pathlib import Path

import apsw
import pytest

from cartino_server.store.data_directory import DataError
from cartino_server.store.database import journal_id
from cartino_server.store.hash_chain import ChainHead, HeadFile, read_heads
from cartino_server.store.journal import open_journal
from cartino_server.store.migrations import JOURNAL_MIGRATIONS, SUSPECT_FILE
from cartino_server.store.port import JournalClosed, StoredGame
from cartino_server.store.queries import GameRow, game_row
from cartino_server.store.repair.backup import create_backup
from cartino_server.store.repair.doctor import check_data
from tests.support.disk import Disk
from tests.support.journals import add, body_of, fill, opened


def never(why: str) -> None:
    raise AssertionError(why)


def flip(data: Path, text: bytes) -> None:
    """Flip a bit of `text` wherever it stands in the database."""
    path = data / "journal.db"
    path.write_bytes(path.read_bytes().replace(text, bytes([text[0] ^ 1]) + text[1:]))


def refusal(data: Path) -> str:
    # What a connection makes for itself says nothing.
    before = {
        path.name: path.read_bytes() for path in data.iterdir() if path.suffix != ".db-shm" and path.is_file()
    }
    with pytest.raises(DataError) as caught:
        open_journal(data, never)
    assert "\n" not in str(caught.value)
    assert {name: (data / name).read_bytes() for name in before} == before
    return str(caught.value)


async def test_a_file_that_is_no_database_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"Dear diary, " * 1000)
    assert f"isn't a database. Run cartino restore COPY --data {tmp_path}," in refusal(tmp_path)


async def test_a_journal_of_a_newer_cartino_is_told(tmp_path: Path) -> None:
    await fill(tmp_path, games=1, entries=1)
    connection = apsw.Connection(str(tmp_path / "journal.db"))
    connection.pragma("user_version", len(JOURNAL_MIGRATIONS) + 1)
    connection.close()
    assert "Start the newer Cartino" in refusal(tmp_path)


async def test_entries_of_a_newer_server_are_told_before_any_game_is_called_damaged(tmp_path: Path) -> None:
    bodies = await fill(tmp_path, games=2, entries=1)
    await open_journal(tmp_path, never, entries=3).journal.close()
    flip(tmp_path, body_of(1, 0))
    said = refusal(tmp_path)
    assert "have format 3, but this Cartino reads at most 1. Start the newer Cartino" in said
    assert not list(tmp_path.glob("*.damaged-*"))
    again = open_journal(tmp_path, never, entries=3)
    await again.journal.close()
    assert {game.game: game.bodies for game in again.kept} == {2: bodies[2]}


async def test_the_format_of_the_entries_comes_through_a_salvage_and_into_a_copy(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    await fill(data, games=1, entries=1)
    await open_journal(data, never, entries=2).journal.close()
    create_backup(data, tmp_path / "copy")
    connection = apsw.Connection(str(data / "journal.db"))
    connection.execute("DROP INDEX finished_code")
    connection.close()
    opened_again = open_journal(data, never, entries=2)
    await opened_again.journal.close()
    assert opened_again.aside is not None
    for place in (data, tmp_path / "copy"):
        assert "have format 2" in refusal(place)


async def test_a_journal_that_has_gone_is_not_silently_begun_anew(tmp_path: Path) -> None:
    await fill(tmp_path, games=1, entries=1)
    os.truncate(tmp_path / "journal.db", 0)
    assert "empty or missing, although it held games" in refusal(tmp_path)
    (tmp_path / "journal.db").unlink()
    assert "move journal.heads away as well" in refusal(tmp_path)
    assert not (tmp_path / "journal.db").exists()
    (tmp_path / "journal.heads").unlink()
    async with opened(tmp_path) as found:
        assert found.kept == ()


async def test_a_directory_in_its_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "journal.db").mkdir()
    assert "Can't read or create the journal" in refusal(tmp_path)


async def test_tables_that_are_none_of_a_journal_are_told(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "journal.db"))
    connection.pragma("journal_mode", "wal")
    connection.execute("CREATE TABLE recipes (name)")
    connection.pragma("user_version", len(JOURNAL_MIGRATIONS))
    connection.close()
    assert "can't be read" in refusal(tmp_path)


async def test_without_its_heads_a_journal_is_proved_and_makes_new_ones(tmp_path: Path) -> None:
    bodies = await fill(tmp_path, games=3)
    (tmp_path / "journal.heads").unlink()
    async with opened(tmp_path) as found:
        assert {game.game: game.bodies for game in found.kept} == bodies
    connection = apsw.Connection(str(tmp_path / "journal.db"))
    connection.execute("DELETE FROM games WHERE number = 2")
    connection.close()
    async with opened(tmp_path) as found:
        assert [(game.game, game.code, str(game.why)) for game in found.damaged] == [
            (2, "K7QP", "all of it is missing")
        ]


async def test_a_slot_that_the_power_cut_left_behind_is_no_damage(tmp_path: Path) -> None:
    bodies = await fill(tmp_path, games=2, entries=5)
    old = (tmp_path / "journal.heads").read_bytes()
    async with opened(tmp_path) as found:
        await add(found.journal, 1, b"more")
        await add(found.journal, 2, b"end", state="closed")
    (tmp_path / "journal.heads").write_bytes(old)
    async with opened(tmp_path) as found:
        assert found.damaged == ()
        assert found.kept == (StoredGame(1, "K7QP", (*bodies[1], b"more")),)
    assert (tmp_path / "journal.heads").read_bytes() != old


async def test_a_closed_game_without_its_tail_is_named(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        game = found.journal.number("K7QP")
        await add(found.journal, game, b"one", b"end", state="closed")
    connection = apsw.Connection(str(tmp_path / "journal.db"))
    heads = HeadFile(tmp_path / "journal.heads", journal_id(connection))
    heads.put(game, "K7QP", ChainHead(4, bytes(32)))
    heads.close()
    connection.close()
    async with opened(tmp_path) as found:
        assert [str(lost.why) for lost in found.damaged] == ["its last 2 entries are missing"]
        assert await found.journal.load_game(game) == found.damaged[0]


@pytest.mark.parametrize("slots", ["all", "fewer"])
async def test_what_has_gone_whole_is_named(tmp_path: Path, slots: str) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        over, running, kept, newest = (journal.number("K7QP") for _ in range(4))
        await add(journal, running, b"x")
        await add(journal, kept, b"y")
        for game in (over, newest):
            await add(journal, game, b"end", state="closed")
    connection = apsw.Connection(str(tmp_path / "journal.db"))
    connection.execute("DELETE FROM games WHERE number <> ?", (kept,))
    connection.close()
    if slots == "fewer":
        # Three of them never came to the disk, so that they can't be told apart by counting.
        with (tmp_path / "journal.heads").open("r+b") as file:
            for game in (over, running, kept):
                os.pwrite(file.fileno(), bytes(32), game * 32)
    gone = [newest] if slots == "fewer" else [over, running, newest]
    async with opened(tmp_path) as found:
        assert [(game.game, str(game.why)) for game in found.damaged] == [
            (game, "all of it is missing") for game in gone
        ]
        assert found.kept == (StoredGame(kept, "K7QP", (b"y",)),)
        assert found.journal.number("K7QP") > newest
    assert [game.game for game in check_data(tmp_path).damaged] == gone


async def test_no_start_reads_what_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        games = [journal.number("K7QP") for _ in range(20)]
        for game in games:
            await add(journal, game, b"x", state="open" if game in games[7:9] else "closed")
    looked: list[int] = []

    def look(connection: apsw.Connection, number: int) -> GameRow | None:
        looked.append(number)
        return game_row(connection, number)

    monkeypatch.setattr("cartino_server.store.queries.game_row", look)
    async with opened(tmp_path) as found:
        assert [game.game for game in found.kept] == games[7:9]
    assert looked == games[7:9]


async def test_a_slot_that_says_open_of_what_is_over_is_put_right(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        game = found.journal.number("K7QP")
        await add(found.journal, game, b"one")
        before = (tmp_path / "journal.heads").read_bytes()
        await add(found.journal, game, b"end", state="closed")
    (tmp_path / "journal.heads").write_bytes(before)
    async with opened(tmp_path) as found:
        assert (found.kept, found.damaged) == ((), ())
    assert list(read_heads(tmp_path / "journal.heads", None).slots(open_only=True)) == []


async def test_a_renewal_that_has_no_room_says_so(tmp_path: Path) -> None:
    await fill(tmp_path, games=1, entries=1)
    disk = Disk("no-room-to-renew")
    disk.full = True
    with pytest.raises(DataError, match="enough disk space"):
        open_journal(tmp_path, never, entries=2, vfs=disk.name)
    disk.full = False
    await open_journal(tmp_path, never, entries=2, vfs=disk.name).journal.close()


async def test_the_time_comes_from_whichever_copy_holds(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        await found.journal.write((), 42.0)
    connection = apsw.Connection(str(tmp_path / "journal.db"))
    connection.execute("UPDATE meta SET value = zeroblob(12) WHERE key = 'time'")
    connection.close()
    async with opened(tmp_path) as found:
        assert found.time == 42.0
        await found.journal.write((), 43.0)
    (tmp_path / "journal.heads").unlink()
    async with opened(tmp_path) as found:
        assert found.time == 43.0


async def test_after_a_damaged_page_the_next_start_looks_at_all_of_them(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        over, running = journal.number("K7QP"), journal.number("ABCD")
        await add(journal, over, *(body_of(over, seq) for seq in range(60)), state="closed")
        await add(journal, running, b"x")
    path = tmp_path / "journal.db"
    page = path.read_bytes().index(body_of(over, 30)) // 4096
    with path.open("r+b") as file:
        os.pwrite(file.fileno(), b"\xff" * 4096, page * 4096)
    deaths: list[str] = []
    # No start proves what is over; whoever asks for it finds the damage.
    journal = open_journal(tmp_path, deaths.append).journal
    with pytest.raises(JournalClosed, match="malformed"):
        await journal.load_game(over)
    await journal.close()
    assert len(deaths) == 1
    assert (tmp_path / SUSPECT_FILE).exists()
    async with opened(tmp_path) as found:
        assert found.aside is not None
        assert [(game.game, game.code) for game in found.damaged] == [(over, "K7QP")]
        assert found.kept == (StoredGame(running, "ABCD", (b"x",)),)
        assert await found.journal.load_game(over) == found.damaged[0]
    assert not (tmp_path / SUSPECT_FILE).exists()


async def test_a_damaged_index_is_made_anew(tmp_path: Path) -> None:
    bodies = await fill(tmp_path, games=2, entries=5)
    connection = apsw.Connection(str(tmp_path / "journal.db"))
    root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'finished_code'").get
    connection.close()
    assert isinstance(root, int)
    with (tmp_path / "journal.db").open("r+b") as file:
        os.pwrite(file.fileno(), b"\xff" * 4096, (root - 1) * 4096)
    # No start looks at the lists of what is over; whoever asks for one finds the damage.
    deaths: list[str] = []
    journal = open_journal(tmp_path, deaths.append).journal
    with pytest.raises(JournalClosed, match="malformed"):
        await journal.latest("K7QP")
    with pytest.raises(JournalClosed):
        await add(journal, 1, b"more")
    await journal.close()
    assert len(deaths) == 1
    async with opened(tmp_path) as found:
        assert found.aside is not None
        assert {game.game: game.bodies for game in found.kept} == bodies
        assert await found.journal.latest("K7QP") is None


async def test_a_full_disk_is_no_reason_not_to_start(tmp_path: Path) -> None:
    bodies = await fill(tmp_path, games=2, entries=5)
    disk = Disk("full-at-start")
    disk.full = True
    async with opened(tmp_path, disk.name) as found:
        assert {game.game: game.bodies for game in found.kept} == bodies
