"""What a person's own ssh settings say of a server."""

from pathlib import Path

import pytest

from cartino_server.client.connection import ConnectRefused
from cartino_server.client.ssh_config import ServerAddress, SshConfig, read_ssh_config


def read(home: Path, config: str, address: ServerAddress | None = None, **environ: str) -> SshConfig:
    directory = home / ".ssh"
    directory.mkdir(exist_ok=True)
    (directory / "config").write_text(config)
    return read_ssh_config(address or ServerAddress("games"), environ)


def test_without_any_it_is_as_with_ssh(home: Path) -> None:
    found = read_ssh_config(ServerAddress("games.example.org"), {"SSH_AUTH_SOCK": "/run/agent"})
    assert (found.host, found.port, found.known_as, found.known_port) == (
        "games.example.org", 22, "games.example.org", 22,
    )  # fmt: skip
    assert found.known_hosts == (home / ".ssh/known_hosts",)
    assert [file.name for file in found.all_known_hosts] == ["known_hosts", "ssh_known_hosts"]
    names = ["id_rsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk"]
    assert [file.name for file in found.identities] == names
    assert found.agent == "/run/agent"
    assert found.with_key
    assert not found.identities_only


def test_an_alias_stands_for_all_of_it(home: Path) -> None:
    found = read(
        home,
        """
        Host games
            HostName games.example.org
            Port 2222
            User ann
            IdentityFile ~/keys/games
            IdentitiesOnly yes
            IdentityAgent ~/agent
            UserKnownHostsFile ~/known ~/known2
            GlobalKnownHostsFile /dev/null
        """,
        SSH_AUTH_SOCK="/run/agent",
    )
    assert (found.host, found.port, found.known_as, found.known_port) == (
        "games.example.org", 2222, "games.example.org", 2222,
    )  # fmt: skip
    assert found.identities == (home / "keys/games",)
    assert found.known_hosts == (home / "known", home / "known2")
    assert found.all_known_hosts == (*found.known_hosts, Path("/dev/null"))
    assert found.agent == str(home / "agent")
    assert found.identities_only


def test_what_is_typed_goes_over_it(home: Path) -> None:
    found = read(
        home, "Host games\n HostName games.example.org\n Port 2222\n", ServerAddress("games", "bob", 2200)
    )
    assert found.port == 2200


def test_a_key_may_be_known_by_another_name_and_none_be_shown(home: Path) -> None:
    found = read(
        home, "Host games\n HostKeyAlias house\n Port 2222\n PubkeyAuthentication no\n IdentityAgent none\n"
    )
    assert (found.known_as, found.known_port) == ("house", 22)
    assert not found.with_key
    assert found.agent == ""


def test_the_agent_may_be_named_by_its_variable(home: Path) -> None:
    settings = "Host games\n IdentityAgent SSH_AUTH_SOCK\n"
    assert read(home, settings, SSH_AUTH_SOCK="/run/agent").agent == "/run/agent"
    assert read(home, settings).agent == ""


def test_settings_that_cant_be_read_are_said_to_be_so(home: Path) -> None:
    with pytest.raises(ConnectRefused, match="Your ssh settings can't be read:"):
        read(home, "Host games\n Port many\n")
