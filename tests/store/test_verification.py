"""Every damage is found, and costs only the games that it hit."""

import os
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from cartino_protocol.text import LazyMessage, lazy_gettext, lazy_ngettext
from cartino_server.store.data_directory import DataError
from cartino_server.store.port import DamagedGame, NewEntry, StoredGame
from cartino_server.store.verification import (
    decode_reason,
    encode_reason,
    find_latest_game,
    read_game,
    read_games,
)
from tests.support.journals import add, body_of, ended, fill, opened
from tests.support.pseudo import PSEUDO, plain_words

# What stands before an entry's body: its state and its hash.
FIELDS = 32 + len("open")
# Before these, SQLite has the sizes and types of the row's columns.
TYPES = 6
FLIPS = 60


def flip(path: Path, bit: int) -> None:
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def places(path: Path, body: bytes) -> list[int]:
    """Where the body begins in the file. A row that was moved is left in its old place too."""
    return [found.start() for found in re.finditer(re.escape(body), path.read_bytes())]


def copies(source: Path, target: Path, count: int) -> Iterator[Path]:
    for number in range(count):
        copy = target / str(number)
        shutil.copytree(source, copy)
        yield copy


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    path = tmp_path / "whole"
    path.mkdir()
    return path


async def test_a_bit_in_an_entry_damages_its_game_alone(tmp_path: Path, whole: Path) -> None:
    bodies = await fill(whole, games=6, entries=25)
    rng = random.Random(1)
    for data in copies(whole, tmp_path, FLIPS):
        game, seq = rng.choice(list(bodies)), rng.randrange(25)
        path = data / "journal.db"
        body = body_of(game, seq)
        bit = rng.randrange(-FIELDS * 8, len(body) * 8)
        for start in places(path, body):
            flip(path, start * 8 + bit)
        async with opened(data) as found:
            assert [lost.game for lost in found.damaged] == [game]
            assert found.damaged[0].code == "K7QP"
            assert {kept.game: kept.bodies for kept in found.kept} == {
                other: written for other, written in bodies.items() if other != game
            }
            assert isinstance(await found.journal.load_game(game), DamagedGame)
            # The others go on, and this one takes nothing more.
            [other, *_] = [kept.game for kept in found.kept]
            await add(found.journal, other, b"more")
            with pytest.raises(ValueError, match="damaged"):
                await add(found.journal, game, b"more")
        async with opened(data) as found:
            assert [lost.game for lost in found.damaged] == [game]


@pytest.mark.soak
async def test_every_bit_in_the_types_of_an_entry_is_harmless_or_found(
    tmp_path: Path, whole: Path, long_run: bool
) -> None:
    # One bit makes text of the hash, which is no valid text.
    bodies = await fill(whole, games=2, entries=8)
    body = body_of(min(bodies), 5)
    bits = range(0, TYPES * 8, 1 if long_run else 5)
    for bit, data in zip(bits, copies(whole, tmp_path, len(bits)), strict=True):
        for start in places(data / "journal.db", body):
            flip(data / "journal.db", (start - FIELDS - TYPES) * 8 + bit)
        await require_nothing_wrong(data, bodies)


async def test_a_bit_anywhere_is_harmless_or_found(tmp_path: Path, whole: Path) -> None:
    bodies = await fill(whole, games=6, entries=25)
    rng = random.Random(11)
    refused = 0
    for data in copies(whole, tmp_path, 2 * FLIPS):
        path = data / "journal.db"
        flip(path, rng.randrange(path.stat().st_size * 8))
        refused += await require_nothing_wrong(data, bodies)
    assert refused < FLIPS


