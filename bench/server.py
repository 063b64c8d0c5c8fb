"""The real server in a process of its own, on a core of its own, for as long as something is measured."""

import asyncio
import re
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import msgspec

from bench import process

START_WITHIN: Final = 30.0
END_WITHIN: Final = 15.0
"""Seconds."""
_LISTENS = re.compile(rb"listens on 127\.0\.0\.1:(\d+)")


class BenchError(Exception):
    """What was to be measured did not happen; the text says what."""


class Server(msgspec.Struct, frozen=True):
    """A running server: its process and the port where it listens on the loopback."""

    pid: int
    port: int

    @property
    def memory(self) -> float:
        """Resident memory, in MB."""
        return process.memory(self.pid)

    @property
    def cpu(self) -> float:
        """Milliseconds on the processor so far."""
        return process.cpu(self.pid)


@asynccontextmanager
async def serving(core: int | None) -> AsyncIterator[Server]:
    """A fresh server, pinned to `core` if there is one; ended with the block. Raises BenchError."""
    with tempfile.TemporaryDirectory(prefix="cartino-bench-") as folder:
        program = Path(sys.executable).with_name("cartino")
        log = Path(folder, "log")
        with log.open("wb") as errors:
            running = await asyncio.create_subprocess_exec(
                program,
                *("serve", "--host", "127.0.0.1", "--port", "0", "--data", f"{folder}/data"),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                # Its own group: a Ctrl-C is ours, and we end the server.
                start_new_session=True,
            )
        try:
            if core is not None:
                process.pin(running.pid, core)
            yield Server(running.pid, await _port(running, log))
            if running.returncode is not None:
                raise BenchError(f"the server ended by itself: {_tail(log)}")
        finally:
            await _end(running)


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


async def _end(running: asyncio.subprocess.Process) -> None:
    if running.returncode is not None:
        return
    running.terminate()
    try:
        await asyncio.wait_for(running.wait(), END_WITHIN)
    except TimeoutError:
        running.kill()
        await running.wait()


def _tail(log: Path) -> str:
    return log.read_text(errors="replace")[-1000:].strip() or "it said nothing"
