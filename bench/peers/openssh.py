"""An OpenSSH server that runs a program, such as `cartino play`, in a process for each session."""

import asyncio
import getpass
import os
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import msgspec

from bench.peers.peer import Peer
from bench.placing import on
from bench.server import PROGRAM, BenchError, MeasuredServer, end
from bench.tables import LAST_SHOWN
from bench.visitors import new_key, public_key
from cartino_server.commands.local_settings import settings_path
from cartino_tui.preferences import Settings

STARTS_WITHIN: Final = 20.0
PLACES: Final = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin", "/sbin"))
CONFIG: Final = """\
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys
PidFile none
UsePAM no
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
MaxStartups 100
LogLevel ERROR
ForceCommand {command}
"""


class NotHereError(Exception):
    """What would be measured is not on this machine; the text says what is missing."""


@asynccontextmanager
async def openssh(cores: tuple[int, ...]) -> AsyncIterator[Peer]:
    """Run the program for each session until the block ends. Raises NotHereError and BenchError."""
    with tempfile.TemporaryDirectory(prefix="cartino-bench-") as folder:
        settings = settings_path({"XDG_CONFIG_HOME": folder})
        assert settings is not None
        settings.parent.mkdir()
        # A newcomer would first be asked whether they want to learn the game.
        settings.write_bytes(msgspec.json.encode(Settings(taught=True, game="cartino")))
        async with sshd(cores, f"exec env XDG_CONFIG_HOME={folder} {PROGRAM} play --bots 1") as server:
            # Its bots move after a second, as at anybody's home.
            yield Peer("OpenSSH, a process each", server, "", LAST_SHOWN, crowds=False, still=1.2)


@asynccontextmanager
async def sshd(cores: tuple[int, ...], command: str) -> AsyncIterator[MeasuredServer]:
    """Run an unprivileged sshd on `cores` that runs `command` in a shell, until the block ends.

    Raises NotHereError and BenchError.
    """
    program = shutil.which("sshd", path=PLACES)
    if program is None:
        raise NotHereError("there is no sshd")
    account = getpass.getuser()
    with tempfile.TemporaryDirectory(prefix="cartino-bench-") as folder:
        port = free_port()
        _write(Path(folder), port, account, command)
        log = Path(folder, "log")
        with log.open("wb") as errors, on(cores):
            running = await asyncio.create_subprocess_exec(
                *(program, "-D", "-e", "-f", f"{folder}/config"),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )
        try:
            if not await listens(running, port, STARTS_WITHIN):
                raise NotHereError(f"sshd does not start: {log.read_text(errors='replace').strip()[-300:]}")
            yield MeasuredServer(running.pid, port, account)
        finally:
            await end(running)


def free_port() -> int:
    """Return a free port of the loopback, for servers that can't say which one they chose."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


async def listens(running: asyncio.subprocess.Process, port: int, time_limit: float) -> bool:
    """Return whether the process lets somebody in at `port` within so many seconds."""
    try:
        async with asyncio.timeout(time_limit):
            while running.returncode is None:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                except OSError:
                    await asyncio.sleep(0.05)
                    continue
                writer.close()
                return True
    except TimeoutError:
        pass
    return False


def _write(folder: Path, port: int, account: str, command: str) -> None:
    """Write the configuration, a host key, and the key of `account`, which all visitors share."""
    if any(char.isspace() for char in f"{folder}{PROGRAM}"):
        raise BenchError("a path with a blank in it can't stand in a configuration of sshd")
    host_key = folder / "host_key"
    host_key.touch(0o600)
    host_key.write_bytes(new_key().export_private_key())
    (folder / "authorized_keys").write_bytes(public_key(account))
    (folder / "config").write_text(CONFIG.format(port=port, folder=folder, command=command))
