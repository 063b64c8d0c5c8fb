"""The timers of a table: one of each name, and none left over."""

import asyncio

from cartino_protocol.base import CLOCK_WARNING
from cartino_protocol.commands import Create, Say
from cartino_protocol.views import ChatView, TableView
from cartino_server.server import Server
from cartino_server.table.jobs import Timers
from tests.support.game_server import QUICK, World, at_a_table
from tests.support.race import Race


async def test_what_is_over_is_done_and_the_one_before_is_not() -> None:
    timers, done = Timers(), asyncio.Queue[str]()
    timers.set("look", 0, lambda: done.put_nowait("first"))
    timers.set("look", -5, lambda: done.put_nowait("second"))
    timers.set("empty", 0, lambda: done.put_nowait("third"))
    async with asyncio.timeout(20):
        assert {await done.get(), await done.get()} == {"second", "third"}
    assert done.empty()


async def test_a_timer_counts_until_it_is_taken_back() -> None:
    timers = Timers()
    assert "retry" not in timers
    timers.set("retry", 1000, lambda: None)
    assert "retry" in timers
    timers.clear("retry")
    timers.clear("retry")
    assert "retry" not in timers


async def test_never_is_no_timer() -> None:
    timers = Timers()
    timers.set("look", 1000, lambda: None)
    timers.set("look", None, lambda: None)
    assert "look" not in timers


async def test_at_the_end_none_goes_off() -> None:
    timers, done = Timers(), list[str]()
    for name in ("look", "empty"):
        timers.set(name, 0, lambda: done.append("too late"))
    timers.stop()
    reached = asyncio.Event()
    asyncio.get_running_loop().call_later(0, reached.set)
    await reached.wait()
    assert done == []


async def test_the_table_is_sent_again_when_a_turn_has_ten_seconds_left() -> None:
    world = World()
    server = Server({"race": Race()}, {}, QUICK, world.ports())
    ann, bob = await at_a_table(server, "ann", "bob", create=Create("race", clock="30s"))
    assert ann.table is not None
    number = ann.table.number
    world.skip(15)
    ann.say(Say("hi"))
    await bob.wait(ChatView, lambda chat: bool(chat.lines))
    world.skip(5.1)
    for guest in (ann, bob):
        told = await guest.wait(TableView, lambda table: (table.seats[0].left or 99) <= CLOCK_WARNING)
        assert told.number == number
    await server.close()
