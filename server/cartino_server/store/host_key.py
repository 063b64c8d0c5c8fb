"""The server's SSH host key: created once and never replaced, since players' ssh programs recognise the server by it.

It is apart from `data_directory` because it loads asyncssh, which takes long.
"""

import stat
from pathlib import Path
from typing import Final

import asyncssh

from cartino_protocol.text import N_
from cartino_server.files import read_file
from cartino_server.store.data_directory import DataError, explain_errors, replace_file

ALGORITHM = "ssh-ed25519"
MAX_KEY_BYTES: Final = 1 << 16
_UNREADABLE_KEY: Final = N_("Can't read or create the host key {path}: {why}.")
DAMAGED_KEY: Final = N_(
    "The host key {path} is damaged. Restore it from a copy, or move it away to get a new one; every "
    "player's ssh will warn about a new key."
)
WRONG_KEY_TYPE: Final = N_(
    "The host key {path} isn't an ed25519 key. Restore it from a copy, or move it away to get a new "
    "one; every player's ssh will warn about a new key."
)


def load_host_key(path: Path) -> asyncssh.SSHKey:
    """Return the key in the file `path`, which is created if missing. Call it holding the lock of its directory.

    Raises DataError if the file isn't an ed25519 key or others may read it; it is never replaced.
    """
    with explain_errors(_UNREADABLE_KEY, path=path):
        if not path.exists():
            replace_file(path, asyncssh.generate_private_key(ALGORITHM).export_private_key())
    return read_host_key(path)


def read_host_key(path: Path) -> asyncssh.SSHKey:
    """Return the key in the file `path`. Raises DataError, also if it is missing."""
    with explain_errors(_UNREADABLE_KEY, path=path):
        text = read_file(path, MAX_KEY_BYTES)
        mode = path.stat().st_mode
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        # Whoever has read it can impersonate this server.
        raise DataError(
            N_(
                "Other users can read the host key {path}; run chmod 600 on it. If someone may have read it, move "
                "it away to get a new one; every player's ssh will warn about a new key."
            ),
            path=path,
        )
    errors = asyncssh.KeyImportError, asyncssh.KeyEncryptionError, ValueError
    with explain_errors(DAMAGED_KEY, errors, path=path):
        key = asyncssh.import_private_key(text)
    if key.get_algorithm() != ALGORITHM:
        raise DataError(WRONG_KEY_TYPE, path=path)
    return key
