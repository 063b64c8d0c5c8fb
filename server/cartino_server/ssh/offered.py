"""Which public keys are looked at at all, told from their bytes before any arithmetic is done with them."""

from typing import Final

from asyncssh.packet import PacketDecodeError, SSHPacket

LONGEST: Final = 2200
"""Bytes of a key: an RSA key of the largest size, and what stands around it."""
LONGEST_SIGNATURE: Final = 2200
"""Bytes of a signature, the same way."""
RSA: Final = b"ssh-rsa"
KINDS: Final = frozenset(
    {
        RSA,
        b"ssh-ed25519",
        b"ecdsa-sha2-nistp256",
        b"ecdsa-sha2-nistp384",
        b"ecdsa-sha2-nistp521",
        b"sk-ssh-ed25519@openssh.com",
        b"sk-ecdsa-sha2-nistp256@openssh.com",
    }
)
"""A certificate is no key: who it names would be for whoever signed it to say."""
SIGNATURES: Final = (
    "ssh-ed25519",
    "sk-ssh-ed25519@openssh.com",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "sk-ecdsa-sha2-nistp256@openssh.com",
    "rsa-sha2-512",
    "rsa-sha2-256",
)
"""How those may sign: what clients are told, and all that is believed. SHA-1 (ssh-rsa, ssh-dss) isn't among them."""
SMALLEST_RSA: Final = 2048
LARGEST_RSA: Final = 16_384
"""Bits."""
LARGEST_EXPONENT: Final = 64
"""Bits: the work of one signature grows with them."""


def is_believed(signature: bytes) -> bool:
    """Whether `signature`, as it is sent, is made in one of the ways of SIGNATURES."""
    try:
        return SSHPacket(signature).get_string().decode("ascii", "replace") in SIGNATURES
    except PacketDecodeError:
        return False


def is_fit(blob: bytes) -> bool:
    """Whether `blob`, a public key as it is sent, is of a kind and size that we look at."""
    if len(blob) > LONGEST:
        return False
    packet = SSHPacket(blob)
    try:
        kind = packet.get_string()
        if kind != RSA:
            return kind in KINDS
        exponent, modulus = packet.get_mpint(), packet.get_mpint()
    except PacketDecodeError:
        return False
    return (
        exponent > 2
        and exponent.bit_length() <= LARGEST_EXPONENT
        and modulus > 0
        and SMALLEST_RSA <= modulus.bit_length() <= LARGEST_RSA
        and bool(exponent & modulus & 1)
    )
