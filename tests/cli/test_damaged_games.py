"""Games that make no table are found, forgotten, or resumed from their last verified move."""

import asyncio
import os
import shutil
from pathlib import Path

import apsw
import msgspec
import pytest

from cartino_games.registry import installed
from cartino_protocol.text import lazy_gettext
from cartino_server.cli.damaged_games import find_unplayable, forget_damaged
from cartino_server.cli.main import main
from cartino_server.environment import Ports
from cartino_server.store.host_key import load_host_key
from cartino_server.store.journal import OpenedJournal, open_journal
from cartino_server.store.port import DamagedGame, NewEntry
from cartino_server.table import restoring
from cartino_server.table.restoring import restore
from cartino_server.table.saving import FORMAT, JournalEntry, read_entry, write_entry
from tests.support.data import damage
from tests.support.tables import keep, table_of


def test_one_that_lost_its_code_is_named_as_the_doctor_names_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    keep(data, ("AAAA", [b"1"]))
    target = forget_damaged(data, "????-1", (DamagedGame(1, "", lazy_gettext("it is short")),))
    assert target == data / "game-1.damaged.jsonl"
    assert target.read_text() == '{"seq":1,"body":"1","base64":""}\n'


def test_no_file_is_written_over(tmp_path: Path) -> None:
    data = tmp_path / "data"
    keep(data, ("AAAA", [b"1"]))
    (data / "AAAA-1.damaged.jsonl").write_text("an older one")
    target = forget_damaged(data, "AAAA-1", (DamagedGame(1, "AAAA", lazy_gettext("it is short")),))
    assert target == data / "AAAA-1.1.damaged.jsonl"


def test_one_that_the_engine_chokes_on_is_told_without_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def choke(*_: object) -> None:
        raise KeyError("AH")

    keep(tmp_path / "data", ("AAAA", table_of(1)))
    monkeypatch.setattr(restoring, "replay", choke)
    (found,) = find_unplayable(tmp_path / "data")
    assert str(found.why).startswith("it can't be replayed (KeyError at test_damaged_games.py:")
    assert "AH" not in str(found.why)


BODIES = table_of(1)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CARTINO_PORT", "0")
    made = tmp_path / "data"
    made.mkdir(mode=0o700)
    load_host_key(made / "host_key")
    keep(made, ("AB2C", BODIES), ("CD3E", table_of(2)))
    assert main(["backup", str(tmp_path / "whole"), "--data", str(made)]) == 0
    shutil.copy(tmp_path / "whole" / "journal.db", made)
    shutil.copy(tmp_path / "whole" / "journal.heads", made)
    return made


def doctor(data: Path, *words: str) -> int:
    return main(["doctor", "--data", str(data), *words])


def opened(data: Path) -> OpenedJournal:
    async def start() -> OpenedJournal:
        found = open_journal(data, print, entries=FORMAT)
        await found.journal.close()
        return found

    return asyncio.run(start())


def said_in(body: bytes) -> list[tuple[str, str]]:
    return [(line.name, line.text) for line in read_entry(body).said]


def test_a_resumed_game_tells_its_players_and_its_record(data: Path) -> None:
    damage(data, BODIES[-3])
    assert doctor(data, "--resume", "ab2c") == 0
    left = data / "AB2C-1.damaged.jsonl"
    assert [msgspec.json.decode(line)["seq"] for line in left.read_bytes().splitlines()] == [
        *range(1, len(BODIES) + 1)
    ]
    found = opened(data)
    assert found.damaged == ()
    kept = next(game for game in found.kept if game.game == 1)
    assert list(kept.bodies[:-1]) == BODIES[:-3]
    told = "The disk was damaged. The game resumes from here; up to 3 of the next moves are lost."
    assert said_in(kept.bodies[-1]) == [("server", told)]
    assert b'"type":"note"' in b"".join(map(bytes, read_entry(kept.bodies[-1]).lines))
    table = restore(kept, installed().rules, {}, Ports())
    assert table.chat_view(spectator=False).lines[-1].text == told


@pytest.mark.parametrize("copied", [False, True])
def test_every_game_behind_a_flipped_bit_in_the_log_goes_on(
    data: Path, tmp_path: Path, copied: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    crashed = asyncio.run(with_a_log(data, tmp_path / "crashed"))
    log = crashed / "journal.db-wal"
    with log.open("r+b") as file:
        place = log.stat().st_size // 4
        [byte] = os.pread(file.fileno(), 1, place)
        os.pwrite(file.fileno(), bytes([byte ^ 1]), place)
    if copied:
        # Its heads know nothing of what is lost.
        assert main(["backup", str(tmp_path / "next"), "--data", str(crashed)]) == 0
        crashed = tmp_path / "next"
    damaged = [f"{game.code}-{game.game}" for game in opened(crashed).damaged]
    assert damaged == ["AB2C-1", "CD3E-2"]
    for name in damaged:
        capsys.readouterr()
        assert doctor(crashed, "--resume", name) == 0
        assert "up to" in capsys.readouterr().out
    assert opened(crashed).damaged == ()


async def with_a_log(data: Path, crashed: Path) -> Path:
    """A copy of the journal as a crash leaves it: with what came last in the log."""
    journal = open_journal(data, print, entries=FORMAT).journal
    for number in range(12):
        for game in (1, 2):
            body = msgspec.json.encode({"at": 1.0, "number": 500 + number})
            await journal.write([NewEntry(game, body)], 1.0)
    shutil.copytree(data, crashed)
    await journal.close()
    return crashed


def test_a_game_on_a_lost_page_goes_on_too(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = [write_entry(JournalEntry(1.0, 600 + number, kept={"p1": bytes(900)})) for number in range(40)]
    asyncio.run(write(data, more))
    path = data / "journal.db"
    page = path.read_bytes().rindex(more[20]) // 4096
    with path.open("r+b") as file:
        os.pwrite(file.fileno(), b"\xff" * 4096, page * 4096)
    found = opened(data)
    assert found.aside is not None
    damaged = [f"{game.code}-{game.game}" for game in found.damaged]
    assert "AB2C-1" in damaged
    assert [game.game for game in opened(data).damaged] == [game.game for game in found.damaged]
    for name in damaged:
        capsys.readouterr()
        assert doctor(data, "--resume", name) == 0
        assert "lost, and its players are told" in capsys.readouterr().out
    kept = {game.game: game.bodies for game in opened(data).kept}
    assert kept.keys() == {1, 2}
    assert len(BODIES) + 10 < len(kept[1]) < len(BODIES) + 30, "what lay before the lost page"


async def write(data: Path, bodies: list[bytes]) -> None:
    journal = open_journal(data, print, entries=FORMAT).journal
    await journal.write([NewEntry(1, body) for body in bodies], 1.0)
    await journal.close()


def test_one_that_came_to_its_end_is_not_reopened(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    connection = apsw.Connection(str(data / "journal.db"))
    connection.execute(
        "INSERT INTO finished (number, code, listed, body, hash) VALUES (1, 'AB2C', 1, x'', x'')"
    )
    connection.close()
    damage(data, BODIES[-1])
    assert doctor(data, "--resume", "AB2C-1") == 4
    assert "nothing was changed" in capsys.readouterr().err
