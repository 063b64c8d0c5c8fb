"""What the person's own ssh settings (`~/.ssh/config`) say of a house."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

import asyncssh
import msgspec

from cartino_protocol.marking import later
from cartino_server.calling.errors import CallRefused
from cartino_server.calling.known_hosts import USUAL_PORT

USUAL_KNOWN_HOSTS: Final = ("~/.ssh/known_hosts",)
SYSTEM_KNOWN_HOSTS: Final = ("/etc/ssh/ssh_known_hosts",)
USUAL_IDENTITIES: Final = tuple(
    f"~/.ssh/id_{kind}" for kind in ("rsa", "ecdsa", "ecdsa_sk", "ed25519", "ed25519_sk")
)
"""The keys that ssh tries by itself, in its order: whoever comes by ssh and by this program is the same person."""
_OF_THE_ENVIRONMENT: Final = "SSH_AUTH_SOCK"
"""The variable with the agent's socket; as an IdentityAgent it stands for that."""


class Address(msgspec.Struct, frozen=True):
    """What the person typed: a host's name or its alias in the settings, and whatever else goes over those."""

    host: str
    user: str | None = None
    port: int | None = None


class Settings(msgspec.Struct, frozen=True):
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


def options_of(address: Address, **more: object) -> dict[str, Any]:
    """The arguments for asyncssh that `address` makes, and `more`."""
    given = {"username": address.user, "port": address.port}
    return {name: value for name, value in given.items() if value is not None} | more


def read_settings(address: Address, environ: Mapping[str, str]) -> Settings:
    """The settings for `address`, with the agent that `environ` names. Raises CallRefused."""
    try:
        # No keys here: they are looked for with the agent at hand, see `identities`.
        options = asyncssh.SSHClientConnectionOptions(
            host=address.host, config=(), **options_of(address, client_keys=None, gss_host=None)
        )
    except (asyncssh.ConfigParseError, ValueError, OSError) as error:
        raise CallRefused(later("Your ssh settings can't be read: {error}", error=error)) from None
    config = options.config
    alias = cast(str | None, config.get("HostKeyAlias"))
    own = _files(config.get("UserKnownHostsFile"), USUAL_KNOWN_HOSTS)
    agent = config.get("IdentityAgent", _OF_THE_ENVIRONMENT)
    if agent == _OF_THE_ENVIRONMENT:
        agent = environ.get(_OF_THE_ENVIRONMENT, "")
    return Settings(
        host=options.host,
        port=options.port,
        known_as=alias or options.host,
        known_port=USUAL_PORT if alias else options.port,
        known_hosts=own,
        all_known_hosts=(*own, *_files(config.get("GlobalKnownHostsFile"), SYSTEM_KNOWN_HOSTS)),
        identities=_files(config.get("IdentityFile"), USUAL_IDENTITIES),
        agent=str(Path(str(agent)).expanduser()) if agent else "",
        identities_only=bool(config.get("IdentitiesOnly", False)),
        with_key=bool(config.get("PubkeyAuthentication", True)),
    )


def _files(named: object, usual: Sequence[str]) -> tuple[Path, ...]:
    """The files that a setting names, none included; the usual ones where it is not set."""
    names = usual if named is None else cast(Sequence[str], named)
    return tuple(Path(name).expanduser() for name in names)
