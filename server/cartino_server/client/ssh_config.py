"""Read what the user's ssh files say about a server: configuration, keys, agent and known hosts.

Keys are tried in ssh's order, since the first accepted key decides who the user is.
"""

import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, cast

import asyncssh
import msgspec

from cartino_protocol.text import lazy_gettext
from cartino_server.client.connection import ConnectRefused

DEFAULT_PORT: Final = 22
FILE_MODE, DIRECTORY_MODE = 0o600, 0o700


class KnownHost(msgspec.Struct, frozen=True):
    """A line of known_hosts that names the host.

    `at_this_port`: it names the port too; one without counts for other ports only if the key is the same.
    """

    file: Path
    line: int
    key: asyncssh.SSHKey
    revoked: bool = False
    at_this_port: bool = True


class HostKeyVerdict(msgspec.Struct, frozen=True):
    """What the files say about a key; `entry` is the line that decides."""

    says: Literal["known", "unknown", "changed", "revoked"]
    entry: KnownHost | None = None


def host_name(host: str, port: int) -> str:
    """Return the host as in known_hosts: `example.org`, or `[example.org]:2222`."""
    return host if port == DEFAULT_PORT else f"[{host}]:{port}"


def find_known_hosts(files: Iterable[Path], host: str, port: int) -> tuple[KnownHost, ...]:
    """Return the lines of `files` for the host; missing files and unreadable lines are skipped."""
    return tuple(entry for file in files for entry in _file_entries(file, host, port))


def check_host_key(key: asyncssh.SSHKey, found: Iterable[KnownHost]) -> HostKeyVerdict:
    """Return what the lines `found` say about the `key` that the host has shown."""
    other = None
    # Lines that revoke a key come first.
    for entry in sorted(found, key=lambda entry: not entry.revoked):
        if entry.key == key:
            return HostKeyVerdict("revoked" if entry.revoked else "known", entry)
        if other is None and entry.at_this_port and not entry.revoked:
            other = entry
    return HostKeyVerdict("unknown" if other is None else "changed", other)


def add_known_host(file: Path, host: str, port: int, key: asyncssh.SSHKey) -> None:
    """Add a line with the host's key. Raises OSError."""
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
        # With the port in the name and no other, asyncssh looks for that name alone.
        for at_this_port in (True, False) if port != DEFAULT_PORT else (True,):
            keys, _, revoked, *_ = read.match(host_name(host, port) if at_this_port else host, "", None)
            yield from (KnownHost(file, number, key, False, at_this_port) for key in keys)
            yield from (KnownHost(file, number, key, True, at_this_port) for key in revoked)


DEFAULT_KNOWN_HOSTS: Final = ("~/.ssh/known_hosts",)
SYSTEM_KNOWN_HOSTS: Final = ("/etc/ssh/ssh_known_hosts",)
DEFAULT_IDENTITIES: Final = tuple(
    f"~/.ssh/id_{kind}" for kind in ("rsa", "ecdsa", "ecdsa_sk", "ed25519", "ed25519_sk")
)
"""The keys that ssh tries by default, in its order, so that its users are the same person here."""
_AGENT_VARIABLE: Final = "SSH_AUTH_SOCK"
"""The variable with the agent's socket; the option IdentityAgent may name it."""


class ServerAddress(msgspec.Struct, frozen=True):
    """What the user typed: a host or its alias in the configuration, and what overrides that."""

    host: str
    user: str | None = None
    port: int | None = None


class SshConfig(msgspec.Struct, frozen=True):
    """The configuration for one server.

    `known_as` and `known_port` are its name in known_hosts; `known_hosts` are the user's own files, `all_known_hosts`
    the system's too. `identities` are files of private keys, `agent` is the agent's socket ("" for none); with
    `identities_only`, only keys in `identities` are used. `with_key` is False if no key shall be shown.
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
    """Return asyncssh's arguments for `address`, and `more`."""
    given = {"username": address.user, "port": address.port}
    return {name: value for name, value in given.items() if value is not None} | more


def read_ssh_config(address: ServerAddress, environ: Mapping[str, str]) -> SshConfig:
    """Read the configuration for `address`; `environ` names the agent. Raises ConnectRefused."""
    try:
        # Without keys: `agent_keys` and `file_keys` look for them.
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
    """Return the files that an option names, by default the usual ones."""
    names = usual if named is None else cast(Sequence[str], named)
    return tuple(Path(name).expanduser() for name in names)


PASSPHRASE_TRIES: Final = 3
PASSPHRASE_NEEDED: Final = "Passphrase must be specified"
"""asyncssh's error message."""

Identity = asyncssh.SSHKey | asyncssh.SSHKeyPair
PassphrasePrompt = Callable[[Path], str]
"""Asks for the passphrase of a key file; returns "" to skip it."""


@asynccontextmanager
async def agent_keys(settings: SshConfig) -> AsyncIterator[list[Identity]]:
    """Yield the agent's keys, the best one first, which can sign inside the block; none without an agent."""
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
    """Return the first key that can be read from a file, perhaps with a passphrase; none means: log in as a guest."""
    files = settings.identities if settings.with_key else ()
    return list(islice(filter(None, (_private_key(file, ask) for file in files)), 1))


def _public_key(file: Path) -> bytes:
    """Return the public key of `file` if it can be read without a passphrase."""
    for read, place in ((asyncssh.read_public_key, f"{file}.pub"), (asyncssh.read_private_key, str(file))):
        try:
            return read(place).public_data
        except (OSError, ValueError):
            continue
    return b""


def _private_key(file: Path, ask: PassphrasePrompt) -> asyncssh.SSHKey | None:
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
