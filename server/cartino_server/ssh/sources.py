"""Where connections come from, so that they can be counted: an address, and the network that one person may have."""

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address
from typing import Final

import msgspec

from cartino_server.networks import Address, read_address, read_network

NETWORK_BITS: Final = 64
"""Of an IPv6 address: who has one has all of such a network."""


WIDER_BITS: Final = {4: (24, 16), 6: (48, 32)}
"""Of networks that one customer may have, and one provider, by IP version."""


class Source(msgspec.Struct, frozen=True):
    """`address` in its usual spelling; `network`: what it counts as, the same for all addresses of one person."""

    address: str
    network: str


def source_of(address: str) -> Source:
    """Where somebody with that address comes from: IPv4 in IPv6's clothes is IPv4, a zone is left out.

    What is no address, as where a peer has none, counts as itself.
    """
    try:
        read = _read(address)
    except ValueError:
        return Source(address, address)
    if isinstance(read, IPv4Address):
        return Source(str(read), str(read))
    host_bits = read.max_prefixlen - NETWORK_BITS
    return Source(str(read), f"{IPv6Address(int(read) >> host_bits << host_bits)}/{NETWORK_BITS}")


def around(address: str) -> tuple[str, ...]:
    """The wider networks that somebody may have many sources of, the narrowest first; as many for every address.

    What is no address is in none but its own, of which there is one of each width.
    """
    try:
        read = _read(address)
    except ValueError:
        return tuple(f"{address}/{length}" for length in WIDER_BITS[4])
    number, bits = int(read), read.max_prefixlen
    return tuple(
        f"{read.version}/{length}/{number >> (bits - length):x}" for length in WIDER_BITS[read.version]
    )


class Networks:
    """A list of addresses and networks, as the settings have it."""

    def __init__(self, listed: Iterable[str]) -> None:
        """Raises ValueError where one is none."""
        self._networks = tuple(map(read_network, listed))

    def has(self, address: str) -> bool:
        """Whether the address is one of them, or in one."""
        if not self._networks:
            return False
        try:
            read = _read(address)
        except ValueError:
            return False
        return any(read in network for network in self._networks)


@lru_cache(1024)
def _read(address: str) -> Address:
    return read_address(address)
