"""What a person's own ssh settings say of a server."""

import asyncio
import hashlib
import os
import pwd
import re
from collections.abc import AsyncIterator
from pathlib import Path
from socket import gethostname

import pytest

from cartino_server.client import known_hosts
from cartino_server.client.connection import ConnectRefused
from cartino_server.client.connector import Connector
from cartino_server.client.ssh_config import ServerAddress, SshConfig, read_ssh_config
from tests.support.far_server import FarServer, far_server, greeted
from tests.support.game_server import World, new_server


@pytest.fixture
async def far() -> AsyncIterator[FarServer]:
    async with far_server(new_server(World())) as far:
        yield far


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
    assert found.user == pwd.getpwuid(os.getuid()).pw_name
    assert found.known_hosts == (home / ".ssh/known_hosts",)
    assert Path("/etc/ssh/ssh_known_hosts") in found.all_known_hosts
    assert found.agent == "/run/agent"
    assert found.with_key
    assert not found.identities_only
    assert found.proxy == ()


@pytest.mark.parametrize(
    "other_ssh",
    [
        "",
        "echo 'Usage: ssh [options] host' >&2; exit 1",
        "echo 'No user exists for uid 12345' >&2; exit 255",
    ],
)
def test_where_there_is_no_openssh_the_defaults_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other_ssh: str
) -> None:
    if other_ssh:
        (tmp_path / "ssh").write_text(f"#!/bin/sh\n{other_ssh}\n")
        (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = read_ssh_config(ServerAddress("games", "ann", 2222), {"SSH_AUTH_SOCK": "/run/agent"})
    assert (found.user, found.host, found.port, found.known_as) == ("ann", "games", 2222, "games")
    own = Path(pwd.getpwuid(os.getuid()).pw_dir, ".ssh")
    assert found.known_hosts == (own / "known_hosts",)
    assert found.all_known_hosts == (own / "known_hosts", Path("/etc/ssh/ssh_known_hosts"))
    names = ["id_rsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk"]
    assert found.identities == tuple(own / name for name in names)
    assert found.agent == "/run/agent"


def test_an_alias_stands_for_all_of_it(home: Path) -> None:
    found = read(
        home,
        f"""
        Host games
            HostName games.example.org
            Port 2222
            User ann
            IdentityFile {home}/keys/%r@%h-${{PLACE}}
            IdentityFile "{home}/my keys/100%%"
            IdentitiesOnly yes
            IdentityAgent {home}/agent
            UserKnownHostsFile "{home}/known hosts" {home}/known2
            StrictHostKeyChecking accept-new
            RevokedHostKeys {home}/revoked_%h
            GlobalKnownHostsFile /dev/null
        """,
        SSH_AUTH_SOCK="/run/agent",
        PLACE="home",
    )
    assert (found.user, found.host, found.port, found.known_as, found.known_port) == (
        "ann", "games.example.org", 2222, "games.example.org", 2222,
    )  # fmt: skip
    assert found.identities[:2] == (home / "keys/ann@games.example.org-home", home / "my keys/100%")
    assert found.known_hosts == (home / "known hosts", home / "known2")
    assert found.all_known_hosts == (*found.known_hosts, Path("/dev/null"))
    assert found.agent == str(home / "agent")
    assert found.identities_only
    assert found.revoked == home / "revoked_games.example.org"
    assert found.new_host_keys == "add"


@pytest.mark.parametrize(
    ("value", "new"),
    [("yes", "refuse"), ("no", "add"), ("off", "add"), ("accept-new", "add"), ("ask", "ask")],
)
def test_the_settings_decide_about_keys_of_new_hosts(home: Path, value: str, new: str) -> None:
    assert read(home, f"StrictHostKeyChecking {value}\n").new_host_keys == new


def test_a_file_may_be_named_by_the_hash_of_the_connection(home: Path) -> None:
    found = read(
        home, f"Host games\n HostName g.example.org\n Port 2222\n User ann\n IdentityFile {home}/i_%C\n"
    )
    hashed = hashlib.sha1(f"{gethostname()}g.example.org2222ann".encode(), usedforsecurity=False).hexdigest()
    assert found.identities[0] == home / f"i_{hashed}"


@pytest.mark.parametrize(
    ("line", "token"),
    [
        ("IdentityFile /keys/%Z", "%Z in IdentityFile"),
        ("IdentityFile /keys/${NOT_SET}", "${NOT_SET} in IdentityFile"),
        ("IdentityFile /keys/100%", "% in IdentityFile"),
        ("RevokedHostKeys /keys/%Z", "%Z in RevokedHostKeys"),
        ("ProxyCommand nc %C", "%C in ProxyCommand"),
    ],
)
def test_what_cannot_be_replaced_is_named(home: Path, line: str, token: str) -> None:
    with pytest.raises(ConnectRefused, match=re.escape(f"{token} can't be replaced.")):
        read(home, f"{line}\n")


def test_an_ssh_that_does_not_say_the_hash_is_no_silent_guest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ssh").write_text("#!/bin/sh\necho 'controlpath %C'\necho 'identityfile /keys/%C'\n")
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConnectRefused, match="%C in IdentityFile can't be replaced"):
        read_ssh_config(ServerAddress("games"), {})


