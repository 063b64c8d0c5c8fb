"""The PROXY protocol, versions 1 and 2: what a proxy says of the connection that it passes on, before all else.

The header is asked for by the byte, so that nothing of what stands behind it is taken, and never is it longer than what
has to come in one piece.
"""

import asyncio
import socket
import struct
from ipaddress import IPv4Address, IPv6Address
from typing import Final

TIMEOUT: Final = 3.0
"""Seconds that a proxy has to say its header."""
LONGEST_1: Final = 107
LONGEST_2: Final = 536
"""Bytes of a header of that version."""

_SIGNATURE: Final = b"\r\n\r\n\0\r\nQUIT\n"
_FIXED: Final = struct.Struct("!12sBBH")
_LEAST: Final = len(_SIGNATURE)
"""Bytes that each version has at least, and that tell which it is."""
_VERSION_2: Final = 0x20
_LOCAL, _PROXY = 0, 1
_ADDRESSES: Final = {1: (4, 12), 2: (16, 36)}
"""By the family: how long an address is, and both with their ports."""
_UNIX: Final = 3
_UNIX_BYTES: Final = 216


class BadHeader(Exception):
    """What came is no header."""


class Header:
    """Takes a header in as many bytes as it wants each time."""

    def __init__(self) -> None:
        """Nothing has come."""
        self.wants = _LEAST
        """The bytes to be fed next, 0 when all have come."""
        self.source = ""
        """The address that it names, "" where the connection is the proxy's own, or it does not tell."""
        self._come = b""

    def feed(self, data: bytes) -> None:
        """Take `data`, at most as much as is wanted. Raises BadHeader."""
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
            if len(self._come) >= LONGEST_1:
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
                self.source = _address(IPv4Address, source, target)
            case ["PROXY", "TCP6", source, target, *ports]:
                self.source = _address(IPv6Address, source, target)
            case _:
                raise BadHeader("a header of an unknown kind")
        if len(ports) != 2 or not all(_is_port(port) for port in ports):
            raise BadHeader("a header without two ports")

    def _read_2(self) -> None:
        if len(self._come) < _FIXED.size:
            self.wants = _FIXED.size - len(self._come)
            return
        _, command, kind, length = _FIXED.unpack_from(self._come)
        if command & 0xF0 != _VERSION_2 or command & 0x0F not in {_LOCAL, _PROXY}:
            raise BadHeader("a header of an unknown version or command")
        if _FIXED.size + length > LONGEST_2:
            raise BadHeader("a header that is too long")
        if len(self._come) < _FIXED.size + length:
            self.wants = _FIXED.size + length - len(self._come)
            return
        if command & 0x0F == _LOCAL:
            return
        self._read_addresses(kind >> 4, kind & 0x0F, self._come[_FIXED.size :])

    def _read_addresses(self, family: int, transport: int, body: bytes) -> None:
        if family == 0 and transport == 0:
            return
        if transport > 2 or (family not in _ADDRESSES and family != _UNIX):
            raise BadHeader("a header of an unknown family")
        size, both = _ADDRESSES.get(family, (0, _UNIX_BYTES))
        if len(body) < both:
            raise BadHeader("a header without its addresses")
        _check_extras(body[both:])
        if size and transport == 1:
            packed = body[:size]
            self.source = str(IPv4Address(packed) if size == 4 else IPv6Address(packed))


async def read_header(client: socket.socket, timeout: float = TIMEOUT) -> str:
    """The source that the header on `client` names; "" where it names none. Raises BadHeader, OSError."""
    loop, header = asyncio.get_running_loop(), Header()
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


def _address(kind: type[IPv4Address] | type[IPv6Address], source: str, target: str) -> str:
    try:
        kind(target)
        if "%" in source:
            raise BadHeader("a header with a zone in its address")
        return str(kind(source))
    except ValueError:
        raise BadHeader("a header whose address is none") from None


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 5 and int(text) <= 65535


def _check_extras(extras: bytes) -> None:
    """What a proxy tells besides is skipped, but has to be what it says."""
    at = 0
    while at < len(extras):
        if at + 3 > len(extras):
            raise BadHeader("a header that ends in an extra")
        at += 3 + int.from_bytes(extras[at + 1 : at + 3])
    if at != len(extras):
        raise BadHeader("a header that ends in an extra")
