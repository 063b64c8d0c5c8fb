"""What stands before SSH: the header in which a proxy says whom it passes on, and the sources that it names."""

import struct

from cartino_server.networks import Networks, source_of
from cartino_server.ssh.client_address import MAX_HEADER_V2, BadHeader, ProxyHeader
from tests.fuzz.attacking import Decoder, plainly

SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
V4 = bytes((10, 0, 0, 1, 10, 0, 0, 2)) + struct.pack("!HH", 4000, 22)
V6 = bytes(15) + b"\x01" + bytes(15) + b"\x02" + struct.pack("!HH", 4000, 22)
HEADERS = (
    b"PROXY TCP4 203.0.113.7 10.0.0.2 56324 22\r\n",
    b"PROXY TCP6 2001:db8::1 ::1 56324 22\r\n",
    b"PROXY UNKNOWN\r\n",
    b"PROXY UNKNOWN ffff:f...f:ffff 1 2 3\r\n",
    SIGNATURE + b"\x21\x11" + struct.pack("!H", len(V4)) + V4,
    SIGNATURE + b"\x21\x21" + struct.pack("!H", len(V6) + 7) + V6 + b"\x04\x00\x04abcd",
    SIGNATURE + b"\x20\x00\0\0",
    SIGNATURE + b"\x21\x31" + struct.pack("!H", 216) + bytes(216),
)
WORDS = (
    SIGNATURE,
    b"\r\n",
    b"\r",
    b" ",
    b"TCP4",
    b"%eth0",
    b"::ffff:10.0.0.1",
    "\u0661".encode(),
    b"65536",
    b"0022",
)
_LOCAL = Networks(("10.0.0.0/8", "::1"))


def _header(data: bytes) -> bool:
    """Fed as it asks for it; it never asks for more than a header may have."""
    header, fed = ProxyHeader(), 0
    line = data + b"SSH-2.0-x\r\n" * MAX_HEADER_V2
    try:
        while header.wants:
            assert fed + header.wants <= MAX_HEADER_V2
            begun, fed = fed, fed + header.wants
            header.feed(line[begun:fed])
    except BadHeader:
        return False
    source = source_of(header.source)
    _LOCAL.has(source.address)
    assert source_of(source.address) == source
    return True


def _source(data: bytes) -> bool:
    source = source_of(data.decode("utf-8", "surrogateescape"))
    _LOCAL.has(source.address)
    return source.network != source.address or "." in source.address


DECODERS = (
    Decoder("proxy", HEADERS, plainly(_header), "bytes", WORDS, most=700),
    Decoder(
        "sources",
        (b"10.0.0.1", b"::ffff:10.0.0.1", b"2001:db8::1%eth0", b"fe80::1"),
        plainly(_source),
        "bytes",
        WORDS,
        most=200,
    ),
)