def test_known_hosts_are_split_as_ssh_reads_them(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    (home / "my hosts").touch()
    (home / "more").touch()
    line = f'UserKnownHostsFile .ssh/a "my hosts" .ssh/b more "{home}/two words" ~/c\n'
    own = Path(pwd.getpwuid(os.getuid()).pw_dir)
    assert [str(path) for path in read(home, line).known_hosts] == [
        ".ssh/a", "my hosts", ".ssh/b", "more", f"{home}/two words", f"{own}/c",
    ]  # fmt: skip


def test_a_program_that_hands_over_its_connection_is_refused(home: Path) -> None:
    with pytest.raises(ConnectRefused, match="doesn't support ProxyUseFdpass"):
        read(home, "ProxyUseFdpass yes\nProxyCommand connect %h %p\n")
    assert read(home, "ProxyUseFdpass yes\n").proxy == ()


def test_what_is_typed_goes_over_it(home: Path) -> None:
    config = "Match user bob\n HostName bobs.example.org\nHost games\n Port 2222\n User ann\n"
    found = read(home, config, ServerAddress("games", "bob", 2200))
    assert (found.user, found.host, found.port) == ("bob", "bobs.example.org", 2200)


@pytest.mark.parametrize("name", ["O'Brien", "-x", "ann (2)", "ann & bob"])
def test_a_name_that_ssh_takes_for_an_attack_is_a_name_here(home: Path, name: str) -> None:
    assert read(home, "Host games\n Port 2222\n", ServerAddress("games", name)).user == name


@pytest.mark.parametrize(
    "line",
    [
        "ConnectTimeout 5s",
        "PKCS11Provider /usr/lib/no-such.so",
        "ServerAliveInterval 1m",
        "RekeyLimit 1G 1h",
        "ControlPersist 10m",
        "CertificateFile ~/none-cert.pub",
        "Ciphers ^aes256-ctr",
        "HostKeyAlgorithms +ssh-rsa",
        "StrictHostKeyChecking accept-new",
        "AddressFamily inet",
        "CanonicalizeHostname yes",
        "SetEnv A=b",
        "SendEnv LANG",
        "ForwardAgent yes",
        "RequestTTY force",
        "RemoteCommand tmux attach",
        "LocalForward 8080 localhost:80",
        "IdentityFile none",
        "UserKnownHostsFile none",
        "ProxyCommand none",
        "ProxyJump none",
        "LogLevel DEBUG3",
        "BindAddress 127.0.0.1",
        'Match exec "exit 1"',
    ],
)
async def test_whatever_ssh_accepts_stops_nobody(far: FarServer, home: Path, line: str) -> None:
    """Also lines that asyncssh's own parser refuses."""
    file = home / ".ssh" / "known_hosts"
    known_hosts.add_known_host(file, "127.0.0.1", far.port, far.key.convert_to_public())
    rest = f"Host games\n HostName 127.0.0.1\n Port {far.port}\n UserKnownHostsFile {file}\n"
    config = f"{rest} {line}\n" if "none" in line else f"{line}\n{rest}"
    settings = await asyncio.to_thread(read, home, config, ServerAddress("games", "ann"))
    talker = await greeted(Connector(settings, lambda _: ""))
    talker.call.close()
    await talker.end()


def test_a_key_may_be_known_by_another_name_and_none_be_shown(home: Path) -> None:
    found = read(
        home, "Host games\n HostKeyAlias house\n Port 2222\n PubkeyAuthentication no\n IdentityAgent none\n"
    )
    assert (found.known_as, found.known_port) == ("house", 22)
    assert not found.with_key
    assert found.agent == ""


@pytest.mark.parametrize("named", ["SSH_AUTH_SOCK", "$MY_AGENT"])
def test_the_agent_may_be_named_by_a_variable(home: Path, named: str) -> None:
    settings = f"Host games\n IdentityAgent {named}\n"
    assert read(home, settings, None, **{named.removeprefix("$"): "/run/agent"}).agent == "/run/agent"
    assert read(home, settings).agent == ""


@pytest.mark.parametrize(
    ("line", "proxy"),
    [
        ("ProxyJump gate", ("ssh", "-W", "[games.example.org]:2222", "--", "ssh://gate")),
        (
            "ProxyJump bob@first:2200,[::1]:22",
            ("ssh", "-J", "bob@first:2200", "-W", "[games.example.org]:2222", "--", "ssh://[::1]:22"),
        ),
        ("ProxyCommand nc -x %% %h %p", ("/bin/my-sh", "-c", "exec nc -x % games.example.org 2222")),
    ],
)
def test_a_program_may_carry_the_connection(home: Path, line: str, proxy: tuple[str, ...]) -> None:
    config = f"Host games\n HostName games.example.org\n Port 2222\n {line}\n"
    assert read(home, config, SHELL="/bin/my-sh").proxy == proxy


@pytest.mark.parametrize("line", ["Port many", "NoSuchOption yes", "Match nonsense"])
def test_what_ssh_refuses_is_refused_in_its_words(home: Path, line: str) -> None:
    with pytest.raises(ConnectRefused, match=r"Your ssh settings can't be used: .*config:? line 1: "):
        read(home, f"{line}\n")


async def test_settings_that_cant_be_used_are_no_fault_of_the_network(far: FarServer, home: Path) -> None:
    settings = SshConfig("ann\u0378", "127.0.0.1", far.port, "127.0.0.1", far.port, (), (), ())
    with pytest.raises(ConnectRefused, match="Your ssh settings can't be used: "):
        await Connector(settings, lambda _: "").call()
