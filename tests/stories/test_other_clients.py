"""SSH clients other than OpenSSH: with a key, as a guest, in plain mode; what isn't installed is skipped by name."""

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from shutil import which
from typing import Final

import asyncssh
import pytest

from tests.support.ssh_world import Said, SshServer
from tests.support.terminals import TIME_LIMIT

pytestmark = pytest.mark.e2e

HERE: Final = Path(__file__).parents[1] / "support/ssh_clients"
GO_SOURCES: Final = Path("/usr/share/gocode")
"""Where Debian's golang-golang-x-crypto-dev puts Go's packages."""
NPM_SSH2: Final = "ssh2@1.17.0"
MOST_TABLES: Final = 30
"""Tables at one of which one begins, as chance decides that."""

TURN: Final = "1 1\n2 1\n3 1\n4 1\n5 1\nend\n"
"""Lays what can be laid."""

Command = Callable[[SshServer, str, str, str], list[str]]
"""The command line for a server, a user, the file of their key ("" for a guest), and what to run there."""


def needs(client: str, *programs: str) -> None:
    """Skip unless all `programs` of the client are here."""
    missing = [program for program in programs if which(program) is None]
    if missing:
        pytest.skip(f"{client}: {', '.join(missing)} not installed")


def needs_download(client: str) -> None:
    """Skip unless tests may fetch something: people's own runs of them don't."""
    if not os.environ.get("CI"):
        pytest.skip(f"{client}: fetched only in CI")


def keyless(home: Path) -> dict[str, str]:
    """The environment of somebody without keys of their own."""
    return {**os.environ, "HOME": str(home), "SSH_AUTH_SOCK": ""}


def converted(key: str, kind: str, *command: str) -> str:
    """The file of `key` as another program reads it, made by `command`."""
    path = f"{key}.{kind}"
    if not Path(path).exists():
        subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return path


def dropbear(_: Path) -> Command:
    needs("Dropbear", "dbclient", "dropbearconvert")

    def command(server: SshServer, user: str, key: str, words: str) -> list[str]:
        own = converted(key, "db", "dropbearconvert", "openssh", "dropbear", key, f"{key}.db") if key else ""
        identity = ["-i", own] if own else []
        return ["dbclient", "-y", "-y", *identity, "-p", str(server.port), "-l", user, "127.0.0.1", words]

    return command


def plink(_: Path) -> Command:
    needs("plink", "plink", "puttygen")

    def command(server: SshServer, user: str, key: str, words: str) -> list[str]:
        own = converted(key, "ppk", "puttygen", key, "-o", f"{key}.ppk", "-O", "private") if key else ""
        known = ["-ssh", "-batch", "-noagent", "-hostkey", server.fingerprint, *(["-i", own] if own else [])]
        return ["plink", *known, "-P", str(server.port), "-l", user, "127.0.0.1", words]

    return command


def program(*words: str) -> Command:
    """A client of ours on top of a library, all of which take the same arguments."""
    return lambda server, user, key, command: [*words, str(server.port), user, key, command]


def paramiko(_: Path) -> Command:
    return program(sys.executable, str(HERE / "paramiko_client.py"))


def libssh2(_: Path) -> Command:
    if find_spec("ssh2") is None:
        pytest.skip("libssh2: ssh2-python not installed")
    return program(sys.executable, str(HERE / "libssh2_client.py"))


def node_ssh2(place: Path) -> Command:
    needs("npm's ssh2", "node", "npm")
    needs_download("npm's ssh2")
    install = [
        "npm",
        "install",
        "--prefix",
        str(place),
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        NPM_SSH2,
    ]
    subprocess.run(install, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return program("env", f"NODE_PATH={place / 'node_modules'}", "node", str(HERE / "node_ssh2.js"))


def golang(place: Path) -> Command:
    needs("Go's x/crypto", "go")
    if not (GO_SOURCES / "src/golang.org/x/crypto").exists():
        pytest.skip("Go's x/crypto: golang-golang-x-crypto-dev not installed")
    env = {**os.environ, "GO111MODULE": "off", "GOPATH": str(GO_SOURCES), "GOCACHE": str(place / "cache")}
    build = ["go", "build", "-o", str(place / "client"), str(HERE / "golang.go")]
    subprocess.run(build, check=True, capture_output=True, env=env)
    return program(str(place / "client"))


CLIENTS: Final[dict[str, Callable[[Path], Command]]] = {
    "Dropbear": dropbear,
    "plink": plink,
    "paramiko": paramiko,
    "libssh2": libssh2,
    "npm's ssh2": node_ssh2,
    "Go's x/crypto": golang,
}


USERS: Final = count(1)


class Client:
    """One kind of client, and somebody who uses it."""

    def __init__(self, server: SshServer, command: Command, home: Path) -> None:
        self.user = f"user{next(USERS)}"
        self.key = server.key(self.user)
        self._server, self._command, self._home = server, command, home

    def run(self, words: str, typed: str = "", guest: bool = False) -> Said:
        command = self._command(self._server, self.user, "" if guest else str(self.key), words)
        done = subprocess.run(
            command,
            input=typed,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIME_LIMIT,
            env=keyless(self._home),
        )
        return Said(done.stdout, done.stderr, done.returncode)


@pytest.fixture(params=[*CLIENTS])
def client(request: pytest.FixtureRequest, ssh_server: SshServer, tmp_path: Path) -> Client:
    return Client(ssh_server, CLIENTS[request.param](tmp_path), tmp_path)


@pytest.mark.timeout(300)
def test_it_logs_in_with_a_key_and_without_and_plays(client: Client) -> None:
    assert client.run("games").status == 0
    assert client.run("frobnicate").status == 2
    fingerprint = asyncssh.read_public_key(f"{client.key}.pub").get_fingerprint()
    assert f"Keys: {fingerprint}" in client.run("account").out
    assert client.run("account", guest=True).out.startswith("You're a guest, ~user")
    tables = (client.run("plain new --bots 1", TURN) for _ in range(MOST_TABLES))
    assert any("You ended your turn" in said.out for said in tables)


def test_curl_logs_in(ssh_server: SshServer, tmp_path: Path) -> None:
    """It has libssh2 of the system, and knows no command."""
    needs("curl with libssh2", "curl")
    version = subprocess.run(["curl", "--version"], capture_output=True, text=True, check=True).stdout
    if "libssh2" not in version:
        pytest.skip("curl with libssh2: this one has another SSH library")
    key = str(ssh_server.key("curl"))
    for identity in (["--key", key, "--pubkey", f"{key}.pub"], []):
        words = ["curl", "-q", "-v", "-k", *identity, "-u", "curl:", f"sftp://127.0.0.1:{ssh_server.port}/"]
        said = subprocess.run(
            words, capture_output=True, text=True, check=False, timeout=TIME_LIMIT, env=keyless(tmp_path)
        )
        assert "Authentication complete" in said.stderr
        assert "Unable to request SFTP subsystem" in said.stderr
    fingerprint = asyncssh.read_public_key(f"{key}.pub").get_fingerprint()
    assert fingerprint in ssh_server.log()


def test_mosh_names_what_to_use_instead(ssh_server: SshServer) -> None:
    needs("mosh", "mosh")
    ssh = " ".join(ssh_server.ssh("mosh")[:-1])
    said = subprocess.run(
        ["mosh", f"--ssh={ssh}", "127.0.0.1"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIME_LIMIT,
        env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8"},
    )
    assert "`cartino connect HOST` does the same" in said.stdout, said
