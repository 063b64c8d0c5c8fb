"""How keys may sign: what clients are told, what the real ones make of it, and that SHA-1 is nowhere among it."""

from pathlib import Path

import asyncssh
import pytest
from asyncssh.packet import MPInt, String

from cartino_server.ssh.authentication import SIGNATURE_ALGORITHMS, is_accepted_signature
from tests.ssh.conftest import Connect, FakeReception, OpenSSH

KINDS = ("ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "ssh-rsa")


async def made(openssh: OpenSSH, path: Path, kind: str, *how: str) -> Path:
    """The key of that kind, in the file `path`."""
    status, _, _ = await openssh.program("ssh-keygen", "-q", "-t", kind, *how, "-N", "", "-f", str(path))
    assert status == 0
    return path


async def test_openssh_is_told_of_what_is_believed_and_of_nothing_else(
    openssh: OpenSSH, user_key: Path, reception: FakeReception
) -> None:
    status, _, told = await openssh.run("games", before=["-vv"], key=user_key)
    assert status == 0
    (named,) = [line for line in told.splitlines() if "server-sig-algs=<" in line]
    assert named.partition("<")[2].partition(">")[0].split(",") == list(SIGNATURE_ALGORITHMS)
    (hosts,) = [line for line in told.splitlines() if "peer server KEXINIT proposal" in line]
    proposal = told[told.index(hosts) :].splitlines()
    assert next(line for line in proposal if "host key algorithms" in line).endswith(": ssh-ed25519")


@pytest.mark.parametrize(
    ("kind", "accepted"),
    [("ed25519", ""), ("ecdsa", ""), ("rsa", ""), ("rsa", "rsa-sha2-256"), ("rsa", "rsa-sha2-512")],
)
async def test_openssh_comes_in_by_any_key_that_it_makes(
    openssh: OpenSSH, reception: FakeReception, tmp_path: Path, kind: str, accepted: str
) -> None:
    key = await made(openssh, tmp_path / "id", kind)
    before = ["-o", f"PubkeyAcceptedAlgorithms={accepted}"] if accepted else []
    assert (await openssh.run("games", before=before, key=key))[0] == 0
    assert reception.visitors[0].key == asyncssh.read_public_key(f"{key}.pub").get_fingerprint()


async def test_an_openssh_that_signs_with_sha_1_alone_is_a_guest(
    openssh: OpenSSH, reception: FakeReception, tmp_path: Path
) -> None:
    """It knows what the server takes and doesn't offer the key, so nobody but itself can say so."""
    key = await made(openssh, tmp_path / "id", "rsa")
    status, _, _ = await openssh.run("games", before=["-o", "PubkeyAcceptedAlgorithms=ssh-rsa"], key=key)
    assert status == 0
    assert reception.visitors[0].guest


@pytest.mark.parametrize(
    ("kind", "bits", "options", "fault"),
    [
        ("rsa", "1024", ["RequiredRSASize=1024"], "RSA, 1024 bits"),
        ("dsa", "1024", ["PubkeyAcceptedAlgorithms=+ssh-dss"], "ssh-dss"),
    ],
)
async def test_an_openssh_whose_key_cannot_be_used_is_a_guest_and_told_why(
    openssh: OpenSSH,
    reception: FakeReception,
    tmp_path: Path,
    kind: str,
    bits: str,
    options: list[str],
    fault: str,
) -> None:
    key = await made(openssh, tmp_path / "id", kind, "-b", bits)
    before = [word for option in options for word in ("-o", option)]
    said = f"You're a guest: your key can't be used here ({fault}). Use an Ed25519 key."
    assert await openssh.run("games", before=before, key=key) == (0, "told\n", f"{said}\n")
    assert reception.visitors[0].guest
    # A screen gets it through its link instead.
    screen = openssh.screen(*before, key=key)
    await screen.shows("face")
    assert "guest" not in screen.text()
    assert reception.visitors[1].unusable_key == fault


async def test_a_client_that_signs_with_sha_1_whatever_it_is_told_is_a_guest(
    connect: Connect, reception: FakeReception
) -> None:
    key = asyncssh.generate_private_key("ssh-rsa", key_size=2048)
    async with connect("ann", key, signature_algs=["ssh-rsa"]) as connection:
        ran = await connection.run("games")
    assert ran.stdout == b"told\n"
    assert b"(RSA, SHA-1)" in ran.stderr
    assert reception.visitors[0].guest


async def test_nor_is_one_believed_that_says_sha_2_and_signs_with_sha_1(
    connect: Connect, reception: FakeReception, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = asyncssh.generate_private_key("ssh-rsa", key_size=2048)
    sign = type(key).sign
    monkeypatch.setattr(type(key), "sign", lambda own, data, _: sign(own, data, b"ssh-rsa"))
    async with connect("ann", key) as connection:
        await connection.run("games")
    assert reception.visitors[0].guest


@pytest.mark.parametrize("kind", KINDS)
def test_a_signature_is_known_by_its_name(kind: str) -> None:
    key = asyncssh.generate_private_key(kind)
    ways = [way for way in key.sig_algorithms if way.decode() in SIGNATURE_ALGORITHMS]
    assert ways
    assert all(is_accepted_signature(key.sign(b"data", way)) for way in ways)
    assert is_accepted_signature(String(b"sk-ssh-ed25519@openssh.com") + String(b"x"))


@pytest.mark.parametrize(
    "signature",
    [
        b"",
        b"\0\0\0",
        String(b""),
        String(b"ssh-rsa") + String(b"x"),
        String(b"ssh-dss") + MPInt(5),
        String(b"\xff"),
    ],
)
def test_others_are_none(signature: bytes) -> None:
    assert not is_accepted_signature(signature)
