"""Parse addresses and networks the same way everywhere: in settings, in bans and in the SSH listener.

IPv4 mapped into IPv6 is read as IPv4, since that is how such a client appears on an IPv6 socket.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_MAPPED: Final = IPv6Network("::ffff:0.0.0.0/96")
"""All of IPv4, as it is where a socket speaks IPv6."""


def read_address(text: str) -> Address:
    """The address `text`: IPv4 in IPv6's clothes is IPv4, a zone is left out. Raises ValueError."""
    read = ip_address(text.partition("%")[0])
    mapped = read.ipv4_mapped if isinstance(read, IPv6Address) else None
    return read if mapped is None else mapped


def read_network(text: str) -> Network:
    """The network `text`, or the one address that it is; bits behind its length don't count.

    One in IPv6's clothes is IPv4's, as the addresses are that it is asked about. Raises ValueError, also for a
    network that holds all of those and IPv6 besides: it would mean two things.
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
