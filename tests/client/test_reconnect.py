"""A line that outlives its connection, with calls and a clock that the test plays."""

import asyncio
import gc
import weakref

import pytest

from cartino_protocol.commands import Act, Command, Hello, Say
from cartino_protocol.link import ConnectionStatus, LinkClosed, LinkEnded
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import LazyMessage, lazy_gettext
from cartino_protocol.views import Answer, Bye, ChatView, LobbyView, Welcome
from cartino_protocol.wire import VERSION, decode_command, encode, encode_raw
from cartino_server.client.connection import (
    BadServerData,
    ConnectFailed,
    ConnectRefused,
    ServerConnectionLost,
    VisitDeclined,
)
from cartino_server.client.reconnect import UNREADABLE_SERVER, VISIT_DECLINED, ReconnectingLink, RetryDelays

HELLO = Hello(VERSION, "test")
LOBBY = LobbyView((), 1)
MOVE = Act(3, encode_raw(HELLO))


def welcome(guest: bool = False) -> Welcome:
    return Welcome(VERSION, "ann", guest, ())


class FakeCall:
    """A call with the test at its other end."""

    def __init__(self) -> None:
        self.said: list[Command] = []
        self.closed = False
        self._frames: asyncio.Queue[bytes | Exception] = asyncio.Queue()

    def send_frame(self, frame: bytes) -> None:
        self.said.append(decode_command(frame))

    async def receive_frame(self) -> bytes:
        frame = await self._frames.get()
        if isinstance(frame, Exception):
            raise frame
        return frame

    def close(self) -> None:
        self.closed = True
        self._frames.put_nowait(ServerConnectionLost())

    def tell(self, *answers: Answer) -> None:
        for answer in answers:
            self._frames.put_nowait(encode(answer))

    def ends(self, error: Exception | None = None) -> None:
        self._frames.put_nowait(error or ServerConnectionLost())


class FakeCaller:
    """Makes the calls that the test has laid out; what is an exception is raised."""

    def __init__(self, *outcomes: FakeCall | Exception) -> None:
        self._outcomes = list(outcomes)
        self.as_guest: list[bool] = []

    async def call(self, *, as_guest: bool = True) -> FakeCall:
        self.as_guest.append(as_guest)
        outcome = self._outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


class World:
    """A line on the call `first`; every pause is over at once, and its length noted."""

    def __init__(self, *outcomes: FakeCall | Exception) -> None:
        self.first = FakeCall()
        self.caller = FakeCaller(*outcomes)
        self.slept: list[float] = []
        self.line = ReconnectingLink(self.first, self.caller, RetryDelays(lambda: 0.0), self._sleep)

    @property
    def hello(self) -> Hello:
        """The greeting as the line says it."""
        return Hello(VERSION, "test", self.line.name)

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)

    async def hears(self, count: int) -> list[object]:
        return [await self.line.receive() for _ in range(count)]


async def test_what_is_said_and_heard_goes_through_unchanged() -> None:
    world = World()
    world.line.send(HELLO)
    world.first.tell(welcome(), LOBBY)
    assert await world.hears(2) == [welcome(), LOBBY]
    assert world.first.said == [world.hello]


async def test_nothing_that_was_heard_is_kept() -> None:
    world = World()
    world.first.tell(ChatView((), "table"))
    heard = weakref.ref(await world.line.receive())
    gc.collect()
    assert heard() is None, "a house that says much would fill the memory"


async def test_a_lost_line_is_made_anew_after_growing_pauses() -> None:
    second = FakeCall()
    world = World(*[ConnectFailed(lazy_gettext("nobody there"))] * 6, second)
    world.first.tell(welcome())
    world.first.ends()
    news = await world.hears(1 + 2 * 7 + 1)
    pauses = [0.5, 1, 2, 4, 8, 15, 15]
    tries = [
        news for pause in pauses for news in (ConnectionStatus("lost", pause), ConnectionStatus("trying"))
    ]
    assert news == [welcome(), *tries, ConnectionStatus("back")]
    assert world.slept == pauses
    world.line.send(HELLO)
    second.tell(welcome())
    second.ends()
    assert (await world.hears(2))[1] == ConnectionStatus("lost", 0.5), "a success begins anew"
    world.line.close()


async def test_a_line_that_is_cut_before_it_was_greeted_pauses_longer_each_time() -> None:
    calls = [FakeCall(), FakeCall()]
    world = World(*calls)
    for call in (world.first, *calls):
        call.ends()
    news = await world.hears(7)
    assert [
        each.seconds for each in news if isinstance(each, ConnectionStatus) and each.stands == "lost"
    ] == [
        0.5,
        1,
        2,
    ]
    world.line.close()


