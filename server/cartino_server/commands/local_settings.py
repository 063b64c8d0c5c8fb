"""Read the user's own settings file, for games played without a remote server."""

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from cartino_server.files import read_file
from cartino_tui.preferences import Settings, decode_settings_json

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
