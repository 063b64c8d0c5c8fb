import asyncssh
import pytest
from asyncssh.packet import MPInt, String

from cartino_server.ssh.authentication import KEY_TYPES, MAX_KEY_BYTES, is_accepted_key
from tests.support.raw_client import rsa_blob


@pytest.mark.parametrize(
    "kind", ["ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "ssh-rsa"]
)
def test_what_people_have_is_fit(kind: str) -> None:
    assert is_accepted_key(asyncssh.generate_private_key(kind).public_data)


def test_security_keys_are_fit() -> None:
    assert is_accepted_key(String(b"sk-ssh-ed25519@openssh.com") + String(b"x" * 32) + String(b"ssh:"))


@pytest.mark.parametrize("bits", [2048, 3072, 16_384])
def test_rsa_keys_of_these_sizes_are_fit(bits: int) -> None:
    assert is_accepted_key(rsa_blob(bits))


@pytest.mark.parametrize(
    "blob",
    [
        b"",
        b"\0\0\0",
        b"\xff" * 40,
        String(b""),
        String(b"ssh-rsa"),
        String(b"ssh-rsa") + String(b"\1\0\1") + b"\0\0\1",
        String(b"ssh-rsa") + MPInt(65537) + MPInt(-(1 << 2047)),
        String(b"ssh-rsa") + MPInt(65537) + MPInt(1 << 2047),
        rsa_blob(2047),
        rsa_blob(16_385),
        rsa_blob(200_000),
        rsa_blob(2048, exponent=1),
        rsa_blob(2048, exponent=65536),
        rsa_blob(2048, exponent=(1 << 64) | 1),
        rsa_blob(2048, exponent=(1 << 2040) | 1),
        String(b"ssh-ed25519-cert-v01@openssh.com") + String(b"x" * 32),
        String(b"x509v3-ssh-rsa") + String(b"x"),
        String(b"ssh-ed25519") + b"x" * MAX_KEY_BYTES,
    ],
)
def test_what_would_cost_too_much_or_is_nonsense_is_not(blob: bytes) -> None:
    assert not is_accepted_key(blob)


def test_dsa_is_not() -> None:
    assert not is_accepted_key(asyncssh.generate_private_key("ssh-dss").public_data)


def test_a_certificate_is_no_key() -> None:
    authority, key = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    assert not is_accepted_key(authority.generate_user_certificate(key, "ann").public_data)
    assert not any(b"cert" in kind for kind in KEY_TYPES)
