"""Read what the user's ssh files say about a server: configuration, keys, agent and known hosts.

Keys are tried in ssh's order, since the first accepted key decides who the user is.
"""

import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final, Literal, cast

import asyncssh
import msgspec

from cartino_protocol.text import lazy_gettext
from cartino_server.client.connection import ConnectRefused

DEFAULT_PORT: Final = 22
FILE_MODE, DIRECTORY_MODE = 0o600, 0o700


class KnownHost(msgspec.Struct, frozen=True):
    """A line that names the host: where it stands, whether it revokes its key, and that key.

    `at_this_port`: it names the port too; a line without one counts for other ports only where the key is the same.
    """

    file: Path
    line: int
    key: asyncssh.SSHKey
    revoked: bool = False
    at_this_port: bool = True


class HostKeyVerdict(msgspec.Struct, frozen=True):
    """What the files make of a key; `entry` is the line that speaks against it."""

    says: Literal["known", "unknown", "changed", "revoked"]
    entry: KnownHost | None = None


def host_name(host: str, port: int) -> str:
    """The host as known_hosts has it: `example.org`, or `[example.org]:2222`."""
    return host if port == DEFAULT_PORT else f"[{host}]:{port}"


def find_known_hosts(files: Iterable[Path], host: str, port: int) -> tuple[KnownHost, ...]:
    """All that the `files` say of the host; a file that is not there, or a line that can't be read, says nothing."""
    return tuple(entry for file in files for entry in _file_entries(file, host, port))


def check_host_key(key: asyncssh.SSHKey, found: Iterable[KnownHost]) -> HostKeyVerdict:
    """What the lines `found` make of the `key` that the host shows."""
    found = tuple(found)
    same = [entry for entry in found if entry.key == key]
    for entry in same:
        if entry.revoked:
            return HostKeyVerdict("revoked", entry)
    if same:
        return HostKeyVerdict("known", same[0])
    others = [entry for entry in found if entry.at_this_port and not entry.revoked]
    return HostKeyVerdict("changed", others[0]) if others else HostKeyVerdict("unknown")


def add_known_host(file: Path, host: str, port: int, key: asyncssh.SSHKey) -> None:
    """Write down that `key` is the host's. Raises OSError."""
    file.parent.mkdir(DIRECTORY_MODE, parents=True, exist_ok=True)
    line = f"{host_name(host, port)} {key.export_public_key().decode().strip()}\n"
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, FILE_MODE)
    with open(descriptor, "r+b") as opened:
        if opened.seek(0, os.SEEK_END) and os.pread(descriptor, 1, opened.tell() - 1) != b"\n":
            line = f"\n{line}"
        opened.write(line.encode())


def _file_entries(file: Path, host: str, port: int) -> Iterator[KnownHost]:
    try:
        text = file.read_text("utf-8", "replace")
    except OSError:
        return
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            read = asyncssh.import_known_hosts(line)
        except (ValueError, asyncssh.KeyImportError):
            continue
        # With the port in the name and none beside it, asyncssh looks for that name and nothing else.
        for at_this_port in (True, False) if port != DEFAULT_PORT else (True,):
            keys, _, revoked, *_ = read.match(host_name(host, port) if at_this_port else host, "", None)
            yield from (KnownHost(file, number, key, False, at_this_port) for key in keys)
            yield from (KnownHost(file, number, key, True, at_this_port) for key in revoked)


DEFAULT_KNOWN_HOSTS: Final = ("~/.ssh/known_hosts",)
SYSTEM_KNOWN_HOSTS: Final = ("/etc/ssh/ssh_known_hosts",)
DEFAULT_IDENTITIES: Final = tuple(
    f"~/.ssh/id_{kind}" for kind in ("rsa", "ecdsa", "ecdsa_sk", "ed25519", "ed25519_sk")
)
"""The keys that ssh tries by itself, in its order: whoever comes by ssh and by this program is the same person."""
_AGENT_VARIABLE: Final = "SSH_AUTH_SOCK"
"""The variable with the agent's socket; as an IdentityAgent it stands for that."""


class ServerAddress(msgspec.Struct, frozen=True):
    """What the person typed: a host's name or its alias in the settings, and whatever else goes over those."""

    host: str
    user: str | None = None
    port: int | None = None


