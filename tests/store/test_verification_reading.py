"""Reading beside a server that writes."""

from pathlib import Path

import pytest

from cartino_protocol.text import lazy_gettext
from cartino_server.store.data_directory import DataError
from cartino_server.store.port import DamagedGame, NewEntry, StoredGame
from cartino_server.store.verification import find_latest_game, read_game, read_games
from tests.support.journals import add, ended, opened


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
