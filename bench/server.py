"""Run the real server in a process of its own while something is measured."""

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import msgspec

from bench import process
from bench.placing import on

START_WITHIN: Final = 30.0
END_WITHIN: Final = 15.0
"""Seconds."""
PROGRAM: Final = Path(sys.executable).with_name("cartino")
OWN_ADDRESSES: Final = sys.platform == "linux"
"""Whether everybody may come from an address of their own: Linux has all of 127.0.0.0/8."""
UNCOUNTED: Final = {"CARTINO_CONNECTIONS": "0"} | (
    {} if OWN_ADDRESSES else {"CARTINO_EXEMPT": "127.0.0.1,::1", "CARTINO_CONNECTIONS_A_PERSON": "0"}
)
"""Settings of a server that takes as many as come.

The limits of an address and a person stay where each has one of their own.
"""
TABLES: Final = 2_000
"""Tables that a server of the bench allows: it is to be full when its core is."""
_ERROR = re.compile(r"\[(error|critical) *\]|Traceback")
_LISTENS = re.compile(rb"listening on 127\.0\.0\.1:(\d+)")


class BenchError(Exception):
    """What was to be measured did not happen; the text says what."""


class MeasuredServer(msgspec.Struct, frozen=True):
    """A running server: its process and the port where it listens on the loopback.

    `account`: who everybody is who comes, where a server knows but one; "" where anybody may come. `log`: the file of
    its log, "" if it has none. `alike`: whether clients use the one key exchange and cipher that all peers know.
    """

    pid: int
    port: int
    account: str = ""
    log: str = ""
    alike: bool = False

    @property
    def memory(self) -> float:
        """Memory of the server's processes, in MB."""
        return process.memory(self.pid)

    @property
    def cpu(self) -> float:
        """Milliseconds on the processor so far."""
        return process.cpu(self.pid)

    @property
    def wakes(self) -> int | None:
        """How often its threads have waited for something so far, where the system tells."""
        return process.wakes(self.pid)

    def errors(self) -> list[str]:
        """Lines of its log so far that tell of an error."""
        lines = Path(self.log).read_text(errors="replace").splitlines() if self.log else []
        return [line for line in lines if _ERROR.search(line)]

    @property
    def descriptors(self) -> int | None:
        """What it has open, where the system tells."""
        return process.descriptors(self.pid)


@asynccontextmanager
async def serving(
    cores: tuple[int, ...], workers: int = 0, data: Path | None = None
) -> AsyncIterator[MeasuredServer]:
    """Run a server on `cores` (none: any), of one process or with `workers`, until the block ends.

    `data`: its data directory, a new one for None. Raises BenchError.
    """
    with tempfile.TemporaryDirectory(prefix="cartino-bench-") as folder:
        log = Path(folder, "log")
        with log.open("wb") as errors, on(cores):
            running = await asyncio.create_subprocess_exec(
                *(PROGRAM, "serve", "--host", "127.0.0.1", "--port", "0"),
                *(
                    "--data",
                    str(data or Path(folder, "data")),
                    "--workers",
                    str(workers),
                    "--tables",
                    str(TABLES),
                    "--bot-pause",
                    "0.01",
                    # Nobody is left who would like to end a move.
                    "--grace",
                    "0",
                ),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                env={**os.environ, **UNCOUNTED},
                # Its own group: a Ctrl-C is ours, and we end the server.
                start_new_session=True,
            )
        try:
            yield MeasuredServer(running.pid, await _port(running, log), log=str(log))
            if running.returncode is not None:
                raise BenchError(f"the server ended by itself: {_tail(log)}")
        finally:
            await end(running)


async def end(running: asyncio.subprocess.Process) -> None:
    """Ask the process to end, and see to it that it does."""
    if running.returncode is not None:
        return
    running.terminate()
    try:
        await asyncio.wait_for(running.wait(), END_WITHIN)
    except TimeoutError:
        running.kill()
        await running.wait()


async def _port(running: asyncio.subprocess.Process, log: Path) -> int:
    assert running.stdout is not None
    try:
        line = await asyncio.wait_for(running.stdout.readline(), START_WITHIN)
    except TimeoutError:
        line = b""
    found = _LISTENS.search(line)
    if found is None:
        raise BenchError(f"the server did not start: {_tail(log)}")
    return int(found[1])


def _tail(log: Path) -> str:
    return log.read_text(errors="replace")[-1000:].strip() or "it said nothing"
