"""The timers of a table: one of each name, and none left over."""

import asyncio

from cartino_server.table.jobs import Timers


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
