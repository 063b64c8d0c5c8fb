"""The secrets of a house that outlive it: random bytes, each made when it is first asked for."""

import secrets
from typing import Final

import apsw

AUTHORS: Final = "authors"
"""The key of the marks by which readers know who said something."""
BYTES: Final = 32


def secret(connection: apsw.Connection, name: str) -> bytes:
    """The secret called `name`, the same ever after."""
    found: bytes | None = connection.execute("SELECT secret FROM secrets WHERE name = ?", (name,)).get
    if found is None:
        found = secrets.token_bytes(BYTES)
        connection.execute("INSERT INTO secrets (name, secret) VALUES (?, ?)", (name, found))
    return found
