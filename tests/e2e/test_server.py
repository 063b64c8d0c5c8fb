"""The server's own end, and the reasons for which it doesn't begin."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.support.escapes import left_changed
from tests.support.seen_table import turn_comes_to
from tests.support.ssh_world import CARTINO, Server, SshServer

pytestmark = pytest.mark.e2e

CLOSED_BY_THE_SERVER = 75
"""What ssh exits with when it was not the person who ended the visit."""


def serve(*options: str, stdin: int = subprocess.DEVNULL) -> subprocess.CompletedProcess[str]:
    words = [*CARTINO, "serve", *options]
    return subprocess.run(words, stdin=stdin, capture_output=True, text=True, check=False, timeout=60)


def test_a_stopped_server_tells_everybody_and_gives_the_terminals_back(
    own_server: tuple[SshServer, Server],
) -> None:
    ssh_server, server = own_server
    ann = ssh_server.visit("ann", "new")
    bob = ssh_server.visit("bob", "join", ann.sees(r"table ([A-Z0-9]{4})")[1])
    turn_comes_to([ann, bob], ["ann", "bob"], -1)
    eve = ssh_server.visit("eve")
    eve.sees("Esc +skip")
    eve.press("escape")
    eve.sees("ann")

    server.tell_to_end()
    statuses = [window.exit_status() for window in (ann, bob, eve)]
    for window in (ann, bob, eve):
        assert left_changed(window.raw) == {}
        ending = window.raw[window.raw.rindex(b"\x1b[?1049l") :]
        assert re.search(
            rb"The server will be back in a moment\. (Your seat is kept: c|C)onnect again the same\s+way\.\r\n",
            ending,
        ), ending
    assert server.exit_status() == 0
    assert statuses == [CLOSED_BY_THE_SERVER] * 3


def test_nobody_is_let_in_twice_through_one_port(
    own_server: tuple[SshServer, Server], tmp_path: Path
) -> None:
    ssh_server, _ = own_server
    done = serve("--port", str(ssh_server.port), "--data", str(tmp_path / "other"))
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(
        rf"Another program is listening on 127\.0\.0\.1, port {ssh_server.port}; stop it, .+\.\n", done.stderr
    )
    assert ssh_server.run("ann", "games").status == 0


def test_a_damaged_host_key_is_left_as_it_is(tmp_path: Path) -> None:
    key = tmp_path / "host_key"
    tmp_path.chmod(0o700)
    key.write_bytes(b"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn")
    key.chmod(0o600)
    done = serve("--port", "0", "--data", str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"The host key .*host_key is damaged\. .+\.\n", done.stderr)
    assert key.read_bytes() == b"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn"
    assert {path.name for path in tmp_path.iterdir()} == {"host_key", "lock"}


def test_broken_settings_are_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "cartino.toml"
    file.write_text("port = 22 22\n")
    done = serve("--config", str(file), "--data", str(tmp_path / "data"))
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(rf"The settings in {re.escape(str(file))} are invalid: .+\.\n", done.stderr)
    assert not (tmp_path / "data").exists()


def test_the_key_is_made_once(tmp_path: Path) -> None:
    greetings = []
    for _ in range(2):
        server = Server(tmp_path)
        greetings.append(server.greeting.split("host key ")[1])
        server.ends_well()
    assert greetings[0] == greetings[1]
    assert (tmp_path / "data" / "host_key").stat().st_mode & 0o077 == 0
