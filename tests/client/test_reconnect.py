"""A line that outlives its connection, with calls and pauses that the test plays."""

import asyncio
import gc
import weakref

import pytest

from cartino_protocol.commands import Act, Command, Hello, Say
from cartino_protocol.link import ConnectionStatus, LinkClosed, LinkEnded
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import lazy_gettext
from cartino_protocol.views import Answer, Bye, ChatView, LobbyView, Welcome
from cartino_protocol.wire import VERSION, decode_command, encode, encode_raw
from cartino_server.client.connection import (
    BadServerData,
    ConnectFailed,
    ConnectRefused,
    ServerConnectionLost,
    VisitDeclined,
)
from cartino_server.client.reconnect import (
    JITTER,
    MAX_DELAY,
    UNREADABLE_SERVER,
    ReconnectingLink,
    RetryDelays,
)

HELLO = Hello(VERSION, "test")
LOBBY = LobbyView((), 1)
MOVE = Act(3, encode_raw(HELLO))
NOBODY = ConnectFailed(lazy_gettext("nobody there"))
LOST = ConnectionStatus("lost", 0.5)


def welcome(guest: bool = False) -> Welcome:
    return Welcome(VERSION, "ann", guest, ())


class FakeCall:
    """A call with the test at its other end: `answers`, or how it ends."""

    def __init__(self, *answers: Answer | bytes | Exception) -> None:
        self.said: list[Command] = []
        self.closed = False
        self._frames: asyncio.Queue[Answer | bytes | Exception] = asyncio.Queue()
        self.tell(*answers)

    def send_frame(self, frame: bytes) -> None:
        self.said.append(decode_command(frame))

    async def receive_frame(self) -> bytes:
        frame = await self._frames.get()
        if isinstance(frame, Exception):
            raise frame
        return frame if isinstance(frame, bytes) else encode(frame)

    def close(self) -> None:
        self.closed = True
        self.tell(ServerConnectionLost())

    def tell(self, *answers: Answer | bytes | Exception) -> None:
        for answer in answers:
            self._frames.put_nowait(answer)

    def ends(self) -> None:
        self.tell(ServerConnectionLost())


class Line(ReconnectingLink):
    """A line on the first call of `outcomes`; every pause is over at once, and its length noted.

    The others are its next calls; what is an exception is raised.
    """

    def __init__(self, first: FakeCall, *outcomes: FakeCall | Exception) -> None:
        self.outcomes = list(outcomes)
        self.as_guest: list[bool] = []
        self.slept: list[float] = []
        super().__init__(first, self, RetryDelays(lambda: 0.0), self._note_pause)

    async def call(self, *, as_guest: bool = True) -> FakeCall:
        self.as_guest.append(as_guest)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    @property
    def hello(self) -> Hello:
        """The greeting as the line says it."""
        return Hello(VERSION, "test", self.name)

    async def _note_pause(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)

    async def hears(self, count: int) -> list[object]:
        return [await self.receive() for _ in range(count)]

    async def end(self) -> LinkEnded:
        with pytest.raises(LinkEnded) as ended:
            await self.receive()
        return ended.value


async def test_what_is_said_and_heard_goes_through_unchanged_and_is_not_kept() -> None:
    first = FakeCall(welcome(), LOBBY, ChatView((), "table"))
    line = Line(first)
    line.send(HELLO)
    assert await line.hears(2) == [welcome(), LOBBY]
    assert first.said == [line.hello]
    heard = weakref.ref(await line.receive())
    gc.collect()
    assert heard() is None, "a server that says much would fill the memory"


async def test_a_lost_line_is_made_again_after_growing_pauses() -> None:
    first, second = FakeCall(welcome(), ServerConnectionLost()), FakeCall()
    line = Line(first, *[NOBODY] * 6, second)
    news = await line.hears(1 + 2 * 7 + 1)
    pauses = [0.5, 1, 2, 4, 8, 15, 15]
    tries = [
        news for pause in pauses for news in (ConnectionStatus("lost", pause), ConnectionStatus("trying"))
    ]
    assert news == [welcome(), *tries, ConnectionStatus("back")]
    assert line.slept == pauses
    second.tell(welcome(), ServerConnectionLost())
    assert (await line.hears(2))[1] == LOST, "a success begins again"
    line.close()


async def test_a_line_that_is_cut_before_it_was_greeted_pauses_longer_each_time() -> None:
    line = Line(*[FakeCall(ServerConnectionLost()) for _ in range(3)])
    assert (await line.hears(7))[::3] == [ConnectionStatus("lost", pause) for pause in (0.5, 1, 2)]
    line.close()


