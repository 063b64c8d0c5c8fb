"""What `cartino doctor` looks at beside the data: the games, SQLite, and who listens where the door would be."""

import asyncio
from pathlib import Path
from typing import Final

import asyncssh

from cartino_games.registry import installed
from cartino_protocol.marking import Sentence, later
from cartino_server.entry.arguments import cant_be_played
from cartino_server.ssh.listener import ListenError, listen_address, open_sockets
from cartino_server.store.checking import Finding
from cartino_server.store.datadir import DataError
from cartino_server.store.hostkey import read_host_key
from cartino_server.store.lock import is_locked, noted_address

OLDEST_SQLITE: Final = (3, 51, 3)
"""Before it, resetting the write-ahead log could lose what was in it."""
PATIENCE: Final = 5.0
"""Seconds that whoever listens has to show a host key."""
EVERYWHERE: Final = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}
"""Where to knock at a door that is open on every address."""


def examine_games() -> list[Finding]:
    """What is wrong with the installed games."""
    mend = later(
        "Update or uninstall the package that it comes with; tables of that game are kept until it works."
    )
    return [Finding(cant_be_played(game, why), mend) for game, why in installed().broken.items()]


def examine_sqlite(version: str) -> list[Finding]:
    """What is wrong with the SQLite of that `version`."""
    if tuple(map(int, version.split("."))) >= OLDEST_SQLITE:
        return []
    oldest = ".".join(map(str, OLDEST_SQLITE))
    return [
        Finding(
            later("SQLite is {version}, which can lose what was committed.", version=version),
            later("Install an apsw that brings SQLite {oldest} or newer.", oldest=oldest),
        )
    ]


async def examine_door(host: str, port: int, data: Path) -> tuple[Sentence, list[Finding]]:
    """What stands where a server on `data` would listen, in words, and what is wrong with that.

    One that runs says where it listens itself; `host` and `port` are those of the settings.
    """
    host, port = noted_address(data) or (host, port)
    where = listen_address(host, port) if port else _any_port(host)
    running = is_locked(data)
    try:
        for opened in await open_sockets(host, port):
            opened.close()
    except ListenError as error:
        return await _examine_listener(error, EVERYWHERE.get(host, host), port, where, _own_key(data))
    if running:
        return later("{where}, nobody listens", where=where), [
            Finding(
                later("A server runs on this data, but not at {where}.", where=where),
                later(
                    "Give the doctor the settings that it was started with: --config FILE, or CARTINO_* "
                    "variables."
                ),
            )
        ]
    return later("{where}, free", where=where), []


async def _examine_listener(
    error: ListenError, host: str, port: int, where: Sentence, own: asyncssh.SSHKey | None
) -> tuple[Sentence, list[Finding]]:
    try:
        async with asyncio.timeout(PATIENCE):
            shown = await asyncssh.get_server_host_key(host, port, config=None)
    except (OSError, asyncssh.Error, TimeoutError):
        return later("{where}, can't be had", where=where), [Finding(error.sentence)]
    if shown is not None and own is not None and shown.public_data == own.public_data:
        return later("{where}, this house is open there", where=where), []
    return later("{where}, taken", where=where), [
        Finding(
            later("At {where}, another ssh server listens.", where=where),
            later("Stop it, or give the house another port (--port, or port in its settings)."),
        )
    ]


def _any_port(host: str) -> Sentence:
    return later("{host}, any port", host=host) if host else later("every address, any port")


def _own_key(data: Path) -> asyncssh.SSHKey | None:
    """The host key, None where there is none that is good: that is found elsewhere."""
    try:
        return read_host_key(data / "host_key")
    except DataError:
        return None
