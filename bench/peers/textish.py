"""An app of widgets behind textish, in an environment of its own with a newer Python."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from bench.load.caller import PAIRS
from bench.peers.openssh import NotHereError, free_port, listens
from bench.peers.peer import Peer
from bench.placing import on
from bench.server import MeasuredServer, end

WANTED: Final = "textish==0.5.1"
NEWEST, OLDEST = 14, 12
"""Of Python 3."""
APP: Final = Path(__file__).with_name("widget_board.py")
SHOWN: Final = b"leave"
MADE_WITHIN, STARTS_WITHIN = 120.0, 20.0
"""Seconds."""


@asynccontextmanager
async def textish(cores: tuple[int, ...]) -> AsyncIterator[Peer]:
    """Serve the board of 144 widgets on `cores` until the block ends. Raises NotHereError."""
    python = await asyncio.to_thread(_environment)
    port = free_port()
    with on(cores):
        running = await asyncio.create_subprocess_exec(
            *(str(python), "-I", str(APP), str(port), str(_cache() / "host_key")),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
    try:
        if not await listens(running, port, STARTS_WITHIN):
            raise NotHereError("textish does not start")
        # It turns away the 65th who is on the way in.
        yield Peer(
            "textish, 144 widgets", MeasuredServer(running.pid, port), "", SHOWN, bursts=False, pairs=PAIRS
        )
    finally:
        await end(running)


def _environment() -> Path:
    """Return the Python of an environment with textish, made if it is not there yet. Raises NotHereError."""
    newer = next(_pythons(), None)
    if newer is None:
        raise NotHereError(f"there is no Python 3.{OLDEST} or newer for textish")
    place = _cache() / newer.replace(os.sep, "_").strip("_") / WANTED
    python, ready = place / "bin" / "python", place / "ready"
    if not ready.exists():
        try:
            _run(newer, "-m", "venv", "--clear", str(place))
            _run(str(python), "-m", "pip", "install", "--quiet", WANTED)
        except (subprocess.SubprocessError, OSError):
            raise NotHereError(f"{WANTED} can't be installed") from None
        ready.touch()
    return python


def _pythons() -> Iterator[str]:
    """Pythons that are new enough and run, the newest first; none is taken by its name alone."""
    for minor in range(NEWEST, OLDEST - 1, -1):
        named = shutil.which(f"python3.{minor}")
        kept = sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python"), reverse=True)
        for found in ([named] if named else []) + [str(path) for path in kept]:
            try:
                _run(found, "-c", f"import sys, venv; sys.exit(sys.version_info[:2] != (3, {minor}))")
            except (subprocess.SubprocessError, OSError):
                continue
            yield found


def _cache() -> Path:
    """Return where environments are kept from one run to the next."""
    kept = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    place = Path(kept) / "cartino-bench"
    place.mkdir(parents=True, exist_ok=True)
    return place


def _run(*words: str) -> None:
    """Run a program to its end, which has to be a good one. Raises OSError and SubprocessError."""
    # What this Python was told about its own modules is nothing to another one.
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run(words, capture_output=True, check=True, timeout=MADE_WITHIN, env=surroundings)
