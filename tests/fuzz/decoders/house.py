"""What comes over a link, to a house with a table; and what a house and its workers tell each other."""

import asyncio
import contextlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from cartino_protocol import wire
from cartino_protocol.framing import BadFrame
from cartino_protocol.link import LinkClosed
from cartino_protocol.marking import later
from cartino_protocol.views import Bye
from cartino_server.entry.crewing import packed
from cartino_server.entry.home import HouseHome
from cartino_server.entry.hosting import HouseHost
from cartino_server.metering.meter import Reading
from cartino_server.ssh.authentication import allow_everyone
from cartino_server.ssh.ports import SessionLimits
from cartino_server.workers.attendant import Attendant
from cartino_server.workers.messages import (
    Answered,
    Asked,
    Begin,
    Caller,
    Close,
    Dismiss,
    DoorWords,
    Ended,
    Entering,
    FromHouse,
    FromWorker,
    Judged,
    Left,
    Limited,
    LogStyle,
    Measured,
    Moved,
    Opened,
    Ping,
    Pong,
    Ready,
    Said,
    Shown,
    Shut,
    Told,
    Withdrawn,
    encode,
    read_house,
    read_worker,
)
from tests.fuzz.attacking import Decoder, Run, plainly
from tests.fuzz.decoders.wire import ANSWERS, SAID, WORDS
from tests.fuzz.small_house import SmallHouse
from tests.support.hasty import HastyLoop
from tests.support.house import Guest, a_guest

ANN = Caller("1", "id-ann", "ann", False, {"LANG": "fr_FR.UTF-8"})
LIMITS = packed(SessionLimits())
OF_HOUSE: tuple[FromHouse, ...] = (
    Begin(1, b"key", "text", "ssh host", LIMITS),
    Shown(2, ANSWERS[2], (1, 2)),
    Moved(1),
    Ended(1),
    Answered(7, Told("out", "err", 1)),
    DoorWords("ssh host"),
    LogStyle("json"),
    Limited(LIMITS),
    Judged(4, "id-ann", later("{name} is not let in here.", name="ann")),
    Dismiss(4, later("The host ended this visit.")),
    Ping(),
    Close(later("The house closes."), 2.0),
)
OF_WORKER: tuple[FromWorker, ...] = (
    Ready(),
    Pong(),
    Measured(
        (
            Reading("cartino_sessions", ("screen",), 2),
            Reading("cartino_key_to_frame_seconds", (), 0.5, (1, 0)),
        )
    ),
    Entering(4, "127.0.0.1", "SHA256:abc", "ann", "SSH-2.0-OpenSSH_9.9"),
    Left(4, "grace"),
    Opened(1, ANN),
    *(Said(1, frame) for frame in SAID),
    Shut(1),
    Asked(7, ANN, ("show", "AAAA")),
    Withdrawn(7),
)
MANY = 64
"""Messages after which a worker comes anew, so that what an input does can be found again."""


def _from_house(data: bytes) -> bool:
    try:
        message = read_house(data)
    except BadFrame:
        return False
    read_house(encode(message))
    return True


def _from_worker(data: bytes) -> bool:
    try:
        message = read_worker(data)
    except BadFrame:
        return False
    read_worker(encode(message))
    return True


@contextmanager
def _links() -> Iterator[Run]:
    """Each input is what somebody says in the lobby, another at the table, and a third before Hello."""
    with asyncio.Runner(loop_factory=HastyLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, HastyLoop)
        small = SmallHouse(runner)
        ann, _, _ = small.guests

        async def hears(guest: Guest) -> bool:
            """Whether they are told that it can't be read."""
            refused = False
            for _ in range(20):
                await asyncio.sleep(0)
            with contextlib.suppress(LinkClosed):
                while taken := guest.link.take():
                    answer = wire.decode_answer(taken[1])
                    refused |= getattr(answer, "reason", "") == "malformed"
                    if isinstance(answer, Bye):
                        assert answer.why == "version"
            return refused

        async def say(data: bytes) -> bool:
            lobby = await a_guest(small.house, "joe")
            for guest in (ann, lobby):
                guest.link.send_frame(data)
            refused = await hears(ann)
            refused |= await hears(lobby)
            lobby.link.close()
            await hears(lobby)
            if ann.link.closed:
                small.guests[0].link = (await a_guest(small.house, "ann")).link
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
    """A worker that has lost its mind, or was taken over: the house goes on, and so do its own people."""
    with asyncio.Runner(loop_factory=HastyLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, HastyLoop)
        small = SmallHouse(runner)
        home = HouseHome(HouseHost(small.house), allow_everyone())

        def told(messages: Iterable[FromHouse]) -> None:
            for message in messages:
                read_house(encode(message))

        async def hear(data: bytes) -> bool:
            attendant = Attendant(home, told)
            attendant.hear(Opened(1, ANN))
            attendant.hear(Said(1, SAID[0]))
            try:
                message = read_worker(data)
                if not isinstance(message, Ready | Pong | Measured):
                    attendant.hear(message)
                    attendant.hear(Shut(2))
            except BadFrame:
                return False
            finally:
                for _ in range(20):
                    await asyncio.sleep(0)
                attendant.close()
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
    Decoder("from_house", tuple(map(encode, OF_HOUSE)), plainly(_from_house), "msgpack", WORDS),
    Decoder("from_worker", tuple(map(encode, OF_WORKER)), plainly(_from_worker), "msgpack", WORDS),
    Decoder("links", SAID, _links, "msgpack", WORDS),
    Decoder("attended", tuple(map(encode, OF_WORKER)), _attended, "msgpack", WORDS),
)
