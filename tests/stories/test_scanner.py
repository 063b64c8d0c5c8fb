"""ssh-audit finds no failure in a real server, and no warnings but the chosen ones."""

import json
import subprocess
import sys
from typing import Final

import msgspec

from tests.support.ssh_world import SshServer

TIME_LIMIT: Final = 60
CHOSEN: Final = {
    ("kex", "curve25519-sha256"),
    ("kex", "curve25519-sha256@libssh.org"),
    ("mac", "hmac-sha2-256"),
    ("mac", "hmac-sha2-512"),
}
"""Warned of because a quantum computer might read it some day, or because the MAC is that of the plain text; older
clients have nothing better."""


class _Notes(msgspec.Struct):
    fail: tuple[str, ...] = ()
    warn: tuple[str, ...] = ()


class _Algorithm(msgspec.Struct):
    algorithm: str
    notes: _Notes = msgspec.field(default_factory=_Notes)


def test_the_scanner_finds_nothing(ssh_server: SshServer) -> None:
    command = [
        sys.executable,
        "-m",
        "ssh_audit.ssh_audit",
        "-j",
        "--skip-rate-test",
        "-t",
        "10",
        f"127.0.0.1:{ssh_server.port}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    found = json.loads(done.stdout)
    assert found["banner"]["software"] == "cartino"
    failed, warned = set(), set()
    for kind in ("kex", "key", "enc", "mac"):
        for each in msgspec.convert(found[kind], list[_Algorithm]):
            failed |= {(kind, each.algorithm)} if each.notes.fail else set()
            warned |= {(kind, each.algorithm)} if each.notes.warn else set()
    assert failed == set()
    assert warned <= CHOSEN
    assert found["cves"] == []
    assert found["compression"] == ["none"]
