"""`cartino doctor`: what it finds and does, mostly in the scripts of `doctor.txt`."""

import os
import socket
from collections.abc import Sequence
from pathlib import Path

import asyncssh
import pytest

from cartino_games.package import Games
from cartino_server.app.command_handler import LocalBackend
from cartino_server.app.requests import ServerRequestHandler
from cartino_server.cli.doctor import check_games, check_port, check_sqlite
from cartino_server.cli.main import main
from cartino_server.server import Server
from cartino_server.ssh.listener import ListenerConfig
from cartino_server.store.data_directory import lock_directory, read_server_address, write_server_address
from cartino_server.store.host_key import load_host_key
from tests.support.cartino import random_record
from tests.support.cli_script import run_cli_script
from tests.support.data import make_data
from tests.support.games import BOTS, GAMES
from tests.support.open_gate import listen
from tests.support.script import scripts_in
from tests.support.tables import keep, table_of

RECORD = random_record(0)


@pytest.mark.parametrize("script", scripts_in(Path(__file__).with_name("doctor.txt")))
def test_script(
    script: Sequence[str], tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CARTINO_PORT", "0")
    run_cli_script(script, tmp_path, capfd)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CARTINO_PORT", "0")
    made = make_data(tmp_path / "data", [("K7QP", RECORD)])
    keep(made, ("AB2C", table_of(1)))
    return made


def doctor(data: Path, *words: str) -> int:
    return main(["doctor", "--data", str(data), *words])


def test_a_door_that_another_program_has_is_found(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setenv("CARTINO_PORT", str(taken.getsockname()[1]))
        monkeypatch.setattr("cartino_server.cli.doctor.HOST_KEY_SECONDS", 0.05)
        assert doctor(data) == 1
    out = capsys.readouterr().out
    assert ", not available" in out
    assert "stop it, or choose another port with --port." in out


def test_looking_changes_nothing(data: Path) -> None:
    before = {path.name: path.read_bytes() for path in data.iterdir()}
    doctor(data)
    after = {path.name: path.read_bytes() for path in data.iterdir()}
    for name in ("journal.db", "journal.heads", "host_key"):
        assert after[name] == before[name]


@pytest.mark.parametrize("file", ["journal.db", "journal.heads", "people.db", "host_key", "lock"])
@pytest.mark.parametrize("kind", ["pipe", "/dev/zero", "directory"])
def test_what_is_no_file_in_the_directory_is_told_and_waited_for_by_nobody(
    data: Path, capsys: pytest.CaptureFixture[str], file: str, kind: str
) -> None:
    (data / file).unlink(missing_ok=True)
    match kind:
        case "pipe":
            os.mkfifo(data / file)
        case "directory":
            (data / file).mkdir()
        case _:
            (data / file).symlink_to(kind)
    assert doctor(data) == (0 if file == "lock" else 1)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("version", "wrong"), [("3.51.2", 1), ("3.9.10", 1), ("3.51.3", 0), ("3.100.0", 0)])
def test_an_sqlite_that_loses_commits_is_found(version: str, wrong: int) -> None:
    found = check_sqlite(version)
    assert len(found) == wrong
    assert all(version in str(each.what) for each in found)


def test_a_game_that_is_broken_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_games() == []
    games = Games({}, {"chess": "ImportError: no board"})
    monkeypatch.setattr("cartino_server.cli.doctor.installed", lambda: games)
    (found,) = check_games()
    assert str(found.what) == "The game chess is installed but can't be played: ImportError: no board."


@pytest.mark.parametrize("ours", [True, False])
async def test_a_server_is_known_by_its_key(tmp_path: Path, ours: bool) -> None:
    key = load_host_key(tmp_path / "host_key")
    server = Server(GAMES, BOTS)
    shown = key if ours else asyncssh.generate_private_key("ssh-ed25519")
    listener = await listen(ListenerConfig(port=0), shown, ServerRequestHandler(LocalBackend(server)))
    words, wrong = await check_port("127.0.0.1", listener.port, tmp_path)
    await listener.close()
    await server.close()
    assert str(words) == f"127.0.0.1, port {listener.port}, " + (
        "this server is listening" if ours else "taken"
    )
    assert len(wrong) == (0 if ours else 1)


async def test_an_address_that_is_not_ours_is_found(tmp_path: Path) -> None:
    words, (wrong,) = await check_port("192.0.2.1", 0, tmp_path)
    assert str(words).endswith(", not available")
    assert str(wrong.what) == "192.0.2.1 isn't an address of this machine; set --host to one that is."
    assert str(wrong.do) == ""


async def test_a_server_that_runs_is_looked_for_where_it_says(tmp_path: Path) -> None:
    server = Server(GAMES, BOTS)
    listener = await listen(
        ListenerConfig(port=0),
        load_host_key(tmp_path / "host_key"),
        ServerRequestHandler(LocalBackend(server)),
    )
    with lock_directory(tmp_path):
        write_server_address(tmp_path, "127.0.0.1", listener.port)
        words, wrong = await check_port("192.0.2.1", 0, tmp_path)
    assert (str(words), wrong) == (f"127.0.0.1, port {listener.port}, this server is listening", [])
    words, wrong = await check_port("127.0.0.1", 0, tmp_path)
    assert (str(words), wrong) == ("127.0.0.1, any port, free", []), "nobody holds the lock any more"
    await listener.close()
    await server.close()


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="the system has no socket of both families")
async def test_a_server_that_is_open_to_every_address_is_found(tmp_path: Path) -> None:
    server, key = Server(GAMES, BOTS), load_host_key(tmp_path / "host_key")
    listener = await listen(ListenerConfig("::", 0), key, ServerRequestHandler(LocalBackend(server)))
    with lock_directory(tmp_path):
        write_server_address(tmp_path, "::", listener.port)
        assert read_server_address(tmp_path) == ("::", listener.port)
        for asked in ("::", "0.0.0.0"):
            words, wrong = await check_port(asked, 0, tmp_path)
            assert (str(words), wrong) == (f"::, port {listener.port}, this server is listening", [])
    words, _ = await check_port("0.0.0.0", listener.port, tmp_path)
    assert str(words) == f"0.0.0.0, port {listener.port}, this server is listening"
    await listener.close()
    await server.close()
