"""Ask ssh what it would use for a server (`ssh -G`), and read those keys and agents.

Keys are tried in ssh's order, since the first accepted key decides who the user is.
"""

import os
import pwd
import re
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import islice
from pathlib import Path
from socket import gethostname
from typing import Final, Literal

import asyncssh
import msgspec

from cartino_protocol.text import N_, LazyMessage, legible
from cartino_server.client.connection import ConnectRefused
from cartino_server.client.known_hosts import DEFAULT_PORT, read_file

_AGENT_VARIABLE: Final = "SSH_AUTH_SOCK"
"""The variable with the agent's socket; the option IdentityAgent may name it."""
_DEFAULTS: Final = {
    "userknownhostsfile": ["~/.ssh/known_hosts"],
    "globalknownhostsfile": ["/etc/ssh/ssh_known_hosts"],
    "identityfile": [f"~/.ssh/id_{kind}" for kind in ("rsa", "ecdsa", "ecdsa_sk", "ed25519", "ed25519_sk")],
}
"""Options of ssh where none is installed, in its order, so that people are the same person here."""
BAD_SETTINGS: Final = N_("Your ssh settings can't be used: {error}")
_BAD_TOKEN: Final = N_("Your ssh settings can't be used: {token} in {option} can't be replaced.")
_NO_DESCRIPTOR: Final = N_(
    "Your ssh settings can't be used: `cartino connect` doesn't support ProxyUseFdpass. Use ProxyJump or a "
    "ProxyCommand that carries the connection itself."
)
_HASH_TOKEN: Final = "%C"
"""The hash of the connection, which differs between versions of ssh."""
_COMMAND_TOKENS: Final = frozenset("%hknpr")
"""The tokens that ssh replaces in a ProxyCommand."""
_NO_ACCOUNT: Final = "No user exists for uid"
"""The error message of ssh for a user without a passwd entry."""
_CHECKED_USER: Final = re.compile(r"[\w.@+][\w.@+ -]*")
"""Names that every ssh accepts; others are names at the table only."""


NewHostKeys = Literal["ask", "add", "refuse"]
_NEW_HOST_KEYS: Final[Mapping[str, NewHostKeys]] = {
    "true": "refuse",
    "yes": "refuse",
    "accept-new": "add",
    "false": "add",
    "no": "add",
    "off": "add",
}
"""What each value of StrictHostKeyChecking means; the others ask. A changed key is always refused."""


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
    program that carries the connection, with its arguments. `revoked` is a file of revoked host keys. `new_host_keys`
    says what happens to a key of an unknown host.
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
    revoked: Path | None = None
    new_host_keys: NewHostKeys = "ask"


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
    if (hashed := first("controlpath", _HASH_TOKEN)) != _HASH_TOKEN:
        tokens["C"] = hashed

    def known_hosts(name: str) -> tuple[Path, ...]:
        lines = options.get(name, [])
        paths = (_expand(path, tokens, environ) for line in lines for path in _split_paths(line))
        return tuple(Path(path) for path in paths if path != "none")

    def keys(name: str, option: str) -> tuple[Path, ...]:
        paths = (path for path in options.get(name, []) if path != "none")
        return tuple(Path(_expand(path, tokens, environ, option)) for path in paths)

    agent = first("identityagent", _AGENT_VARIABLE if "identityagent" not in options else "")
    if agent == _AGENT_VARIABLE or agent.startswith("$"):
        agent = environ.get(agent.removeprefix("$"), "")
    own = known_hosts("userknownhostsfile")
    command = first("proxycommand")
    if command and first("proxyusefdpass") == "yes":
        raise ConnectRefused(LazyMessage(_NO_DESCRIPTOR))
    return SshConfig(
        user=user,
        host=host,
        port=port,
        known_as=alias or host,
        known_port=DEFAULT_PORT if alias else port,
        known_hosts=own,
        all_known_hosts=(*own, *known_hosts("globalknownhostsfile")),
        identities=keys("identityfile", "IdentityFile"),
        agent=agent,
        identities_only=first("identitiesonly") == "yes",
        with_key=first("pubkeyauthentication") not in {"no", "false"},
        proxy=_proxy(command, first("proxyjump"), tokens, environ),
        revoked=next(iter(keys("revokedhostkeys", "RevokedHostKeys")), None),
        new_host_keys=_NEW_HOST_KEYS.get(first("stricthostkeychecking"), "ask"),
    )


def _ask_ssh(address: ServerAddress) -> dict[str, list[str]]:
    """Return the options that `ssh -G` prints; none if there is no OpenSSH. Raises ConnectRefused."""
    # The path of a control socket is printed with its tokens replaced: so ssh itself says what %C is.
    words = ["ssh", "-G", "-T", "-o", f"ControlPath={_HASH_TOKEN}"]
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
        if "usage:" in why.lower() or why.startswith(_NO_ACCOUNT):
            # Another program of that name, as Dropbear's, without the option; or a user id without an account.
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


def _split_paths(line: str) -> Iterator[str]:
    """Return the paths in `line`, where ssh prints them without quotes: a path with a space needs a guess.

    The longest file that exists is a path; else it ends before a word that begins another path.
    """
    words = line.split(" ")
    while words:
        end = _existing(words) or next(
            (end for end in range(1, len(words)) if "/" in words[end] or _existing(words[end:])), len(words)
        )
        yield " ".join(words[:end])
        words = words[end:]


def _existing(words: Sequence[str]) -> int:
    """Return how many of the first `words` are together the longest name of a file; 0 for none."""
    ends = range(len(words), 0, -1)
    return next((end for end in ends if os.path.isfile(os.path.expanduser(" ".join(words[:end])))), 0)


def _expand(path: str, tokens: Mapping[str, str], environ: Mapping[str, str], option: str = "") -> str:
    """Return `path` with home directory, tokens and variables, which `ssh -G` doesn't expand in all options.

    Raises ConnectRefused for one that can't be expanded in the `option` of that name; others are expanded already.
    """
    if path.startswith("~/"):
        path = f"{tokens['d']}{path[1:]}"
    path = _expand_tokens(path, tokens, option)

    def value(found: re.Match[str]) -> str:
        return _replacement(environ.get(found[1]), found[0], option)

    return re.sub(r"\$\{(\w+)\}", value, path)


def _expand_tokens(text: str, tokens: Mapping[str, str], option: str) -> str:
    return re.sub("%(.?)", lambda found: _replacement(tokens.get(found[1]), found[0], option), text)


def _replacement(value: str | None, found: str, option: str) -> str:
    if value is None and option:
        raise ConnectRefused(LazyMessage(_BAD_TOKEN, {"token": legible(found), "option": option}))
    return found if value is None else value


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
        allowed = {token: value for token, value in tokens.items() if token in _COMMAND_TOKENS}
        command = _expand_tokens(command, allowed, "ProxyCommand")
        return (environ.get("SHELL") or "/bin/sh", "-c", f"exec {command}")
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
    """Return the public key of `file`, or in it, if it can be read without a passphrase."""
    for read, place in (
        (asyncssh.import_public_key, file.with_name(f"{file.name}.pub")),
        (asyncssh.import_private_key, file),
        # The private key may be in the agent alone.
        (asyncssh.import_public_key, file),
    ):
        try:
            return read(read_file(place)).public_data
        except (OSError, ValueError):
            continue
    return b""


def _private_key(file: Path, ask: PassphrasePrompt) -> asyncssh.SSHKey | None:
    try:
        data = read_file(file)
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
