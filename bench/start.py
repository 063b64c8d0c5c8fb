"""Measure starts: the native client to its first table, and OpenSSH's client for a list."""

import asyncio
import fcntl
import os
import struct
import tempfile
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import asyncssh

from bench.figures import Figure, Section, percentile
from bench.scale import Scale
from bench.server import PROGRAM, BenchError, MeasuredServer, end
from bench.tables import LAST_SHOWN, open_table
from bench.terminal import NORMAL
from bench.visitors import Visitors, new_key
from tests.support.own_ssh import path_with_ssh_of

TIME_LIMIT: Final = 60.0
"""Seconds until a program is given up, even on a slow machine."""
ANSWERS: Final = {b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\", b"\x1b[c": b"\x1b[?62;22c"}
"""What a terminal answers at once to questions for its background and its kind."""


async def measure(server: MeasuredServer, visitors: Visitors, scale: Scale) -> Section:
    """Start the programs in turns, with a home directory of their own and no agent."""
    table = await open_table(visitors, ["ann", "bob"])
    with tempfile.TemporaryDirectory(prefix="cartino-bench-") as home:
        environ = await _at_home(Path(home, ".ssh"), server)
        port, host = str(server.port), "127.0.0.1"
        connect = (str(PROGRAM), "connect", "--port", port, "--watch", table.code, host)
        options = (
            "BatchMode=yes",
            "StrictHostKeyChecking=yes",
            f"UserKnownHostsFile={home}/.ssh/known_hosts",
        )
        words = (word for option in options for word in ("-o", option))
        ssh = ("ssh", "-F", "none", "-p", port, "-i", f"{home}/.ssh/id_ed25519", *words, host, "games")
        waits, lists = [], []
        # The first of each finds nothing in the system's cache.
        for _ in range(scale.starts + 1):
            waits.append(await _to_table(connect, environ))
            lists.append(await _answered(ssh, environ))
    return Section(
        "Starting",
        f"{scale.starts} times each, from the start of the program on this machine until its table or its end",
        (
            Figure("`cartino connect --watch` to the table, p50", percentile(waits[1:], 0.5), "s", 0.8),
            Figure(
                "`ssh HOST games` with OpenSSH's client, p50", percentile(lists[1:], 0.5) * 1000, "ms", 60
            ),
        ),
    )


async def _at_home(folder: Path, server: MeasuredServer) -> Mapping[str, str]:
    """Write a key and the server's host key to `folder`; return the environment of a person who has them."""
    folder.mkdir(0o700)
    key = folder / "id_ed25519"
    new_key().write_private_key(key)
    key.chmod(0o600)
    host_key = await asyncssh.get_server_host_key("127.0.0.1", server.port, config=None)
    if host_key is None:
        raise BenchError("the server showed no host key")
    line = f"[127.0.0.1]:{server.port} {host_key.export_public_key().decode()}"
    (folder / "known_hosts").write_text(line)
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("SSH_", "COLORFGBG"))}
    # A user's Python keeps what it has compiled.
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    path = path_with_ssh_of(folder.parent)
    return kept | {"HOME": str(folder.parent), "PATH": path, "TERM": "xterm-256color"}


async def _to_table(command: Sequence[str], environ: Mapping[str, str]) -> float:
    """Run `command` in a terminal until it shows a table; the seconds it took. Raises BenchError."""
    ours, theirs = os.openpty()
    columns, lines = NORMAL
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    loop, shown, came = asyncio.get_running_loop(), asyncio.Event(), bytearray()

    def read() -> None:
        data = os.read(ours, 1 << 16)
        came.extend(data)
        for question, answer in ANSWERS.items():
            if question in data:
                os.write(ours, answer)
        if LAST_SHOWN in came:
            shown.set()

    started = time.perf_counter()
    running = await asyncio.create_subprocess_exec(
        *command, stdin=theirs, stdout=theirs, stderr=theirs, env=environ, start_new_session=True
    )
    loop.add_reader(ours, read)
    try:
        await asyncio.wait_for(shown.wait(), TIME_LIMIT)
        return time.perf_counter() - started
    except TimeoutError:
        raise BenchError(f"`cartino connect` showed no table: {bytes(came[-200:])!r}") from None
    finally:
        await end(running)
        loop.remove_reader(ours)
        os.close(ours)
        os.close(theirs)


async def _answered(command: Sequence[str], environ: Mapping[str, str]) -> float:
    """Run `command`; the seconds until it has ended. Raises BenchError where it fails."""
    started = time.perf_counter()
    running = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env=environ,
    )
    _, errors = await asyncio.wait_for(running.communicate(), TIME_LIMIT)
    if running.returncode:
        raise BenchError(f"ssh failed: {errors.decode(errors='replace')[-200:]}")
    return time.perf_counter() - started