class SshConfig(msgspec.Struct, frozen=True):
    """What counts for one house.

    `known_as` and `known_port` are what known_hosts has it under; `known_hosts` the person's own files,
    `all_known_hosts` the system's as well. `identities` are files of private keys, `agent` the agent's socket
    ("" for none), of whose keys only those in `identities` count where they are the `identities_only`.
    `with_key` is False where the person wants to show none.
    """

    host: str
    port: int
    known_as: str
    known_port: int
    known_hosts: tuple[Path, ...]
    all_known_hosts: tuple[Path, ...]
    identities: tuple[Path, ...]
    agent: str = ""
    identities_only: bool = False
    with_key: bool = True


def connect_options(address: ServerAddress, **more: object) -> dict[str, Any]:
    """The arguments for asyncssh that `address` makes, and `more`."""
    given = {"username": address.user, "port": address.port}
    return {name: value for name, value in given.items() if value is not None} | more


def read_ssh_config(address: ServerAddress, environ: Mapping[str, str]) -> SshConfig:
    """The settings for `address`, with the agent that `environ` names. Raises CallRefused."""
    try:
        # No keys here: they are looked for with the agent at hand, see `identities`.
        options = asyncssh.SSHClientConnectionOptions(
            host=address.host, config=(), **connect_options(address, client_keys=None, gss_host=None)
        )
    except (asyncssh.ConfigParseError, ValueError, OSError) as error:
        raise ConnectRefused(lazy_gettext("Your ssh settings can't be read: {error}", error=error)) from None
    config = options.config
    alias = cast(str | None, config.get("HostKeyAlias"))
    own = _file_list(config.get("UserKnownHostsFile"), DEFAULT_KNOWN_HOSTS)
    agent = config.get("IdentityAgent", _AGENT_VARIABLE)
    if agent == _AGENT_VARIABLE:
        agent = environ.get(_AGENT_VARIABLE, "")
    return SshConfig(
        host=options.host,
        port=options.port,
        known_as=alias or options.host,
        known_port=DEFAULT_PORT if alias else options.port,
        known_hosts=own,
        all_known_hosts=(*own, *_file_list(config.get("GlobalKnownHostsFile"), SYSTEM_KNOWN_HOSTS)),
        identities=_file_list(config.get("IdentityFile"), DEFAULT_IDENTITIES),
        agent=str(Path(str(agent)).expanduser()) if agent else "",
        identities_only=bool(config.get("IdentitiesOnly", False)),
        with_key=bool(config.get("PubkeyAuthentication", True)),
    )


def _file_list(named: object, usual: Sequence[str]) -> tuple[Path, ...]:
    """The files that a setting names, none included; the usual ones where it is not set."""
    names = usual if named is None else cast(Sequence[str], named)
    return tuple(Path(name).expanduser() for name in names)


PASSPHRASE_TRIES: Final = 3
"""How often a passphrase is asked for."""
PASSPHRASE_NEEDED: Final = "Passphrase must be specified"
"""In asyncssh's words."""

Identity = asyncssh.SSHKey | asyncssh.SSHKeyPair
PassphrasePrompt = Callable[[Path], str]
"""Asks for the passphrase of the key in a file; "" for none."""


@asynccontextmanager
async def agent_keys(settings: SshConfig) -> AsyncIterator[list[Identity]]:
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
        named = [
            key for file in settings.identities if (key := keys.pop(_public_key(file), None)) is not None
        ]
        yield [*named, *([] if settings.identities_only else keys.values())]


def file_keys(settings: SshConfig, ask: PassphrasePrompt) -> list[Identity]:
    """The first key that can be read from a file, perhaps with a passphrase; none: one comes as a guest."""
    for file in settings.identities if settings.with_key else ():
        key = _private_key(file, ask)
        if key is not None:
            return [key]
    return []


def _public_key(file: Path) -> bytes:
    """The public part of the key in `file`, as far as it can be had without a passphrase."""
    for read, place in ((asyncssh.read_public_key, f"{file}.pub"), (asyncssh.read_private_key, str(file))):
        try:
            return read(place).public_data
        except (OSError, ValueError):
            continue
    return b""


def _private_key(file: Path, ask: PassphrasePrompt) -> asyncssh.SSHKey | None:
    """The key in `file`; None where there is none, or nobody knows its passphrase."""
    try:
        return asyncssh.read_private_key(file)
    except OSError:
        return None
    except ValueError as error:
        if PASSPHRASE_NEEDED not in str(error):
            return None
    for _ in range(PASSPHRASE_TRIES):
        passphrase = ask(file)
        if not passphrase:
            return None
        with suppress(ValueError):
            return asyncssh.read_private_key(file, passphrase)
    return None
