"""Ask ssh what it would use for a server (`ssh -G`), and read those keys, agents and known hosts.

Keys are tried in ssh's order, since the first accepted key decides who the user is.
"""

import os
import pwd
import re
import subprocess
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import islice
from pathlib import Path
from socket import gethostname
from typing import Final, Literal

import asyncssh
import msgspec

from cartino_protocol.text import N_, LazyMessage, legible
from cartino_server.client.connection import ConnectRefused

DEFAULT_PORT: Final = 22
FILE_MODE, DIRECTORY_MODE = 0o600, 0o700
MAX_FILE_BYTES: Final = 1 << 24
"""Bytes read of a file of keys or hosts."""


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


def _read_file(file: Path) -> bytes:
    """Return the beginning of `file`, which may be endless. Raises OSError."""
    with file.open("rb") as opened:
        return opened.read(MAX_FILE_BYTES)


def _file_entries(file: Path, host: str, port: int) -> Iterator[KnownHost]:
    try:
        text = _read_file(file).decode(errors="replace")
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


_AGENT_VARIABLE: Final = "SSH_AUTH_SOCK"
"""The variable with the agent's socket; the option IdentityAgent may name it."""
_DEFAULTS: Final = {
    "userknownhostsfile": ["~/.ssh/known_hosts"],
    "globalknownhostsfile": ["/etc/ssh/ssh_known_hosts"],
    "identityfile": [f"~/.ssh/id_{kind}" for kind in ("rsa", "ecdsa", "ecdsa_sk", "ed25519", "ed25519_sk")],
}
"""Options of ssh where none is installed, in its order, so that people are the same person here."""
BAD_SETTINGS: Final = N_("Your ssh settings can't be used: {error}")
_CHECKED_USER: Final = re.compile(r"[\w.@+][\w.@+ -]*")
"""Names that every ssh accepts; others are names at the table only."""


class ServerAddress(msgspec.Struct, frozen=True):
    """What the user typed: a host or its alias in the configuration, and what overrides that."""

    host: str
    user: str | None = None
    port: int | None = None


class SshConfig(msgspec.Struct, frozen=True):
    """The configuration for one server.

    `known_as` and `known_port` are its name in known_hosts; `known_hosts` are the user's own files, `all_known_hosts`
    the system's too. `identities` are files of private keys, `agent` is the agent's socket ("" for none); with
    `identities_only`, only keys in `identities` are used. `with_key` is False if no key shall be shown. `proxy` is a
    program that carries the connection, with its arguments.
    """

    user: str
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
    proxy: tuple[str, ...] = ()


def read_ssh_config(address: ServerAddress, environ: Mapping[str, str]) -> SshConfig:
    """Return what `ssh` would use for `address`, the defaults without an OpenSSH. Raises ConnectRefused.

    `environ` names the agent.
    """
    options = _ask_ssh(address) or _DEFAULTS

    def first(name: str, default: str = "") -> str:
        value = options.get(name, [default])[0]
        return default if value == "none" else value

    local = _local_user(environ)
    user = address.user or first("user", local[0])
    host, port = first("hostname", address.host), address.port or int(first("port", str(DEFAULT_PORT)))
    alias, machine = first("hostkeyalias"), gethostname()
    tokens = {
        "%": "%",
        "d": local[1],
        "h": host,
        "i": str(os.getuid()),
        "k": alias or address.host,
        "L": machine.partition(".")[0],
        "l": machine,
        "n": address.host,
        "p": str(port),
        "r": user,
        "u": local[0],
    }

    def files(name: str) -> tuple[Path, ...]:
        # All known hosts are in one line: a path with a space can only be told by the next one's beginning.
        paths = (path for line in options.get(name, []) for path in re.split(" (?=[~/])", line))
        return tuple(Path(_expand(path, tokens, environ)) for path in paths if path != "none")

    agent = first("identityagent", _AGENT_VARIABLE if "identityagent" not in options else "")
    if agent == _AGENT_VARIABLE or agent.startswith("$"):
        agent = environ.get(agent.removeprefix("$"), "")
    own = files("userknownhostsfile")
    return SshConfig(
        user=user,
        host=host,
        port=port,
        known_as=alias or host,
        known_port=DEFAULT_PORT if alias else port,
        known_hosts=own,
        all_known_hosts=(*own, *files("globalknownhostsfile")),
        identities=files("identityfile"),
        agent=agent,
        identities_only=first("identitiesonly") == "yes",
        with_key=first("pubkeyauthentication") not in {"no", "false"},
        proxy=_proxy(first("proxycommand"), first("proxyjump"), tokens, environ),
    )


