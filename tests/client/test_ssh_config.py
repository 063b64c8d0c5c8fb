"""What a person's own ssh settings say of a server, and which key they show: ssh's order, an agent's before files."""

import asyncio
import hashlib
import os
import pwd
import re
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from socket import gethostname

import asyncssh
import pytest

from cartino_server.client import known_hosts, ssh_config
from cartino_server.client.connection import ConnectRefused
from cartino_server.client.connector import Connector
from cartino_server.client.ssh_config import (
    PASSPHRASE_TRIES,
    ServerAddress,
    SshConfig,
    agent_keys,
    file_keys,
    read_ssh_config,
)
from tests.support.far_server import FarServer, far_server, greeted
from tests.support.game_server import World, new_server

OWN = Path(pwd.getpwuid(os.getuid()).pw_dir)


@pytest.fixture
async def far() -> AsyncIterator[FarServer]:
    async with far_server(new_server(World())) as far:
        yield far


def read(home: Path, config: str, address: ServerAddress | None = None, **environ: str) -> SshConfig:
    directory = home / ".ssh"
    directory.mkdir(exist_ok=True)
    (directory / "config").write_text(config)
    return read_ssh_config(address or ServerAddress("games"), environ)


def other_ssh(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Only that program is called ssh; none with an empty `script`."""
    if script:
        (folder / "ssh").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_without_any_it_is_as_with_ssh(home: Path) -> None:
    found = read_ssh_config(ServerAddress("games.example.org"), {"SSH_AUTH_SOCK": "/run/agent"})
    assert (found.host, found.port, found.known_as, found.known_port) == (*("games.example.org", 22) * 2,)
    assert (found.user, found.agent) == (pwd.getpwuid(os.getuid()).pw_name, "/run/agent")
    assert found.known_hosts == (home / ".ssh/known_hosts",)
    assert Path("/etc/ssh/ssh_known_hosts") in found.all_known_hosts
    assert (found.with_key, found.identities_only, found.proxy) == (True, False, ())


@pytest.mark.parametrize(
    "script",
    [
        "",
        "echo 'Usage: ssh [options] host' >&2; exit 1",
        "echo 'No user exists for uid 12345' >&2; exit 255",
    ],
)
def test_where_there_is_no_openssh_the_defaults_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    other_ssh(tmp_path, monkeypatch, script)
    found = read_ssh_config(ServerAddress("games", "ann", 2222), {"SSH_AUTH_SOCK": "/run/agent"})
    assert (found.user, found.host, found.port, found.known_as) == ("ann", "games", 2222, "games")
    assert found.known_hosts == (OWN / ".ssh/known_hosts",)
    assert found.all_known_hosts == (*found.known_hosts, Path("/etc/ssh/ssh_known_hosts"))
    names = ["id_rsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk"]
    assert found.identities == tuple(OWN / ".ssh" / name for name in names)
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
            IdentityFile {home}/i_%C
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
        *("ann", "games.example.org", 2222, "games.example.org", 2222),
    )
    joined = f"{gethostname()}games.example.org2222ann"
    hashed = hashlib.sha1(joined.encode(), usedforsecurity=False).hexdigest()
    assert found.identities[:3] == (
        *(home / "keys/ann@games.example.org-home", home / "my keys/100%", home / f"i_{hashed}"),
    )
    assert found.known_hosts == (home / "known hosts", home / "known2")
    assert found.all_known_hosts == (*found.known_hosts, Path("/dev/null"))
    assert (found.agent, found.identities_only, found.new_host_keys) == (str(home / "agent"), True, "add")
    assert found.revoked == home / "revoked_games.example.org"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        *(
            (f"StrictHostKeyChecking {value}", {"new_host_keys": new})
            for new, values in {"refuse": ["yes"], "add": ["no", "off", "accept-new"], "ask": ["ask"]}.items()
            for value in values
        ),
        ("HostKeyAlias house\n Port 2222", {"known_as": "house", "known_port": 22}),
        ("PubkeyAuthentication no\n IdentityAgent none", {"with_key": False, "agent": ""}),
        ("IdentityAgent SSH_AUTH_SOCK", {"agent": "/run/agent"}),
        ("IdentityAgent $MY_AGENT", {"agent": "/run/mine"}),
        ("IdentityAgent $NO_AGENT", {"agent": ""}),
        ("ProxyUseFdpass yes", {"proxy": ()}),
        ("ProxyJump gate", {"proxy": ("ssh", "-W", "[games.example.org]:2222", "--", "ssh://gate")}),
        (
            "ProxyJump bob@first:2200,[::1]:22",
            {
                "proxy": (
                    *("ssh", "-J", "bob@first:2200", "-W", "[games.example.org]:2222", "--"),
                    "ssh://[::1]:22",
                )
            },
        ),
        (
            "ProxyCommand nc -x %% %h %p",
            {"proxy": ("/bin/my-sh", "-c", "exec nc -x % games.example.org 2222")},
        ),
    ],
)
def test_a_setting(home: Path, line: str, expected: dict[str, object]) -> None:
    environ = {"SSH_AUTH_SOCK": "/run/agent", "MY_AGENT": "/run/mine", "SHELL": "/bin/my-sh"}
    config = f"Host games\n {line}\n HostName games.example.org\n Port 2222\n"
    found = read(home, config, None, **environ)
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ("IdentityFile /keys/%Z", "%Z in IdentityFile can't be replaced."),
        ("IdentityFile /keys/${NOT_SET}", "${NOT_SET} in IdentityFile can't be replaced."),
        ("IdentityFile /keys/100%", "% in IdentityFile can't be replaced."),
        ("RevokedHostKeys /keys/%Z", "%Z in RevokedHostKeys can't be replaced."),
        ("ProxyCommand nc %C", "%C in ProxyCommand can't be replaced."),
        ("ProxyUseFdpass yes\nProxyCommand connect %h %p", "doesn't support ProxyUseFdpass"),
        ("Port many", "line 1: "),
        ("NoSuchOption yes", "line 1: "),
        ("Match nonsense", "line 1: "),
    ],
)
def test_what_can_not_be_used_is_named(home: Path, line: str, refusal: str) -> None:
    with pytest.raises(ConnectRefused, match=rf"Your ssh settings can't be used: .*{re.escape(refusal)}"):
        read(home, f"{line}\n")


def test_an_ssh_that_does_not_say_the_hash_is_no_silent_guest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other_ssh(tmp_path, monkeypatch, "echo 'controlpath %C'\necho 'identityfile /keys/%C'")
    with pytest.raises(ConnectRefused, match="%C in IdentityFile can't be replaced"):
        read_ssh_config(ServerAddress("games"), {})


def test_known_hosts_are_split_as_ssh_reads_them(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    for name in ("my hosts", "more"):
        (home / name).touch()
    line = f'UserKnownHostsFile .ssh/a "my hosts" .ssh/b more "{home}/two words" ~/c\n'
    assert [str(path) for path in read(home, line).known_hosts] == [
        *(".ssh/a", "my hosts", ".ssh/b", "more", f"{home}/two words", f"{OWN}/c")
    ]


def test_what_is_typed_goes_over_it(home: Path) -> None:
    config = "Match user bob\n HostName bobs.example.org\nHost games\n Port 2222\n User ann\n"
    found = read(home, config, ServerAddress("games", "bob", 2200))
    assert (found.user, found.host, found.port) == ("bob", "bobs.example.org", 2200)
    for name in ("O'Brien", "-x", "ann (2)", "ann & bob"):
        assert read(home, config, ServerAddress("games", name)).user == name, "ssh takes it for an attack"


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


async def test_settings_that_cant_be_used_are_no_fault_of_the_network(far: FarServer) -> None:
    settings = SshConfig("ann\u0378", "127.0.0.1", far.port, "127.0.0.1", far.port, (), (), ())
    with pytest.raises(ConnectRefused, match="Your ssh settings can't be used: "):
        await Connector(settings, lambda _: "").call()


SECRET = "open sesame"


def with_files(*files: Path, agent: str = "", only: bool = False, with_key: bool = True) -> SshConfig:
    return SshConfig("ann", "h", 22, "h", 22, (), (), files, agent, only, with_key)


def a_key(file: Path, passphrase: str | None = None, *, public: bool = True) -> bytes:
    key = asyncssh.generate_private_key("ssh-ed25519")
    # As many rounds as protect a real key take half a second each time.
    rounds = {"rounds": 1, "ignore_few_rounds": True} if passphrase else {}
    key.write_private_key(file, passphrase=passphrase, **rounds)
    file.chmod(0o600)
    if public:
        key.write_public_key(f"{file}.pub")
    return key.public_data


async def shown(found: SshConfig, *typed: str) -> list[bytes]:
    """The keys that somebody shows who types that, and is asked for no more."""
    left = list(typed)
    async with agent_keys(found) as held:
        keys = [key.public_data for key in held or file_keys(found, lambda _: left.pop(0))]
    assert left == []
    return keys


async def test_the_first_file_that_is_there_is_the_key(tmp_path: Path) -> None:
    (tmp_path / "broken").write_text("no key at all")
    first, second = a_key(tmp_path / "one"), a_key(tmp_path / "two")
    assert first != second
    files = [tmp_path / name for name in ("none", "broken", "one", "two")]
    assert await shown(with_files(Path("/dev/zero"), *files)) == [first]
    assert await shown(with_files(tmp_path / "none")) == []
    assert await shown(with_files(tmp_path / "one", with_key=False)) == []


@pytest.mark.parametrize(
    ("typed", "is_open"),
    [
        *(((*("wrong",) * wrong, SECRET), True) for wrong in range(PASSPHRASE_TRIES)),
        (("wrong",) * PASSPHRASE_TRIES, False),
        (("",), False),
        (("wrong", ""), False),
    ],
)
async def test_a_passphrase_is_asked_for_up_to_three_times_then_the_next_key_is_shown(
    tmp_path: Path, typed: tuple[str, ...], is_open: bool
) -> None:
    locked, other = a_key(tmp_path / "locked", SECRET), a_key(tmp_path / "other")
    with pytest.raises(asyncssh.KeyImportError, match=ssh_config.PASSPHRASE_NEEDED):
        asyncssh.read_private_key(tmp_path / "locked")
    files = with_files(tmp_path / "locked", tmp_path / "other")
    assert await shown(files, *typed) == [locked if is_open else other]


class TestAgent:
    @pytest.fixture
    def agent(self, tmp_path: Path) -> Iterator[str]:
        """A running ssh-agent's socket."""
        socket = str(tmp_path / "agent")
        process = subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.DEVNULL)
        while not os.path.exists(socket):
            assert process.poll() is None
        yield socket
        process.terminate()
        process.wait()

    def add(self, agent: str, *files: Path) -> None:
        environ = {**os.environ, "SSH_AUTH_SOCK": agent}
        subprocess.run(["ssh-add", "-q", *map(str, files)], env=environ, check=True)

    async def test_its_keys_come_first_and_those_that_are_named_before_the_others(
        self, agent: str, tmp_path: Path
    ) -> None:
        files = [tmp_path / name for name in ("one", "two", "three")]
        one, two, three = map(a_key, files)
        self.add(agent, *files)
        assert await shown(with_files(agent=agent)) == [one, two, three]
        assert await shown(with_files(files[2], agent=agent)) == [three, one, two]
        assert await shown(with_files(files[2], agent=agent, only=True)) == [three]

    @pytest.mark.parametrize("name", ["only.pub", "only"])
    async def test_a_key_may_be_named_by_a_file_of_its_public_half(
        self, agent: str, tmp_path: Path, name: str
    ) -> None:
        one, two = (a_key(tmp_path / key) for key in ("one", "two"))
        self.add(agent, tmp_path / "one", tmp_path / "two")
        (tmp_path / "two.pub").rename(tmp_path / name)
        (tmp_path / "two").unlink()
        assert await shown(with_files(tmp_path / name, agent=agent)) == [two, one]
        assert await shown(with_files(tmp_path / name, agent=agent, only=True)) == [two]

    async def test_a_locked_key_that_it_holds_needs_no_passphrase(self, agent: str, tmp_path: Path) -> None:
        file = tmp_path / "one"
        key = a_key(file)
        self.add(agent, file)
        asyncssh.read_private_key(file).write_private_key(file, passphrase=SECRET, rounds=50)
        assert await shown(with_files(file, agent=agent)) == [key]

    async def test_without_any_key_in_it_or_without_it_the_files_count(
        self, agent: str, tmp_path: Path
    ) -> None:
        key = a_key(tmp_path / "one", public=False)
        for socket in (agent, str(tmp_path / "nowhere")):
            assert await shown(with_files(tmp_path / "one", agent=socket)) == [key]
