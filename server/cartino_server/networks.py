"""Parse and group addresses the same way everywhere: in settings, in bans and in the SSH listener.

IPv4 mapped into IPv6 is read as IPv4, since that is how such a client appears on an IPv6 socket.
"""

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

import msgspec

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

IPV6_PREFIX: Final = 64
"""Prefix length at which IPv6 addresses are grouped: one customer has at least such a network."""
WIDER_PREFIXES: Final = {4: (24, 16), 6: (48, 32)}
"""Prefix lengths of a customer's and a provider's network, by IP version."""

_MAPPED: Final = IPv6Network("::ffff:0.0.0.0/96")


@lru_cache(1024)
def read_address(text: str) -> Address:
    """Parse an address; maps IPv4-in-IPv6 to IPv4 and drops a zone. Raises ValueError."""
    read = ip_address(text.partition("%")[0])
    mapped = read.ipv4_mapped if isinstance(read, IPv6Address) else None
    return read if mapped is None else mapped


def read_network(text: str) -> Network:
    """Parse a network or a single address; host bits are dropped and IPv4-in-IPv6 becomes IPv4.

    Raises ValueError, also for an IPv6 network that contains all of IPv4 and more.
    """
    if "/" not in text:
        return ip_network(read_address(text))
    read = ip_network(text, strict=False)
    if isinstance(read, IPv4Network) or not read.prefixlen or not read.overlaps(_MAPPED):
        return read
    mapped = read.network_address.ipv4_mapped
    if mapped is None or read.prefixlen < _MAPPED.prefixlen:
        raise ValueError(f"{text!r} does not appear to be a network of IPv4 or of IPv6 alone")
    return IPv4Network((mapped, read.prefixlen - _MAPPED.prefixlen))


def parse_address(text: str) -> Address | None:
    """Parse an address as `read_address` does; None if it is invalid."""
    try:
        return read_address(text)
    except ValueError:
        return None


def parse_network(text: str) -> Network | None:
    """Parse a network to ban; None if it is invalid. An IPv6 address stands for its whole /64."""
    try:
        found = read_network(text)
    except ValueError:
        return None
    if "/" in text or found.version == 4:
        return found
    return found.supernet(new_prefix=IPV6_PREFIX)


def in_network(address: str, network: Network) -> bool:
    """Return whether `address` is valid and in `network`."""
    found = parse_address(address)
    return found is not None and found in network


class Source(msgspec.Struct, frozen=True):
    """An address in its usual spelling, and the network under which it is counted."""

    address: str
    network: str


def source_of(address: str) -> Source:
    """Return the source of an address. Text that is no address counts as itself."""
    read = parse_address(address)
    if read is None:
        return Source(address, address)
    if isinstance(read, IPv4Address):
        return Source(str(read), str(read))
    host_bits = read.max_prefixlen - IPV6_PREFIX
    return Source(str(read), f"{IPv6Address(int(read) >> host_bits << host_bits)}/{IPV6_PREFIX}")


def wider_networks(address: str) -> tuple[str, ...]:
    """Return the wider networks around an address, narrowest first, as many for every address.

    Text that is no address is alone in its networks.
    """
    read = parse_address(address)
    if read is None:
        return tuple(f"{address}/{length}" for length in WIDER_PREFIXES[4])
    number, bits = int(read), read.max_prefixlen
    return tuple(
        f"{read.version}/{length}/{number >> (bits - length):x}" for length in WIDER_PREFIXES[read.version]
    )


class Networks:
    """A list of addresses and networks from the settings."""

    def __init__(self, listed: Iterable[str]) -> None:
        """Parse the list. Raises ValueError if an entry is invalid."""
        self._networks = tuple(map(read_network, listed))

    def has(self, address: str) -> bool:
        """Return whether one of the networks contains the address."""
        return any(in_network(address, network) for network in self._networks)