async def test_what_is_said_without_a_line_is_refused_and_never_said_later() -> None:
    second = FakeCall()
    world = World(second)
    world.first.ends()
    assert await world.hears(1) == [ConnectionStatus("lost", 0.5)]
    world.line.send(MOVE)
    world.line.send(Say("hello"))
    heard = await world.hears(4)
    assert Refusal("no-line", to="Act") in heard
    assert Refusal("no-line", to="Say") in heard
    assert heard[-1] == ConnectionStatus("back")
    world.line.send(MOVE)
    assert second.said == [], "the house has not been greeted"
    world.line.send(HELLO)
    world.line.send(MOVE)
    assert second.said == [world.hello, MOVE]
    assert world.first.said == []


async def test_a_server_that_restarts_is_a_line_that_is_lost() -> None:
    second = FakeCall()
    world = World(second)
    world.first.tell(welcome(), Bye("shutdown"))
    world.first.ends()
    restarts = [
        ConnectionStatus("lost", 0.5, restarts=True),
        ConnectionStatus("trying", restarts=True),
        ConnectionStatus("back"),
    ]
    assert await world.hears(4) == [welcome(), *restarts]
    second.tell(welcome())
    second.ends()
    assert (await world.hears(2))[1] == ConnectionStatus("lost", 0.5), "that time it was the line"
    world.line.close()


@pytest.mark.parametrize("why", ["kicked", "version"])
async def test_any_other_farewell_is_heard(why: str) -> None:
    world = World()
    world.first.tell(Bye(why))  # type: ignore[arg-type]
    assert await world.hears(1) == [Bye(why)]  # type: ignore[arg-type]


@pytest.mark.parametrize(("guest", "asks"), [(True, True), (False, False)])
async def test_who_came_with_a_key_comes_back_with_it_or_not_at_all(guest: bool, asks: bool) -> None:
    world = World(FakeCall())
    world.first.tell(welcome(guest))
    world.first.ends()
    await world.hears(4)
    assert world.caller.as_guest == [asks]


async def test_another_host_key_ends_it_with_the_sentence() -> None:
    world = World(ConnectRefused(lazy_gettext("Another key was shown.")))
    world.first.ends()
    await world.hears(2)
    with pytest.raises(LinkEnded, match=r"Another key was shown\."):
        await world.line.receive()


async def test_a_line_has_one_name_on_all_its_calls_and_no_other_has_it() -> None:
    second = FakeCall()
    world = World(second)
    world.line.send(HELLO)
    world.first.ends()
    await world.hears(3)
    world.line.send(HELLO)
    assert [*world.first.said, *second.said] == [world.hello] * 2
    assert len(world.line.name) == 16
    assert World().line.name != world.line.name
    world.line.close()


async def test_a_fault_of_our_own_ends_it_with_a_sentence_as_well() -> None:
    world = World(ConnectFailed(lazy_gettext("nobody there")), RuntimeError("nobody thought of it"))
    world.first.ends()
    await world.hears(4)
    with pytest.raises(LinkEnded, match=r"This program failed .*\(RuntimeError\)") as ended:
        await world.line.receive()
    assert isinstance(ended.value.__cause__, RuntimeError)


@pytest.mark.parametrize("bad", [BadServerData("a bomb"), b"\xc1", b"\x81\xa1t\xa5Hello", b""])
async def test_nonsense_ends_it_with_one_sentence(bad: Exception | bytes) -> None:
    world = World()
    if isinstance(bad, Exception):
        world.first.ends(bad)
    else:
        world.first._frames.put_nowait(bad)
    with pytest.raises(LinkEnded) as ended:
        await world.line.receive()
    assert str(ended.value) == str(UNREADABLE_SERVER)
    assert world.first.closed


async def test_who_hangs_up_hears_no_more_whatever_is_under_way() -> None:
    world = World(FakeCall())
    world.first.tell(LOBBY)
    world.line.close()
    world.line.close()
    with pytest.raises(LinkClosed):
        await world.line.receive()
    assert world.first.closed
    trying = World(FakeCall())
    trying.first.ends()
    await trying.hears(1)
    waiting = asyncio.create_task(trying.line.receive())
    trying.line.close()
    with pytest.raises(LinkClosed):
        await waiting
    trying.line.send(HELLO)


@pytest.mark.parametrize("again", [False, True])
async def test_a_server_that_lets_nobody_in_is_not_called_again(again: bool) -> None:
    second = FakeCall()
    world = World(second)
    world.first.tell(welcome())
    await world.hears(1)
    if again:
        world.first.ends()
        await world.hears(3)
    (second if again else world.first).ends(VisitDeclined("You are banned."))
    with pytest.raises(LinkEnded) as ended:
        await world.line.receive()
    assert ended.value.sentence == LazyMessage(VISIT_DECLINED, {"text": "You are banned."})
    assert str(ended.value.sentence) == "The server turned you away: You are banned."
    assert len(world.caller.as_guest) == again
