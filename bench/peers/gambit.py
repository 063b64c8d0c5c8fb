"""gambit, a chess server in Go (wish, bubbletea), from the path or the variable `GAMBIT`."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from bench.load.caller import Pairs
from bench.peers.openssh import NotHereError, free_port, listens
from bench.peers.peer import Peer
from bench.placing import on
from bench.server import MeasuredServer, end

GAMBIT: Final = "gambit"
NAMED: Final = "GAMBIT"
"""The variable of the environment that may name the program."""
STARTS_WITHIN: Final = 20.0
ROOM: Final = "room{}"
"""A session's own table: its first player has White, who begins."""
SHOWN: Final = b" playing White"
CLICKS: Final[Pairs] = ((b"\x1b[M 5/", b"\x1b[M 1/"),)
"""On the pawn of e2 and on that of d2. There are no cursor keys, and of the letter and digit that pick a pawn too,
only the digit changes anything: a click is the one thing a person does that moves what is picked."""


@asynccontextmanager
async def gambit(cores: tuple[int, ...]) -> AsyncIterator[Peer]:
    """Run `gambit serve` on `cores` until the block ends. Raises NotHereError."""
    program = shutil.which(os.environ.get(NAMED, GAMBIT))
    if program is None:
        raise NotHereError(f"there is no {GAMBIT} on the path, and {NAMED} names none")
    with tempfile.TemporaryDirectory(prefix="cartino-bench-") as folder:
        port = free_port()
        settings = {
            "GAMBIT_SERVER_HOST": "127.0.0.1",
            "GAMBIT_SERVER_PORT": str(port),
            "GAMBIT_SERVER_KEY_PATH": f"{folder}/host_key",
        }
        with on(cores):
            running = await asyncio.create_subprocess_exec(
                *(program, "serve"),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                env={**os.environ, **settings},
                start_new_session=True,
            )
        try:
            if not await listens(running, port, STARTS_WITHIN):
                raise NotHereError(f"{program} does not start as a server of chess")
            yield Peer(GAMBIT, MeasuredServer(running.pid, port), ROOM, SHOWN, pairs=CLICKS)
        finally:
            await end(running)
