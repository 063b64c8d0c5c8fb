"""A key press is measured up to the frame that it causes, never up to a frame with another cause."""

import asyncio
from collections.abc import Iterator

import pytest

from cartino_server.metrics.definitions import REGISTRY
from cartino_server.ssh.session_terminal import MAX_TURNS, SessionMetrics
from tests.support.metered import metered, told

FRAMES = "cartino_key_to_frame_seconds"


@pytest.fixture(autouse=True)
def watched() -> Iterator[None]:
    with metered():
        yield


async def turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def at_a_screen() -> SessionMetrics:
    watch = SessionMetrics()
    watch.begin("screen")
    return watch


async def test_the_frame_that_a_key_draws_is_timed_once() -> None:
    watch = at_a_screen()
    watch.typed(1)
    await turns(MAX_TURNS - 2)
    watch.sent(300)
    watch.sent(20)
    assert told(FRAMES) == {(): 1}
    assert told("cartino_received_bytes_total") == {(): 1}
    assert told("cartino_sent_bytes_total") == {(): 320}


async def test_what_comes_later_was_drawn_for_something_else() -> None:
    watch = at_a_screen()
    watch.typed(1)
    await turns(MAX_TURNS + 1)
    watch.sent(300)
    assert told(FRAMES) == {}


async def test_keys_that_wait_together_are_timed_from_the_first() -> None:
    watch = at_a_screen()
    watch.typed(1)
    watch.typed(1)
    await turns(1)
    watch.sent(300)
    assert told(FRAMES) == {(): 1}
    watch.typed(1)
    watch.sent(300)
    assert told(FRAMES) == {(): 2}


async def test_a_key_after_one_that_drew_nothing_is_timed_from_itself() -> None:
    watch = at_a_screen()
    watch.typed(1)
    await turns(MAX_TURNS + 1)
    watch.typed(1)
    watch.sent(300)
    assert told(FRAMES) == {(): 1}


@pytest.mark.parametrize("kind", ["lines", "native", "answer"])
async def test_only_screens_have_frames(kind: str) -> None:
    watch = SessionMetrics()
    watch.begin(kind)  # type: ignore[arg-type]
    watch.typed(1)
    watch.sent(300)
    assert told(FRAMES) == {}
    assert told("cartino_received_bytes_total") == {(): 1}


async def test_sessions_are_there_until_they_end() -> None:
    watch, other = at_a_screen(), SessionMetrics()
    assert told("cartino_sessions") == {("server", "screen"): 1}
    # One that never got so far as to begin ends too.
    other.end()
    watch.end()
    watch.end()
    assert told("cartino_sessions") == {("server", "screen"): 0}
    assert told("cartino_sessions_begun_total") == {("screen",): 1}


async def test_nothing_waits_while_nobody_watches() -> None:
    REGISTRY.end()
    watch = at_a_screen()
    watch.typed(1)
    watch.sent(300)
    REGISTRY.on = True
    assert REGISTRY.read() == ()
