"""Read the client's address from a PROXY header (versions 1 and 2).

A PROXY header is read exactly to its end, so that no byte of the SSH protocol is consumed, and never beyond the
longest header the protocol allows.
"""

import asyncio
import re
import socket
import struct
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

HEADER_TIMEOUT: Final = 3.0
"""Seconds that a proxy has to send its header."""
MAX_HEADER_V1: Final = 107
MAX_HEADER_V2: Final = 536
"""Longest header of each version, in bytes."""

_V1: Final = re.compile(
    rb"PROXY (?:UNKNOWN(?: [^\r\n]*)?|(TCP4|TCP6) ([0-9A-Fa-f:.]+) ([0-9A-Fa-f:.]+) ([0-9]{1,5}) ([0-9]{1,5}))\r\n"
)
_SIGNATURE: Final = b"\r\n\r\n\0\r\nQUIT\n"
_V2_PREFIX: Final = struct.Struct("!12sBBH")
_LOCAL, _PROXY = 0x20, 0x21
_ADDRESS_BYTES: Final = {1: 12, 2: 36, 3: 216}
"""Bytes of both addresses, with their ports, by family: IPv4, IPv6 and UNIX."""
_STREAM, _UNIX = 1, 3


class BadHeader(Exception):
    """The received bytes are no valid PROXY header."""


class ProxyHeader:
    """Incremental parser of a PROXY header."""

    def __init__(self) -> None:
        self.wants = len(_SIGNATURE)
        """Number of bytes to feed next; 0 when the header is complete. At first enough to tell the versions apart."""
        self.source = ""
        """The client's address; "" if the proxy connects for itself or doesn't say."""
        self._received = b""

    def feed(self, data: bytes) -> None:
        """Parse `data`, at most `wants` bytes. Raises BadHeader."""
        self._received += data
        self.wants -= len(data)
        if self.wants:
            return
        if self._received.startswith(b"PROXY "):
            self._parse_v1(self._received)
        elif self._received.startswith(_SIGNATURE):
            self._parse_v2(self._received)
        else:
            raise BadHeader("no header of the PROXY protocol")

    def _parse_v1(self, line: bytes) -> None:
        if not line.endswith(b"\r\n") and len(line) < MAX_HEADER_V1:
            self.wants = 1
            return
        found = _V1.fullmatch(line)
        if found is None:
            raise BadHeader("an invalid header of version 1")
        kind, *addresses = (each and each.decode() for each in found.group(1, 2, 3))
        if kind:
            parse = IPv4Address if kind == "TCP4" else IPv6Address
            try:
                source, _ = map(parse, addresses)
            except ValueError:
                raise BadHeader("a header with an invalid address") from None
            if any(int(port) > 65535 for port in found.group(4, 5)):
                raise BadHeader("a header with an invalid port")
            self.source = str(source)

    def _parse_v2(self, header: bytes) -> None:
        if len(header) < _V2_PREFIX.size:
            self.wants = _V2_PREFIX.size - len(header)
            return
        _, command, kind, length = _V2_PREFIX.unpack_from(header)
        if command not in {_LOCAL, _PROXY}:
            raise BadHeader("a header of an unknown version or command")
        if _V2_PREFIX.size + length > MAX_HEADER_V2:
            raise BadHeader("a header that is too long")
        body = header[_V2_PREFIX.size :]
        self.wants = length - len(body)
        if self.wants or command == _LOCAL or not kind:
            return
        family, transport = divmod(kind, 16)
        size = _ADDRESS_BYTES.get(family, MAX_HEADER_V2)
        if transport > 2 or length < size:
            raise BadHeader("a header of an unknown family, or without its addresses")
        # Extensions behind the addresses are ignored.
        if transport == _STREAM and family != _UNIX:
            self.source = str(ip_address(body[: (size - 4) // 2]))


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
