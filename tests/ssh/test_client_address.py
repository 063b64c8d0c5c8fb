"""PROXY headers are parsed, nothing behind them is read, and noise raises one kind of error."""

import asyncio
import socket
import struct
from ipaddress import ip_address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_server.ssh.client_address import (
    MAX_HEADER_V1,
    MAX_HEADER_V2,
    BadHeader,
    ProxyHeader,
    read_header,
)

SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"


def version_2(command: int = 0x21, kind: int = 0x11, body: bytes = b"", length: int | None = None) -> bytes:
    return SIGNATURE + struct.pack("!BBH", command, kind, len(body) if length is None else length) + body


def addresses(source: str, target: str) -> bytes:
    return ip_address(source).packed + ip_address(target).packed + struct.pack("!HH", 40000, 22)


FOUR = addresses("192.0.2.7", "10.0.0.1")
SIX = addresses("2001:db8::7", "::1")
EXTRA = b"\x04\x00\x03abc" + b"\x20\x00\x00"

GOOD = [
    (b"PROXY TCP4 192.0.2.7 10.0.0.1 40000 22\r\n", "192.0.2.7"),
    (b"PROXY TCP6 2001:DB8::7 ::1 40000 22\r\n", "2001:db8::7"),
    (b"PROXY TCP6 ::ffff:192.0.2.7 ::1 65535 0\r\n", str(ip_address("::ffff:192.0.2.7"))),
    (b"PROXY UNKNOWN\r\n", ""),
    (b"PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n", ""),
    (b"PROXY UNKNOWN ".ljust(MAX_HEADER_V1 - 2, b"x") + b"\r\n", ""),
    (version_2(body=FOUR), "192.0.2.7"),
    (version_2(kind=0x21, body=SIX), "2001:db8::7"),
    (version_2(body=FOUR + EXTRA), "192.0.2.7"),
    (version_2(body=FOUR + b"\x04\x00\x09abc"), "192.0.2.7"),
    (version_2(kind=0x12, body=FOUR), ""),
    (version_2(kind=0x31, body=bytes(216)), ""),
    (version_2(kind=0x00), ""),
    (version_2(kind=0x00, body=b"anything"), ""),
    (version_2(command=0x20), ""),
    (version_2(command=0x20, kind=0x11, body=FOUR), ""),
    (
        version_2(body=FOUR + b"\x04" + struct.pack("!H", MAX_HEADER_V2 - 31) + bytes(MAX_HEADER_V2 - 31)),
        "192.0.2.7",
    ),
]
BAD = [
    b"SSH-2.0-OpenSSH_9.6\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"PROXY TCP4 192.0.2.7 10.0.0.1 40000\r\n",
    b"PROXY TCP4 192.0.2.7 10.0.0.1 40000 22 7\r\n",
    b"PROXY TCP4 192.0.2.7 10.0.0.1 40000 65536\r\n",
    b"PROXY TCP4 192.0.2.7 10.0.0.1 40000 -1\r\n",
    b"PROXY TCP4 192.0.2.7 10.0.0.1 40000 " + b"9" * 60 + b"\r\n",
    "PROXY TCP4 192.0.2.7 10.0.0.1 40000 ٣\r\n".encode(),
    b"PROXY TCP4 192.0.2.7  10.0.0.1 40000 22\r\n",
    b"PROXY TCP4 ::1 ::1 40000 22\r\n",
    b"PROXY TCP4 192.0.2.7 nowhere 40000 22\r\n",
    b"PROXY TCP6 192.0.2.7 192.0.2.8 40000 22\r\n",
    b"PROXY TCP6 fe80::1%eth0 ::1 40000 22\r\n",
    b"PROXY TCP5 ::1 ::1 40000 22\r\n",
    b"PROXY UNKNOWN ".ljust(MAX_HEADER_V1, b"x") + b"\r\n",
    b"PROXY TCP4 " + b"\0" * 200,
    b"PROXY\r\n\r\n\r\n\r\n\r\n",
    version_2(command=0x11, body=FOUR),
    version_2(command=0x22, body=FOUR),
    version_2(body=FOUR[:11]),
    version_2(kind=0x21, body=FOUR),
    version_2(kind=0x31, body=FOUR),
    version_2(kind=0x41, body=bytes(300)),
    version_2(kind=0x13, body=FOUR),
    version_2(body=b"", length=MAX_HEADER_V2 - 15),
    version_2(body=b"", length=65535),
]


