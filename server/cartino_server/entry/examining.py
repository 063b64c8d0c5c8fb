"""What `cartino doctor` looks at beside the data: SQLite, and who listens where the door would be."""

import asyncio
from pathlib import Path
from typing import Final

import asyncssh

from cartino_server.ssh.listener import DoorError, open_sockets
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


def examine_sqlite(version: str) -> list[Finding]:
    """What is wrong with the SQLite of that `version`."""
    if tuple(map(int, version.split("."))) >= OLDEST_SQLITE:
        return []
    oldest = ".".join(map(str, OLDEST_SQLITE))
    return [
        Finding(
            f"SQLite is {version}, which can lose what was committed.",
            f"Install an apsw that brings SQLite {oldest} or newer.",
        )
    ]


async def examine_door(host: str, port: int, data: Path) -> tuple[str, list[Finding]]:
    """What stands where a server on `data` would listen, in words, and what is wrong with that.

    One that runs says where it listens itself; `host` and `port` are those of the settings.
    """
    host, port = noted_address(data) or (host, port)
    where = f"{host or 'every address'}, port {port or 'any'}"
    running = is_locked(data)
    try:
        for opened in await open_sockets(host, port):
            opened.close()
    except DoorError as error:
        return await _examine_listener(error, EVERYWHERE.get(host, host), port, where, _own_key(data))
    if running:
        return f"{where}, nobody listens", [
            Finding(
                f"A server runs on this data, but not at {where}.",
                "Give the doctor the settings that it was started with: --config FILE, or CARTINO_* variables.",
            )
        ]
    return f"{where}, free", []


async def _examine_listener(
    error: DoorError, host: str, port: int, where: str, own: asyncssh.SSHKey | None
) -> tuple[str, list[Finding]]:
    try:
        async with asyncio.timeout(PATIENCE):
            shown = await asyncssh.get_server_host_key(host, port, config=None)
    except (OSError, asyncssh.Error, TimeoutError):
        what, _, do = str(error).partition("; ")
        return f"{where}, can't be had", [Finding(f"{what}.", do[:1].upper() + do[1:])]
    if shown is not None and own is not None and shown.public_data == own.public_data:
        return f"{where}, this house is open there", []
    return f"{where}, taken", [
        Finding(
            f"At {where}, another ssh server listens.",
            "Stop it, or give the house another port (--port, or port in its settings).",
        )
    ]


def _own_key(data: Path) -> asyncssh.SSHKey | None:
    """The host key, None where there is none that is good: that is found elsewhere."""
    try:
        return read_host_key(data / "host_key")
    except DataError:
        return None