@pytest.mark.soak
async def test_a_zeroed_page_costs_the_games_on_it_alone(tmp_path: Path, whole: Path, long_run: bool) -> None:
    bodies = await fill(whole, games=8, entries=40)
    size = (whole / "journal.db").stat().st_size
    pages = range(0, size // 4096, 1 if long_run else 4)
    saved = 0
    for page, data in zip(pages, copies(whole, tmp_path, len(pages)), strict=True):
        with (data / "journal.db").open("r+b") as file:
            os.pwrite(file.fileno(), bytes(4096), page * 4096)
        saved += not await require_nothing_wrong(data, bodies)
    assert saved > len(pages) // 2


async def require_nothing_wrong(data: Path, bodies: dict[int, tuple[bytes, ...]]) -> bool:
    """Each game is whole or named, now and later; or no server starts. True where none does."""
    try:
        async with opened(data) as found:
            kept = {game.game: game.bodies for game in found.kept}
            named = {game.game for game in found.damaged}
            assert kept == {game: bodies[game] for game in kept}
            assert set(bodies) == set(kept) | named
            for game in kept:
                await add(found.journal, game, b"more")
    except DataError as error:
        return "\n" not in str(error)
    for game, written in bodies.items():
        there = read_game(data, game)
        if game in kept:
            assert there == StoredGame(game, "K7QP", (*written, b"more"))
        else:
            assert isinstance(there, DamagedGame)
    return False


async def with_a_log(data: Path) -> tuple[Path, dict[int, tuple[bytes, ...]]]:
    """A journal as a crash leaves it: nearly all in the write-ahead log."""
    place, copy = data / "live", data / "crashed"
    place.mkdir()
    async with opened(place) as found:
        games = [found.journal.number("K7QP") for _ in range(5)]
        for seq in range(12):
            for game in games if seq < 6 else games[:2]:
                await add(found.journal, game, body_of(game, seq))
        shutil.copytree(place, copy)
    return copy, {
        game: tuple(body_of(game, seq) for seq in range(12 if game in games[:2] else 6)) for game in games
    }


async def test_a_cut_log_is_found_game_by_game(tmp_path: Path) -> None:
    crashed, bodies = await with_a_log(tmp_path)
    size = (crashed / "journal.db-wal").stat().st_size
    assert size > 60 * 4096
    rng = random.Random(4)
    whole_games = set()
    for data in copies(crashed, tmp_path / "cuts", FLIPS):
        os.truncate(data / "journal.db-wal", rng.randrange(size))
        async with opened(data) as found:
            kept = {game.game: game.bodies for game in found.kept}
            assert kept == {game: bodies[game] for game in kept}
            assert {game.game for game in found.damaged} == set(bodies) - set(kept)
            assert found.damaged
            assert all(game.code == "K7QP" and "missing" in str(game.why) for game in found.damaged)
            whole_games.add(len(kept))
            assert found.journal.number("K7QP") > max(bodies)
    # Some cuts hit two games only, some hit them all.
    assert {0, 3} <= whole_games


async def test_a_bit_in_the_log_is_found(tmp_path: Path) -> None:
    crashed, bodies = await with_a_log(tmp_path)
    size = (crashed / "journal.db-wal").stat().st_size
    rng = random.Random(5)
    for data in copies(crashed, tmp_path / "flips", FLIPS):
        flip(data / "journal.db-wal", rng.randrange(size * 8))
        async with opened(data) as found:
            kept = {game.game: game.bodies for game in found.kept}
            assert kept == {game: bodies[game] for game in kept}
            assert {game.game for game in found.damaged} == set(bodies) - set(kept)


async def test_games_are_read_while_a_server_writes(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        first, running, last = (journal.number("K7QP") for _ in range(3))
        await add(journal, running, b"on")
        for game in (last, first):
            await journal.write([NewEntry(game, b"x"), NewEntry(game, b"end", "closed", ended())], 0.0)
        assert list(read_games(tmp_path)) == [
            StoredGame(game, "K7QP", (b"x", b"end")) for game in (first, last)
        ]
        assert read_game(tmp_path, running) == StoredGame(running, "K7QP", (b"on",))
        assert read_game(tmp_path, 99) is None
        assert find_latest_game(tmp_path, "K7QP") == last
        assert find_latest_game(tmp_path, "ABCD") is None
        await add(journal, running, b"and on")
        assert read_game(tmp_path, running) == StoredGame(running, "K7QP", (b"on", b"and on"))
    # And when none runs.
    assert find_latest_game(tmp_path, "K7QP") == last


async def test_a_damaged_game_is_named(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        game = found.journal.number("K7QP")
        await found.journal.write([NewEntry(game, b"unmistakable", "closed", ended())], 0.0)
    content = (tmp_path / "journal.db").read_bytes()
    (tmp_path / "journal.db").write_bytes(content.replace(b"unmistakable", b"unmistakAble"))
    damaged = DamagedGame(game, "K7QP", lazy_gettext("entry {seq} was altered", seq=1))
    assert read_game(tmp_path, game) == damaged
    assert list(read_games(tmp_path)) == [damaged]


def test_what_can_not_be_read_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no journal"):
        read_game(tmp_path, 1)
    (tmp_path / "journal.db").write_bytes(b"")
    with pytest.raises(DataError, match="Start the server once"):
        find_latest_game(tmp_path, "K7QP")
    (tmp_path / "journal.db").write_bytes(b"Dear diary, " * 1000)
    with pytest.raises(DataError, match=f"run cartino doctor --data {tmp_path}"):
        list(read_games(tmp_path))


@pytest.mark.parametrize(
    "why",
    [
        lazy_gettext("all of it is missing"),
        lazy_gettext("entry {seq} is missing", seq=3),
        lazy_ngettext("its last entry is missing", "its last {n} entries are missing", 2),
    ],
)
def test_a_reason_is_read_as_it_was_written_and_is_told_in_the_readers_language(why: LazyMessage) -> None:
    read = decode_reason(encode_reason(why).encode())
    assert read == why
    assert plain_words(PSEUDO.render(read)) == []


@pytest.mark.parametrize(
    "written",
    [
        b"all of it is missing",
        b"",
        b"{",
        b"[1]",
        b'{"text":"{seq} is","places":{"other":1}}',
        b'{"text":"{","places":{"other":1}}',
        b'{"text":"{0}","places":{"other":1}}',
        b'{"text":"{a.b}","places":{"a":1}}',
        b'{"text":"{a:d}","places":{"a":[]}}',
    ],
)
def test_what_is_no_sentence_stands_there_as_it_is(written: bytes) -> None:
    assert decode_reason(written) == LazyMessage(written.decode())
    assert str(decode_reason(b"\xff\xfe {")) == "�� {"
