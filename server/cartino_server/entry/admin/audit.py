"""The audit log: what hosts did and tried, a JSON object a line, on disk before they are answered."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from cartino_protocol.legible import legible

FILE: Final = "audit.log"
LONGEST_WORDS: Final = 40
LONGEST_WORD: Final = 400
"""Words, and characters of each, that are kept of what was said."""

Outcome = Literal["asked", "done", "refused", "failed"]
"""Before something is done; it was done; it was not, for it could not be understood or allowed; it went wrong."""


class Entry(msgspec.Struct, frozen=True):
    """One line: when (RFC 3339, UTC), `who`, what they said, what came of it, and in words how."""

    time: str
    who: str
    words: tuple[str, ...]
    outcome: Outcome
    said: str = ""


class Audit:
    """Appends to the file in the directory `data`. It is opened anew each time, so that it may be moved away."""

    def __init__(self, data: Path) -> None:
        """Nothing is written yet."""
        self._path = data / FILE
        self._writing = asyncio.Lock()
        self._begin = b""
        """What stands before the next line: a new one, where the last may have been written half."""

    async def note(self, entry: Entry) -> None:
        """Have `entry` on disk. Raises OSError where it can't be."""
        line = msgspec.json.encode(entry) + b"\n"
        async with self._writing:
            begin, self._begin = self._begin, b"\n"
            await asyncio.to_thread(_append, self._path, begin + line)
            self._begin = b""


def kept(words: Sequence[str]) -> tuple[str, ...]:
    """As much of `words` as the log keeps: strangers' too, and whoever keeps the house reads it at a terminal."""
    return tuple(legible(word[:LONGEST_WORD], "?") for word in words[:LONGEST_WORDS])


def _append(path: Path, line: bytes) -> None:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    file = os.open(path, flags, 0o600)
    try:
        written = os.write(file, line)
        if written != len(line):
            raise OSError(f"only {written} of {len(line)} bytes were written")
        os.fsync(file)
    finally:
        os.close(file)
