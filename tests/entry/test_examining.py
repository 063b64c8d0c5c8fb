"""Beside the data: an SQLite that is too old, and a door at which a house or somebody else listens already."""

import socket
from pathlib import Path

import asyncssh
import pytest

from cartino_games.package import Games
from cartino_server.entry.examining import examine_door, examine_games, examine_sqlite
from cartino_server.entry.hosting import HouseHost
from cartino_server.entry.reception import HouseReception
from cartino_server.rooms.house import House
from cartino_server.ssh.listener import ListenerConfig, listen
from cartino_server.store.hostkey import host_key
from cartino_server.store.lock import lock, note_address, noted_address
from tests.support.games import BOTS, GAMES


@pytest.mark.parametrize(("version", "wrong"), [("3.51.2", 1), ("3.9.10", 1), ("3.51.3", 0), ("3.100.0", 0)])
def test_an_sqlite_that_loses_commits_is_found(version: str, wrong: int) -> None:
    found = examine_sqlite(version)
    assert len(found) == wrong
    assert all(version in str(each.what) for each in found)


def test_a_game_that_is_broken_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert examine_games() == []
    games = Games({}, {"chess": "ImportError: no board"})
    monkeypatch.setattr("cartino_server.entry.examining.installed", lambda: games)
    (found,) = examine_games()
    assert str(found.what) == "The game chess is installed, but can't be played: ImportError: no board."


@pytest.mark.parametrize("ours", [True, False])
async def test_a_house_is_known_by_its_key(tmp_path: Path, ours: bool) -> None:
    key = host_key(tmp_path / "host_key")
    house = House(GAMES, BOTS)
    shown = key if ours else asyncssh.generate_private_key("ssh-ed25519")
    door = await listen(ListenerConfig(port=0), shown, HouseReception(HouseHost(house)))
    words, wrong = await examine_door("127.0.0.1", door.port, tmp_path)
    await door.close()
    await house.close()
    assert str(words) == f"127.0.0.1, port {door.port}, " + ("this house is open there" if ours else "taken")
    assert len(wrong) == (0 if ours else 1)


async def test_an_address_that_is_not_ours_is_found(tmp_path: Path) -> None:
    words, (wrong,) = await examine_door("192.0.2.1", 0, tmp_path)
    assert str(words).endswith("can't be had")
    assert str(wrong.what) == "192.0.2.1 is no address of this machine; choose one of its own with --host."
    assert str(wrong.do) == ""


async def test_a_server_that_runs_is_looked_for_where_it_says(tmp_path: Path) -> None:
    house = House(GAMES, BOTS)
    door = await listen(
        ListenerConfig(port=0), host_key(tmp_path / "host_key"), HouseReception(HouseHost(house))
    )
    with lock(tmp_path):
        note_address(tmp_path, "127.0.0.1", door.port)
        words, wrong = await examine_door("192.0.2.1", 0, tmp_path)
    assert (str(words), wrong) == (f"127.0.0.1, port {door.port}, this house is open there", [])
    words, wrong = await examine_door("127.0.0.1", 0, tmp_path)
    assert (str(words), wrong) == ("127.0.0.1, any port, free", []), "nobody holds the lock any more"
    await door.close()
    await house.close()


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="the system has no socket of both families")
async def test_a_server_that_is_open_to_every_address_is_found(tmp_path: Path) -> None:
    house, key = House(GAMES, BOTS), host_key(tmp_path / "host_key")
    door = await listen(ListenerConfig("::", 0), key, HouseReception(HouseHost(house)))
    with lock(tmp_path):
        note_address(tmp_path, "::", door.port)
        assert noted_address(tmp_path) == ("::", door.port)
        for asked in ("::", "0.0.0.0"):
            words, wrong = await examine_door(asked, 0, tmp_path)
            assert (str(words), wrong) == (f"::, port {door.port}, this house is open there", [])
    words, _ = await examine_door("0.0.0.0", door.port, tmp_path)
    assert str(words) == f"0.0.0.0, port {door.port}, this house is open there"
    await door.close()
    await house.close()
