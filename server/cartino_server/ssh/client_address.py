"""Read the client's address from a PROXY header (versions 1 and 2).

A PROXY header is read exactly to its end, so that no byte of the SSH protocol is consumed, and never beyond the
longest header the protocol allows.
"""

import asyncio
import socket
import struct
from ipaddress import IPv4Address, IPv6Address
from typing import Final

HEADER_TIMEOUT: Final = 3.0
"""Seconds that a proxy has to send its header."""
MAX_HEADER_V1: Final = 107
MAX_HEADER_V2: Final = 536
"""Longest header of each version, in bytes."""

_SIGNATURE: Final = b"\r\n\r\n\0\r\nQUIT\n"
_V2_PREFIX: Final = struct.Struct("!12sBBH")
_MIN_BYTES: Final = len(_SIGNATURE)
"""Shortest header of either version; enough to tell them apart."""
_V2: Final = 0x20
_LOCAL, _PROXY = 0, 1
_ADDRESSES: Final = {1: (4, 12), 2: (16, 36)}
"""Address family: bytes of one address, and of both with their ports."""
_UNIX: Final = 3
_UNIX_BYTES: Final = 216


class BadHeader(Exception):
    """The received bytes are no valid PROXY header."""


class ProxyHeader:
    """Incremental parser of a PROXY header."""

    def __init__(self) -> None:
        """Start with nothing received."""
        self.wants = _MIN_BYTES
        """Number of bytes to feed next; 0 when the header is complete."""
        self.source = ""
        """The client's address; "" if the proxy connects for itself or doesn't say."""
        self._come = b""

    def feed(self, data: bytes) -> None:
        """Parse `data`, at most `wants` bytes. Raises BadHeader."""
        self._come += data
        self.wants -= len(data)
        if self.wants:
            return
        if self._come.startswith(b"PROXY "):
            self._read_1()
        elif self._come.startswith(_SIGNATURE):
            self._read_2()
        else:
            raise BadHeader("no header of the PROXY protocol")

    def _read_1(self) -> None:
        if not self._come.endswith(b"\r\n"):
            if len(self._come) >= MAX_HEADER_V1:
                raise BadHeader("a header without its end")
            self.wants = 1
            return
        try:
            words = self._come[:-2].decode("ascii").split(" ")
        except UnicodeDecodeError:
            raise BadHeader("a header that is no text") from None
        match words:
            case ["PROXY", "UNKNOWN", *_]:
                return
            case ["PROXY", "TCP4", source, target, *ports]:
                self.source = _parse_address(IPv4Address, source, target)
            case ["PROXY", "TCP6", source, target, *ports]:
                self.source = _parse_address(IPv6Address, source, target)
            case _:
                raise BadHeader("a header of an unknown kind")
        if len(ports) != 2 or not all(_is_port(port) for port in ports):
            raise BadHeader("a header without two ports")

    def _read_2(self) -> None:
        if len(self._come) < _V2_PREFIX.size:
            self.wants = _V2_PREFIX.size - len(self._come)
            return
        _, command, kind, length = _V2_PREFIX.unpack_from(self._come)
        if command & 0xF0 != _V2 or command & 0x0F not in {_LOCAL, _PROXY}:
            raise BadHeader("a header of an unknown version or command")
        if _V2_PREFIX.size + length > MAX_HEADER_V2:
            raise BadHeader("a header that is too long")
        if len(self._come) < _V2_PREFIX.size + length:
            self.wants = _V2_PREFIX.size + length - len(self._come)
            return
        if command & 0x0F == _LOCAL:
            return
        self._read_addresses(kind >> 4, kind & 0x0F, self._come[_V2_PREFIX.size :])

    def _read_addresses(self, family: int, transport: int, body: bytes) -> None:
        if family == 0 and transport == 0:
            return
        if transport > 2 or (family not in _ADDRESSES and family != _UNIX):
            raise BadHeader("a header of an unknown family")
        size, both = _ADDRESSES.get(family, (0, _UNIX_BYTES))
        if len(body) < both:
            raise BadHeader("a header without its addresses")
        _check_extensions(body[both:])
        if size and transport == 1:
            packed = body[:size]
            self.source = str(IPv4Address(packed) if size == 4 else IPv6Address(packed))


async def read_header(client: socket.socket, timeout: float = HEADER_TIMEOUT) -> str:
    """Read a header from `client` and return the source address, "" if it names none.

    Raises BadHeader or OSError.
    """
    loop, header = asyncio.get_running_loop(), ProxyHeader()
    try:
        async with asyncio.timeout(timeout):
            while header.wants:
                data = await loop.sock_recv(client, header.wants)
                if not data:
                    raise BadHeader("an end before the header's")
                header.feed(data)
    except TimeoutError:
        raise BadHeader("no header in time") from None
    return header.source


def _parse_address(kind: type[IPv4Address] | type[IPv6Address], source: str, target: str) -> str:
    try:
        kind(target)
        if "%" in source:
            raise BadHeader("a header with a zone in its address")
        return str(kind(source))
    except ValueError:
        raise BadHeader("a header whose address is none") from None


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 5 and int(text) <= 65535


def _check_extensions(extras: bytes) -> None:
    """Check the framing of extension fields, whose contents are ignored."""
    at = 0
    while at < len(extras):
        if at + 3 > len(extras):
            raise BadHeader("a header that ends in an extra")
        at += 3 + int.from_bytes(extras[at + 1 : at + 3])
    if at != len(extras):
        raise BadHeader("a header that ends in an extra")
