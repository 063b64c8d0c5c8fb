"""What comes over a link to a server with a table, from its workers, and in the headers of proxies."""

import asyncio
import contextlib
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from cartino_protocol import wire
from cartino_protocol.link import LinkClosed
from cartino_protocol.text import lazy_gettext
from cartino_protocol.views import Bye
from cartino_protocol.wire import BadFrame
from cartino_server.app.command_handler import LocalBackend
from cartino_server.limits import SessionLimits
from cartino_server.metrics.registry import Sample
from cartino_server.networks import Networks, source_of
from cartino_server.ssh.client_address import MAX_HEADER_V2, BadHeader, ProxyHeader
from cartino_server.visitors import LoginRequest, LoginResult, Reply, Visitor
from cartino_server.workers import messages as m
from cartino_server.workers.proxy import WorkerProxy
from tests.fuzz.attacking import Decoder, Run, plain_decoder
from tests.fuzz.decoders.wire import ANSWERS, SAID, WORDS
from tests.fuzz.small_server import small_server
from tests.support.game_server import Guest, a_guest
from tests.support.open_gate import allow_everyone

ANN = Visitor("1", "id-ann", "ann", False, {"LANG": "fr_FR.UTF-8"})
CONFIGURATION = m.Configure("text", "ssh host", SessionLimits())
OF_SERVER: tuple[m.ServerMessage, ...] = (
    m.WorkerSetup(1, b"key", CONFIGURATION),
    CONFIGURATION,
    m.AnswerFrame(2, ANSWERS[2], (1, 2)),
    m.LinkLeftTable(1),
    m.WorkerLinkEnded(1),
    m.CommandAnswered(7, Reply("out", "err", 1)),
    m.LoginDecision(4, LoginResult("id-ann", lazy_gettext("{name} is not let in here.", name="ann"))),
    m.Disconnect(4, lazy_gettext("The host ended this visit.")),
    m.Ping(),
    m.ShutDown(lazy_gettext("The house closes."), 2.0),
)
SAMPLES = (
    Sample("cartino_sessions", ("screen",), 2),
    Sample("cartino_key_to_frame_seconds", (), 0.5, (1, 0)),
)
OF_WORKER: tuple[m.WorkerMessage, ...] = (
    m.WorkerReady(),
    m.Pong(),
    m.MetricsReport(SAMPLES),
    m.LoginAttempt(LoginRequest(4, "127.0.0.1", "SHA256:abc", "ann", "SSH-2.0-OpenSSH_9.9")),
    m.ConnectionEnded(4, "grace"),
    m.LinkOpened(1, ANN),
    *(m.LinkCommand(1, frame) for frame in SAID),
    m.LinkHungUp(1),
    m.CommandRequest(7, ANN, ("show", "AAAA")),
    m.CommandCancelled(7),
)
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
ADDRESSES = b"10.0.0.1 ::ffff:10.0.0.1 2001:db8::1%eth0 fe80::1".split()
HEADER_WORDS = (
    *(SIGNATURE, b"\r\n", b"\r", b" ", "\u0661".encode()),
    *b"TCP4 %eth0 ::ffff:10.0.0.1 65536 0022".split(),
)
_LOCAL = Networks(("10.0.0.0/8", "::1"))


def from_house(data: bytes) -> bool:
    try:
        message = m.decode_server_message(data)
    except BadFrame:
        return False
    m.decode_server_message(m.encode_message(message))
    return True


def proxy(data: bytes) -> bool:
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


def sources(data: bytes) -> bool:
    source = source_of(data.decode("utf-8", "surrogateescape"))
    _LOCAL.has(source.address)
    return source.network != source.address or "." in source.address


async def _turns() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@contextmanager
def _links() -> Iterator[Run]:
    """Each input is what somebody says in the lobby, and another at the table."""
    with small_server() as (server, guests, run):
        ann = guests[0]

        async def hears(guest: Guest) -> bool:
            """Whether they are told that it can't be read."""
            refused = False
            await _turns()
            with contextlib.suppress(LinkClosed):
                while taken := guest.link.next_answer():
                    answer = wire.decode_answer(taken[1])
                    refused |= getattr(answer, "reason", "") == "malformed"
                    assert not isinstance(answer, Bye) or answer.why in {"version", "deleted"}
            return refused

        async def say(data: bytes) -> bool:
            lobby = await a_guest(server, "joe")
            for guest in (ann, lobby):
                guest.link.send_frame(data)
            refused = await hears(ann)
            refused |= await hears(lobby)
            lobby.link.close()
            await hears(lobby)
            if ann.link.closed:
                ann.link = (await a_guest(server, "ann")).link
            return not refused

        yield lambda data: run(say(data))


@contextmanager
def _attended() -> Iterator[Run]:
    """A worker that sends anything, or was taken over: the server goes on, and so do its own people."""
    with small_server() as (server, _, run):
        backend, logins = LocalBackend(server), allow_everyone()

        def send(messages: Iterable[m.ServerMessage]) -> None:
            for message in messages:
                m.decode_server_message(m.encode_message(message))

        async def hear(data: bytes) -> bool:
            worker = WorkerProxy(backend, logins, send)
            worker.handle(m.LinkOpened(1, ANN))
            worker.handle(m.LinkCommand(1, SAID[0]))
            try:
                message = m.decode_worker_message(data)
                m.decode_worker_message(m.encode_message(message))
                if not isinstance(message, m.WorkerReady | m.Pong | m.MetricsReport):
                    worker.handle(message)
                    worker.handle(m.LinkHungUp(2))
            except BadFrame:
                return False
            finally:
                await _turns()
                worker.close()
            return True

        yield lambda data: run(hear(data))


_FROM_WORKER = tuple(map(m.encode_message, OF_WORKER))
DECODERS = (
    plain_decoder(from_house, tuple(map(m.encode_message, OF_SERVER)), *WORDS, form="msgpack"),
    Decoder("links", SAID, _links, "msgpack", WORDS),
    Decoder("attended", _FROM_WORKER, _attended, "msgpack", WORDS),
    plain_decoder(proxy, HEADERS, *HEADER_WORDS, most=700),
    plain_decoder(sources, ADDRESSES, *HEADER_WORDS, most=200),
)
