"""The known_hosts files: what OpenSSH wrote is understood, and what is written OpenSSH understands."""

import subprocess
from pathlib import Path

import asyncssh
import pytest

from cartino_server.client.connection import ConnectRefused
from cartino_server.client.known_hosts import (
    HostKeyVerdict,
    add_known_host,
    check_host_key,
    find_known_hosts,
    find_revoked_keys,
    host_name,
)

KEY, OTHER = (asyncssh.generate_private_key("ssh-ed25519").convert_to_public() for _ in range(2))
ECDSA = asyncssh.generate_private_key("ecdsa-sha2-nistp256").convert_to_public()


def text(key: asyncssh.SSHKey) -> str:
    return key.export_public_key().decode().strip()


def verdict(file: Path, host: str = "games.example.org", port: int = 2222) -> HostKeyVerdict:
    return check_host_key(KEY, find_known_hosts([file, file.parent / "nowhere"], host, port))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "known_hosts"


@pytest.mark.parametrize(
    ("lines", "says", "line"),
    [
        ([], "unknown", 0),
        (["[games.example.org]:2222 {key}"], "known", 0),
        (["# a comment", "", "[games.example.org]:2222,[192.0.2.1]:2222 {key} ann@laptop"], "known", 0),
        (["[*.example.org]:2222 {key}"], "known", 0),
        (["[games.example.org]:2222 {other}", "[games.example.org]:2222 {key}"], "known", 0),
        (["[games.example.org]:2222 {other}"], "changed", 1),
        (["# a comment", "[games.example.org]:2222 {ecdsa}"], "changed", 2),
        (["[games.example.org]:2222 {key}", "@revoked * {key}"], "revoked", 2),
        (["@revoked [games.example.org]:2222 {other}"], "unknown", 0),
        (["games.example.org {key}"], "known", 0),
        (["games.example.org {other}"], "unknown", 0),
        (["[games.example.org]:2223 {other}"], "unknown", 0),
        (["@cert-authority *.example.org {key}"], "unknown", 0),
        (["nonsense", "@strange * {key}", "[games.example.org]:2222 ssh-ed25519 AAAA", "|1|x"], "unknown", 0),
    ],
)
def test_each_line_says_what_it_says_to_ssh(file: Path, lines: list[str], says: str, line: int) -> None:
    keys = {"key": text(KEY), "other": text(OTHER), "ecdsa": text(ECDSA)}
    file.write_text("\n".join(each.format(**keys) for each in lines))
    found = verdict(file)
    assert found.says == says
    if line:
        assert found.entry is not None
        assert (found.entry.file, found.entry.line) == (file, line)


@pytest.mark.parametrize("port", [22, 2222])
def test_what_is_added_openssh_finds_hashed_or_not(file: Path, port: int) -> None:
    add_known_host(file, "games.example.org", port, KEY)
    for _ in range(2):
        found = subprocess.run(
            ["ssh-keygen", "-F", host_name("games.example.org", port), "-f", str(file)],
            capture_output=True,
            text=True,
            check=True,
        )
        assert text(KEY).split()[1] in found.stdout
        assert verdict(file, port=port).says == "known"
        assert check_host_key(OTHER, find_known_hosts([file], "games.example.org", port)).says == "changed"
        subprocess.run(["ssh-keygen", "-q", "-H", "-f", str(file)], check=True, capture_output=True)


def test_the_file_and_its_directory_are_nobody_elses(tmp_path: Path) -> None:
    file = tmp_path / ".ssh" / "known_hosts"
    add_known_host(file, "games.example.org", 22, KEY)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_a_last_line_without_an_end_is_left_whole(file: Path) -> None:
    file.write_text(f"[other.example.org]:2222 {text(OTHER)}")
    add_known_host(file, "games.example.org", 2222, KEY)
    assert len(file.read_text().splitlines()) == 2
    assert verdict(file).says == "known"
    assert check_host_key(OTHER, find_known_hosts([file], "other.example.org", 2222)).says == "known"


def test_a_list_of_keys_revokes_them_for_every_host(file: Path) -> None:
    revoked = file.with_name("revoked")
    revoked.write_text(f"# lost\n\n{text(OTHER)} a laptop\n  {text(KEY)}\n")
    add_known_host(file, "games.example.org", 22, KEY)
    found = (*find_known_hosts([file], "games.example.org", 22), *find_revoked_keys(revoked))
    verdict = check_host_key(KEY, found)
    assert verdict.says == "revoked"
    assert verdict.entry is not None
    assert (verdict.entry.file, verdict.entry.line) == (revoked, 4)
    assert check_host_key(ECDSA, find_revoked_keys(revoked)).says == "unknown"


@pytest.mark.parametrize("contents", [None, "/dev/zero", b"SSHKRL\n\0", b"ssh-ed25519 AAAA\n"])
def test_a_list_of_revoked_keys_that_cannot_be_read_is_refused(
    file: Path, contents: str | bytes | None
) -> None:
    if isinstance(contents, bytes):
        file.write_bytes(contents)
    place = Path(contents) if isinstance(contents, str) else file
    with pytest.raises(
        ConnectRefused, match=r"must be a list of public keys, one on each line \(RevokedHostKeys\)"
    ):
        find_revoked_keys(place)


def test_a_file_without_an_end_names_nobody(file: Path) -> None:
    add_known_host(file, "games.example.org", 2222, KEY)
    found = find_known_hosts([Path("/dev/zero"), file], "games.example.org", 2222)
    assert [entry.file for entry in found] == [file]
