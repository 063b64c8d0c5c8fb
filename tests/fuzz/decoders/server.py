"""What comes over a link, to a server with a table; and what a server and its workers tell each other."""

import asyncio
import contextlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from cartino_protocol import wire
from cartino_protocol.link import LinkClosed
from cartino_protocol.text import lazy_gettext
from cartino_protocol.views import Bye
from cartino_protocol.wire import BadFrame
from cartino_server.app.command_handler import LocalBackend
from cartino_server.app.worker_backend import WorkerServices, encode_limits
from cartino_server.limits import SessionLimits
from cartino_server.metrics.registry import Sample
from cartino_server.visitors import LoginRequest, LoginResult, Reply, Visitor
from cartino_server.workers.messages import (
    AnswerFrame,
    CommandAnswered,
    CommandCancelled,
    CommandRequest,
    ConnectCommand,
    ConnectionEnded,
    Disconnect,
    LimitsChanged,
    LinkCommand,
    LinkHungUp,
    LinkLeftTable,
    LinkOpened,
    LoginAttempt,
    LoginDecision,
    LogStyleChanged,
    MetricsReport,
    Ping,
    Pong,
    ServerMessage,
    ShutDown,
    WorkerLinkEnded,
    WorkerMessage,
    WorkerReady,
    WorkerSetup,
    decode_server_message,
    decode_worker_message,
    encode_message,
)
from cartino_server.workers.proxy import WorkerProxy
from tests.fuzz.attacking import Decoder, Run, plainly
from tests.fuzz.decoders.wire import ANSWERS, SAID, WORDS
from tests.fuzz.small_server import SmallServer
from tests.support.game_server import Guest, a_guest
from tests.support.hasty import HastyLoop
from tests.support.open_gate import allow_everyone

ANN = Visitor("1", "id-ann", "ann", False, {"LANG": "fr_FR.UTF-8"})
LIMITS = encode_limits(SessionLimits())
OF_SERVER: tuple[ServerMessage, ...] = (
    WorkerSetup(1, b"key", "text", "ssh host", LIMITS),
    AnswerFrame(2, ANSWERS[2], (1, 2)),
    LinkLeftTable(1),
    WorkerLinkEnded(1),
    CommandAnswered(7, Reply("out", "err", 1)),
    ConnectCommand("ssh host"),
    LogStyleChanged("json"),
    LimitsChanged(LIMITS),
    LoginDecision(4, LoginResult("id-ann", lazy_gettext("{name} is not let in here.", name="ann"))),
    Disconnect(4, lazy_gettext("The host ended this visit.")),
    Ping(),
    ShutDown(lazy_gettext("The house closes."), 2.0),
)
OF_WORKER: tuple[WorkerMessage, ...] = (
    WorkerReady(),
    Pong(),
    MetricsReport(
        (
            Sample("cartino_sessions", ("screen",), 2),
            Sample("cartino_key_to_frame_seconds", (), 0.5, (1, 0)),
        )
    ),
    LoginAttempt(LoginRequest(4, "127.0.0.1", "SHA256:abc", "ann", "SSH-2.0-OpenSSH_9.9")),
    ConnectionEnded(4, "grace"),
    LinkOpened(1, ANN),
    *(LinkCommand(1, frame) for frame in SAID),
    LinkHungUp(1),
    CommandRequest(7, ANN, ("show", "AAAA")),
    CommandCancelled(7),
)
MANY = 64
"""Messages after which a worker comes anew, so that what an input does can be found again."""


def _from_server(data: bytes) -> bool:
    try:
        message = decode_server_message(data)
    except BadFrame:
        return False
    decode_server_message(encode_message(message))
    return True


def _from_worker(data: bytes) -> bool:
    try:
        message = decode_worker_message(data)
    except BadFrame:
        return False
    decode_worker_message(encode_message(message))
    return True


@contextmanager
def _links() -> Iterator[Run]:
    """Each input is what somebody says in the lobby, another at the table, and a third before Hello."""
    with asyncio.Runner(loop_factory=HastyLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, HastyLoop)
        small = SmallServer(runner)
        ann, _, _ = small.guests

        async def hears(guest: Guest) -> bool:
            """Whether they are told that it can't be read."""
            refused = False
            for _ in range(20):
                await asyncio.sleep(0)
            with contextlib.suppress(LinkClosed):
                while taken := guest.link.next_answer():
                    answer = wire.decode_answer(taken[1])
                    refused |= getattr(answer, "reason", "") == "malformed"
                    if isinstance(answer, Bye):
                        assert answer.why in {"version", "deleted"}
            return refused

        async def say(data: bytes) -> bool:
            lobby = await a_guest(small.server, "joe")
            for guest in (ann, lobby):
                guest.link.send_frame(data)
            refused = await hears(ann)
            refused |= await hears(lobby)
            lobby.link.close()
            await hears(lobby)
            if ann.link.closed:
                small.guests[0].link = (await a_guest(small.server, "ann")).link
            return not refused

        def run(data: bytes) -> bool:
            loop.skip(1)
            taken = runner.run(say(data))
            small.looks_well()
            assert not loop.faults, loop.faults
            return taken

        yield run
        small.close()


@contextmanager
def _attended() -> Iterator[Run]:
    """A worker that has lost its mind, or was taken over: the server goes on, and so do its own people."""
    with asyncio.Runner(loop_factory=HastyLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, HastyLoop)
        small = SmallServer(runner)
        home = WorkerServices(LocalBackend(small.server), allow_everyone())

        def told(messages: Iterable[ServerMessage]) -> None:
            for message in messages:
                decode_server_message(encode_message(message))

        async def hear(data: bytes) -> bool:
            proxy = WorkerProxy(home, told)
            proxy.handle(LinkOpened(1, ANN))
            proxy.handle(LinkCommand(1, SAID[0]))
            try:
                message = decode_worker_message(data)
                if not isinstance(message, WorkerReady | Pong | MetricsReport):
                    proxy.handle(message)
                    proxy.handle(LinkHungUp(2))
            except BadFrame:
                return False
            finally:
                for _ in range(20):
                    await asyncio.sleep(0)
                proxy.close()
            return True

        def run(data: bytes) -> bool:
            loop.skip(1)
            taken = runner.run(hear(data))
            small.looks_well()
            assert not loop.faults, loop.faults
            return taken

        yield run
        small.close()


DECODERS = (
    Decoder("from_house", tuple(map(encode_message, OF_SERVER)), plainly(_from_server), "msgpack", WORDS),
    Decoder("from_worker", tuple(map(encode_message, OF_WORKER)), plainly(_from_worker), "msgpack", WORDS),
    Decoder("links", SAID, _links, "msgpack", WORDS),
    Decoder("attended", tuple(map(encode_message, OF_WORKER)), _attended, "msgpack", WORDS),
)
