"""NetHack, run by an sshd for each login: the classic way to serve a terminal game."""

import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from bench.load.caller import Pairs
from bench.peers.openssh import NotHereError, sshd
from bench.peers.peer import Peer

PLACES: Final = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/games", "/usr/local/games"))
OPTIONS: Final = """\
OPTIONS=windowtype:tty,!legacy,!news,!autopickup,!mail,!tombstone,!toptenwin,pettype:none
OPTIONS=role:Valkyrie,race:human,gender:female,align:neutral,color,!number_pad,disclose:-i -a -v -g -c -o
MSGTYPE=hide "welcome to NetHack"
MSGTYPE=hide "You are lucky"
MSGTYPE=hide "Be careful"
MSGTYPE=hide "Watch out"
"""
"""No question before the dungeon, whatever the moon, and none after it."""
NAME: Final = "bench{}"
SHOWN: Final = b"Xp:"
STEPS: Final[Pairs] = ((b"h", b"l"), (b"k", b"j"), (b"y", b"n"), (b"u", b"b"))
"""A step there and back; what lives in the dungeon moves too."""
QUIT: Final = b"\x1b#quit\ry"
"""Who just hangs up leaves a saved game behind."""


@asynccontextmanager
async def nethack(cores: tuple[int, ...]) -> AsyncIterator[Peer]:
    """Run an sshd with NetHack as forced command on `cores` until the block ends. Raises NotHereError, BenchError."""
    program = shutil.which("nethack", path=PLACES)
    if program is None:
        raise NotHereError("there is no nethack on the path")
    with tempfile.TemporaryDirectory(prefix="cartino-bench-") as folder:
        options = Path(folder, "options")
        options.write_text(OPTIONS)
        command = f"exec env NETHACKOPTIONS=@{options} {program} -u $SSH_ORIGINAL_COMMAND"
        async with sshd(cores, command) as server:
            # It allows ten players at once.
            yield Peer("NetHack, sshd", server, NAME, SHOWN, crowds=False, pairs=STEPS, leaving=QUIT)