def read(data: bytes) -> tuple[str, bytes]:
    """The source that `data` names, and what stands behind the header. Raises BadHeader."""
    header = ProxyHeader()
    while header.wants:
        piece, data = data[: header.wants], data[header.wants :]
        if not piece:
            raise BadHeader("nothing more")
        header.feed(piece)
    return header.source, data


@pytest.mark.parametrize(("header", "source"), GOOD)
def test_a_header_says_where_somebody_comes_from_and_takes_nothing_else(header: bytes, source: str) -> None:
    assert read(header + b"SSH-2.0-x\r\n") == (source, b"SSH-2.0-x\r\n")


@pytest.mark.parametrize(("header", "source"), GOOD)
def test_it_may_come_byte_by_byte_and_is_never_half(header: bytes, source: str) -> None:
    slow = ProxyHeader()
    for at, byte in enumerate(header):
        assert slow.wants, header[:at]
        slow.feed(bytes([byte]))
    assert (slow.wants, slow.source) == (0, source)
    with pytest.raises(BadHeader):
        read(header[:-1])


@pytest.mark.parametrize("header", BAD)
def test_what_is_no_header_is_an_error(header: bytes) -> None:
    with pytest.raises(BadHeader):
        read(header + bytes(600))


NOISE = st.one_of(
    st.binary(max_size=300),
    st.sampled_from([header for header, _ in GOOD] + BAD).flatmap(
        lambda header: st.tuples(st.integers(0, len(header)), st.binary(max_size=8), st.integers(0, 8)).map(
            lambda cut: header[: cut[0]] + cut[1] + header[cut[0] + cut[2] :]
        )
    ),
    st.tuples(
        st.integers(0, 255),
        st.integers(0, 255),
        st.binary(max_size=60),
        st.one_of(st.none(), st.integers(0, 65535)),
    ).map(lambda parts: version_2(*parts)),
    st.text("PROXY TCPUNK0123456789.:abcdef%\r\n", max_size=120).map(lambda text: b"PROXY " + text.encode()),
)


def attack(noise: bytes) -> None:
    try:
        source, rest = read(noise)
    except BadHeader:
        return
    assert noise.endswith(rest)
    assert len(noise) - len(rest) <= MAX_HEADER_V2
    if source:
        assert str(ip_address(source)) == source


@given(NOISE)
@settings(max_examples=400, deadline=None)
def test_noise_is_a_header_or_one_kind_of_error(noise: bytes) -> None:
    attack(noise)


async def test_from_a_socket_not_a_byte_too_many_is_taken() -> None:
    for header, source in GOOD:
        near, far = socket.socketpair()
        with near, far:
            near.setblocking(False)
            far.sendall(header + b"SSH-2.0-x\r\n")
            assert await read_header(near) == source
            assert near.recv(100) == b"SSH-2.0-x\r\n"


async def test_a_proxy_that_is_slow_or_gone_is_not_waited_for() -> None:
    for sent in (b"", b"PROXY TCP4 192.0.2.7", SIGNATURE + b"\x21"):
        near, far = socket.socketpair()
        with near, far:
            near.setblocking(False)
            far.sendall(sent)
            with pytest.raises(BadHeader, match="in time"):
                await read_header(near, timeout=0.01)
        near, far = socket.socketpair()
        with near:
            near.setblocking(False)
            far.sendall(sent)
            far.close()
            with pytest.raises(BadHeader, match="an end before"):
                async with asyncio.timeout(20):
                    await read_header(near)
