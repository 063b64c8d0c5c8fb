"""The keys to come in with: those of the agent, and those in files.

A house takes any key, and the first one shown says who it is. So they are looked for in ssh's order, and no
passphrase is asked for that is not needed.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import asyncssh

from cartino_server.calling.settings import Settings

TRIES: Final = 3
"""How often a passphrase is asked for."""
LOCKED: Final = "Passphrase must be specified"
"""In asyncssh's words."""

Identity = asyncssh.SSHKey | asyncssh.SSHKeyPair
Asking = Callable[[Path], str]
"""Asks for the passphrase of the key in a file; "" for none."""


@asynccontextmanager
async def held_keys(settings: Settings) -> AsyncIterator[list[Identity]]:
    """The keys of the agent, the best one first, which can sign inside the block; none where there is no agent."""
    if not (settings.with_key and settings.agent):
        yield []
        return
    async with AsyncExitStack() as connected:
        try:
            agent = await connected.enter_async_context(asyncssh.connect_agent(settings.agent))
            keys = {key.public_data: key for key in await agent.get_keys()}
        except (OSError, ValueError, asyncssh.Error):
            keys = {}
        named = [key for file in settings.identities if (key := keys.pop(_public(file), None)) is not None]
        yield [*named, *([] if settings.identities_only else keys.values())]


def read_keys(settings: Settings, ask: Asking) -> list[Identity]:
    """The first key that can be read from a file, perhaps with a passphrase; none: one comes as a guest."""
    for file in settings.identities if settings.with_key else ():
        key = _read(file, ask)
        if key is not None:
            return [key]
    return []


def _public(file: Path) -> bytes:
    """The public part of the key in `file`, as far as it can be had without a passphrase."""
    for read, place in ((asyncssh.read_public_key, f"{file}.pub"), (asyncssh.read_private_key, str(file))):
        try:
            return read(place).public_data
        except (OSError, ValueError):
            continue
    return b""


def _read(file: Path, ask: Asking) -> asyncssh.SSHKey | None:
    """The key in `file`; None where there is none, or nobody knows its passphrase."""
    try:
        return asyncssh.read_private_key(file)
    except OSError:
        return None
    except ValueError as error:
        if LOCKED not in str(error):
            return None
    for _ in range(TRIES):
        passphrase = ask(file)
        if not passphrase:
            return None
        with suppress(ValueError):
            return asyncssh.read_private_key(file, passphrase)
    return None
