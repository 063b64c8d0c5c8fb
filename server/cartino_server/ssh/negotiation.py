"""The algorithms that the server offers, and what a client's offer lacks.

What comes first is for current clients, the rest for clients that have nothing better. ssh-audit fails none of it.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from asyncssh.kex import get_kex_algs
from asyncssh.mac import get_mac_algs
from asyncssh.packet import SSHPacket

from cartino_protocol.text import legible


def _available(wanted: Iterable[str], known: Iterable[bytes]) -> tuple[str, ...]:
    names = {name.decode() for name in known}
    return tuple(name for name in wanted if name in names)


KEX: Final = _available(
    ("mlkem768x25519-sha256", "curve25519-sha256", "curve25519-sha256@libssh.org"), get_kex_algs()
)
HOST_KEYS: Final = ("ssh-ed25519",)
CIPHERS: Final = ("aes256-gcm@openssh.com", "aes128-gcm@openssh.com", "aes256-ctr", "aes128-ctr")
MACS: Final = _available(
    (
        *("hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com", "umac-128-etm@openssh.com"),
        *("hmac-sha2-256", "hmac-sha2-512"),
    ),
    get_mac_algs(),
)
"""Plain HMACs go with CTR ciphers, which the Terrapin attack doesn't affect."""
COMPRESSIONS: Final = ("none",)
_OWN_MAC: Final = "-gcm@openssh.com"
"""Suffix of ciphers that need no MAC."""

MAX_LOGGED: Final = 200
"""Characters that a log line has of a text that a client sent."""


def loggable(text: str) -> str:
    """Return the start of a client's text without invisible characters."""
    return legible(text[:MAX_LOGGED], "?")


class Missing(NamedTuple):
    """What client and server have no common algorithm for, and what the client offered, as the log has it."""

    kind: str
    offered: str


class Offer(NamedTuple):
    """A client's KEXINIT. Of each pair of lists, the first is for what the client sends."""

    kex: Sequence[bytes]
    host_keys: Sequence[bytes]
    ciphers: tuple[Sequence[bytes], Sequence[bytes]]
    macs: tuple[Sequence[bytes], Sequence[bytes]]
    compressions: tuple[Sequence[bytes], Sequence[bytes]]
    guesses: bool
    """Whether the client's next packet belongs to the key exchange that it prefers."""

    def is_wrong_guess(self, kex: Sequence[bytes], host_keys: Sequence[bytes]) -> bool:
        """Return whether the next packet must be ignored by a server that offers `kex` and `host_keys`.

        A guess is right only if both sides prefer the same key exchange and the same kind of host key, even when the
        client's first choice is chosen in the end (RFC 4253, 7).
        """
        return self.guesses and (self.kex[:1] != kex[:1] or self.host_keys[:1] != host_keys[:1])

    def missing(self) -> Missing | None:
        """Return the first kind of algorithm that is missing, None if there is one of each."""
        lists = [("key exchange", self.kex, KEX), ("host key", self.host_keys, HOST_KEYS)]
        for offered, macs in zip(self.ciphers, self.macs, strict=True):
            lists.append(("cipher", offered, CIPHERS))
            if not (_common(offered, CIPHERS) or "").endswith(_OWN_MAC):
                lists.append(("MAC", macs, MACS))
        lists += [("compression", offered, COMPRESSIONS) for offered in self.compressions]
        for kind, theirs, ours in lists:
            if _common(theirs, ours) is None:
                # Cut first: a packet has up to 256 KB.
                names = b",".join(theirs[:MAX_LOGGED])[:MAX_LOGGED]
                return Missing(kind, loggable(names.decode("ascii", "replace")))
        return None


def _common(theirs: Sequence[bytes], ours: Sequence[str]) -> str | None:
    """Return the client's first algorithm that the server has."""
    wanted = {name.encode() for name in ours}
    return next((name.decode() for name in theirs if name in wanted), None)


def read_offer(packet: SSHPacket) -> Offer:
    """Return the offer in a KEXINIT without consuming it. Raises PacketDecodeError."""
    rest = SSHPacket(packet.get_remaining_payload())
    rest.get_bytes(16)
    kex, host_keys, *lists = (rest.get_namelist() for _ in range(10))
    ciphers, macs, compressions = ((lists[at], lists[at + 1]) for at in (0, 2, 4))
    return Offer(kex, host_keys, ciphers, macs, compressions, rest.get_boolean())