def _ask_ssh(address: ServerAddress) -> dict[str, list[str]]:
    """Return the options that `ssh -G` prints; none if there is no OpenSSH. Raises ConnectRefused."""
    words = ["ssh", "-G", "-T"]
    if address.port is not None:
        words += ["-p", str(address.port)]
    if address.user is not None and _CHECKED_USER.fullmatch(address.user):
        words += ["-l", address.user]
    try:
        asked = subprocess.run(
            [*words, "--", address.host], stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError:
        return {}
    if asked.returncode:
        why = " ".join(asked.stderr.decode(errors="replace").split())
        if "usage:" in why.lower():
            # Another program of that name, as Dropbear's, without the option.
            return {}
        raise ConnectRefused(LazyMessage(BAD_SETTINGS, {"error": legible(why)}))
    options: dict[str, list[str]] = {}
    for line in os.fsdecode(asked.stdout).splitlines():
        name, _, value = line.partition(" ")
        options.setdefault(name, []).append(value)
    return options


def _local_user(environ: Mapping[str, str]) -> tuple[str, str]:
    """Return name and home directory as ssh finds them: the account's, whatever HOME is."""
    try:
        account = pwd.getpwuid(os.getuid())
    except KeyError:
        return environ.get("USER", "guest"), environ.get("HOME", "/")
    return account.pw_name, account.pw_dir


def _expand(path: str, tokens: Mapping[str, str], environ: Mapping[str, str]) -> str:
    """Return `path` with home directory, tokens and variables, which `ssh -G` doesn't expand in all options."""
    if path.startswith("~/"):
        path = f"{tokens['d']}{path[1:]}"
    path = _expand_tokens(path, tokens)
    return re.sub(r"\$\{(\w+)\}", lambda found: environ.get(found[1], found[0]), path)


def _expand_tokens(text: str, tokens: Mapping[str, str]) -> str:
    return re.sub("%(.)", lambda found: tokens.get(found[1], found[0]), text)


def _proxy(
    command: str, jumps: str, tokens: Mapping[str, str], environ: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the program for ProxyCommand or ProxyJump, started as ssh does."""
    if jumps:
        before, _, last = jumps.rpartition(",")
        last = last if last.startswith("ssh://") else f"ssh://{last}"
        over = ("-J", before) if before else ()
        return ("ssh", *over, "-W", f"[{tokens['h']}]:{tokens['p']}", "--", last)
    if command:
        return (environ.get("SHELL") or "/bin/sh", "-c", f"exec {_expand_tokens(command, tokens)}")
    return ()


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
    for read, place in (
        (asyncssh.import_public_key, file.with_name(f"{file.name}.pub")),
        (asyncssh.import_private_key, file),
    ):
        try:
            return read(_read_file(place)).public_data
        except (OSError, ValueError):
            continue
    return b""


def _private_key(file: Path, ask: PassphrasePrompt) -> asyncssh.SSHKey | None:
    try:
        data = _read_file(file)
    except OSError:
        return None
    try:
        return asyncssh.import_private_key(data)
    except ValueError as error:
        if PASSPHRASE_NEEDED not in str(error):
            return None
    for _ in range(PASSPHRASE_TRIES):
        passphrase = ask(file)
        if not passphrase:
            return None
        with suppress(ValueError):
            return asyncssh.import_private_key(data, passphrase)
    return None
