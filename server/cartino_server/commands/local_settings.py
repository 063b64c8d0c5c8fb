"""Read and write the user's own settings file, for games played without a remote server."""

import asyncio
import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from cartino_protocol.wire import encode_raw
from cartino_server.files import read_file
from cartino_server.store.data_directory import replace_file
from cartino_server.store.port import Journal, NotSaved
from cartino_tui.preferences import Settings, decode_settings, decode_settings_json

MAX_FILE_BYTES: Final = 1 << 16
"""Bytes that are read; our file is shorter."""


def settings_path(env: Mapping[str, str]) -> Path | None:
    """Return the file by the XDG base directories, None without a home."""
    named, user = env.get("XDG_CONFIG_HOME", ""), env.get("HOME", "")
    # The specification ignores relative paths.
    base = named if os.path.isabs(named) else os.path.join(user, ".config") if user else ""
    return Path(base, "cartino", "settings.json") if base else None


def read_local_settings(path: Path | None) -> Settings:
    """Read the settings; what can't be read gets its default."""
    if path is not None:
        with contextlib.suppress(OSError):
            return decode_settings_json(read_file(path, MAX_FILE_BYTES))
    return Settings()


class LocalSettingsJournal(Journal):
    """A journal without games that stores the settings of one person in their own file."""

    def __init__(self, path: Path | None) -> None:
        """Keep them at `path`, or in memory without one."""
        super().__init__()
        self._path = path

    async def settings(self, person: str) -> bytes:
        """Read the file."""
        if self._path is None:
            return await super().settings(person)
        return bytes(encode_raw(await asyncio.to_thread(read_local_settings, self._path)))

    async def keep_settings(self, person: str, settings: bytes) -> None:
        """Replace the file. Raises NotSaved."""
        if self._path is None:
            await super().keep_settings(person, settings)
            return
        try:
            await asyncio.to_thread(_write_settings, self._path, decode_settings(settings))
        except OSError as error:
            raise NotSaved(f"{self._path}: {error.strerror}") from error


def _write_settings(path: Path, settings: Settings) -> None:
    """Replace the file atomically. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, msgspec.json.format(msgspec.json.encode(settings)) + b"\n")