def test_not_all_call_at_the_same_moment() -> None:
    late = RetryDelays(lambda: 0.999)
    found = [late.next() for _ in range(6)]
    assert found[0] > 0.5
    assert found[-1] <= MAX_DELAY * (1 + JITTER)


async def test_what_is_said_without_a_line_is_refused_and_never_said_later() -> None:
    first, second = FakeCall(ServerConnectionLost()), FakeCall()
    line = Line(first, second)
    assert await line.hears(1) == [LOST]
    line.send(MOVE)
    line.send(Say("hello"))
    heard = await line.hears(4)
    assert Refusal("no-line", to="Act") in heard
    assert Refusal("no-line", to="Say") in heard
    assert heard[-1] == ConnectionStatus("back")
    line.send(MOVE)
    assert second.said == [], "the server has not been greeted"
    line.send(HELLO)
    line.send(MOVE)
    assert second.said == [line.hello, MOVE]
    assert first.said == []


async def test_a_server_that_restarts_is_a_line_that_is_lost() -> None:
    second = FakeCall()
    line = Line(FakeCall(welcome(), Bye("shutdown"), ServerConnectionLost()), second)
    assert await line.hears(4) == [
        welcome(),
        ConnectionStatus("lost", 0.5, restarts=True),
        ConnectionStatus("trying", restarts=True),
        ConnectionStatus("back"),
    ]
    second.tell(welcome(), ServerConnectionLost())
    assert (await line.hears(2))[1] == LOST, "that time it was the line"
    line.close()
    for bye in (Bye("kicked"), Bye("version")):
        assert await Line(FakeCall(bye)).hears(1) == [bye], "any other farewell is heard"


@pytest.mark.parametrize("guest", [True, False])
async def test_who_came_with_a_key_comes_back_with_it_or_not_at_all(guest: bool) -> None:
    line = Line(FakeCall(welcome(guest), ServerConnectionLost()), FakeCall())
    await line.hears(4)
    assert line.as_guest == [guest]


async def test_a_line_has_one_name_on_all_its_calls_and_no_other_has_it() -> None:
    calls = FakeCall(ServerConnectionLost()), FakeCall()
    line = Line(*calls)
    line.send(HELLO)
    await line.hears(3)
    line.send(HELLO)
    assert [call.said for call in calls] == [[line.hello]] * 2
    assert len(line.name) == 16
    assert Line(FakeCall()).name != line.name
    line.close()


async def test_another_host_key_or_a_fault_of_our_own_ends_it_with_a_sentence() -> None:
    line = Line(FakeCall(ServerConnectionLost()), ConnectRefused(lazy_gettext("Another key was shown.")))
    await line.hears(2)
    assert str(await line.end()) == "Another key was shown."
    line = Line(FakeCall(ServerConnectionLost()), NOBODY, RuntimeError("nobody thought of it"))
    await line.hears(4)
    ended = await line.end()
    assert str(ended).startswith("This program failed")
    assert "(RuntimeError)" in str(ended)
    assert isinstance(ended.__cause__, RuntimeError)


@pytest.mark.parametrize("bad", [BadServerData("a bomb"), b"\xc1", b"\x81\xa1t\xa5Hello", b""])
async def test_nonsense_ends_it_with_one_sentence(bad: Exception | bytes) -> None:
    first = FakeCall(bad)
    assert str(await Line(first).end()) == str(UNREADABLE_SERVER)
    assert first.closed


async def test_who_hangs_up_hears_no_more_whatever_is_under_way() -> None:
    first = FakeCall(LOBBY)
    line = Line(first, FakeCall())
    for _ in range(2):
        line.close()
    with pytest.raises(LinkClosed):
        await line.receive()
    assert first.closed
    trying = Line(FakeCall(ServerConnectionLost()), FakeCall())
    await trying.hears(1)
    waiting = asyncio.create_task(trying.receive())
    trying.close()
    with pytest.raises(LinkClosed):
        await waiting
    trying.send(HELLO)


@pytest.mark.parametrize("again", [False, True])
async def test_a_server_that_lets_nobody_in_is_not_called_again(again: bool) -> None:
    declined = VisitDeclined("You are banned.")
    first = FakeCall(welcome(), ServerConnectionLost() if again else declined)
    line = Line(first, FakeCall(declined))
    await line.hears(4 if again else 1)
    assert str((await line.end()).sentence) == "The server turned you away: You are banned."
    assert len(line.as_guest) == again
