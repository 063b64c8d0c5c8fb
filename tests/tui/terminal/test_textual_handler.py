import asyncio
import gc
import re
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from cartino_tui.terminal.drivers import SCREEN_OFF, ChannelDriver
from cartino_tui.terminal.probe import COLOUR_QUERY
from cartino_tui.terminal.session_app import SessionApp
from tests.support.echo_app import EchoApp, EchoScreen
from tests.tui.terminal.conftest import FakeTerminal, Stage, until


@pytest.mark.parametrize(
    ("term", "full", "table"),
    [
        ("xterm-direct", True, False),
        ("xterm-256color", False, True),
        ("xterm", False, False),
        ("vt100", False, False),
    ],
)
async def test_each_session_has_the_colours_of_its_terminal(
    stage: Callable[..., Stage], term: str, full: bool, table: bool
) -> None:
    shown = stage(EchoApp, FakeTerminal(term))
    await shown.shows("below")
    sent = bytes(shown.terminal.sent).replace(COLOUR_QUERY, b"")
    assert (b"8;2;" in sent) == full
    assert (b"8;5;" in sent) == table
    numbers = b";".join(re.findall(rb"\x1b\[([0-9;]+)m", sent)).split(b";")
    assert any(int(number or 0) >= 30 for number in numbers) == (term != "vt100")
    await shown.end()


async def test_a_crash_ends_one_app_with_1_and_no_other(stage: Callable[..., Stage]) -> None:
    bad, good = stage(), stage()
    await bad.shows("below")
    await good.shows("below")
    bad.face.feed(b"x")
    assert await asyncio.wait_for(bad.task, 30) == 1
    assert bad.face.crash is not None
    assert "boom" in bad.face.crash
    assert bytes(bad.terminal.sent).endswith(SCREEN_OFF.encode())
    assert b"boom" not in bad.terminal.sent
    good.face.feed(b"a")
    await good.shows("key a")
    assert await good.end() == 0
    assert good.face.crash is None


class NoScreen(SessionApp[None]):
    def get_default_screen(self) -> EchoScreen:
        raise ValueError("no screen")


def no_app(**_: Any) -> SessionApp[None]:
    raise ValueError("no app")


@pytest.mark.parametrize("make_app", [NoScreen, no_app])
async def test_a_crash_at_the_start_is_told_like_any_other(
    stage: Callable[..., Stage], make_app: Callable[..., SessionApp[None]]
) -> None:
    shown = stage(make_app)
    assert await asyncio.wait_for(shown.task, 30) == 1
    assert shown.face.crash


async def test_an_exit_code_is_handed_on_and_a_text_stands_on_the_persons_own_screen(
    shown: Stage,
) -> None:
    shown.app.exit("Come back soon:\nssh host", return_code=3)
    assert await asyncio.wait_for(shown.task, 30) == 3
    assert bytes(shown.terminal.sent).endswith(SCREEN_OFF.encode() + b"Come back soon:\r\nssh host\r\n")


async def test_what_is_typed_before_the_app_is_there_is_not_lost(stage: Callable[..., Stage]) -> None:
    shown = stage()
    shown.face.feed(b"z")
    shown.face.resize(35, 9)
    await shown.shows("key z")
    assert shown.app.size == (35, 9)
    await shown.end()


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 5, 10, 40])
async def test_a_hang_up_at_any_moment_ends_it_without_drawing(
    stage: Callable[..., Stage], turns: int
) -> None:
    shown = stage()
    for _ in range(turns):
        await asyncio.sleep(0)
    shown.face.hang_up()
    before = len(shown.terminal.sent)
    assert await asyncio.wait_for(shown.task, 30) == 0
    assert shown.face.crash is None
    assert len(shown.terminal.sent) == before


async def test_a_cancelled_face_restores_the_terminal(shown: Stage) -> None:
    shown.task.cancel()
    await asyncio.wait([shown.task], timeout=30)
    assert shown.task.done()
    assert bytes(shown.terminal.sent).endswith(SCREEN_OFF.encode())


async def test_the_loop_keeps_its_way_of_making_tasks(
    stage: Callable[..., Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    def eager(loop: asyncio.AbstractEventLoop, coro: Any, **options: Any) -> asyncio.Task[Any]:
        return asyncio.Task(coro, loop=loop, **options)

    # What Textual takes on newer Pythons.
    monkeypatch.setattr(asyncio, "eager_task_factory", eager, raising=False)
    loop = asyncio.get_running_loop()
    both = [stage(), stage()]
    for shown in both:
        await shown.shows("below")
    assert loop.get_task_factory() is None
    for shown in both:
        await shown.end()
    assert loop.get_task_factory() is None


async def test_twelve_apps_come_and_gone_leave_nothing(stage: Callable[..., Stage]) -> None:
    remains: list[weakref.ref[Any]] = []

    async def visit() -> None:
        shown = stage()
        await shown.shows("below")
        shown.face.feed(b"a")
        await shown.shows("key a")
        shown.face.feed(b"\x1b[97;5u\x1b")
        remains.append(weakref.ref(shown.app))
        await shown.end()

    for _ in range(2):
        await asyncio.gather(*(visit() for _ in range(6)))

    def left() -> int:
        gc.collect()
        return sum(ref() is not None for ref in remains)

    await until(lambda: left() == 0)
    assert len(remains) == 12
    assert not [thing for thing in gc.get_objects() if isinstance(thing, ChannelDriver)]


async def test_a_line_that_was_full_once_is_slow(shown: Stage) -> None:
    shown.face.stall()
    shown.face.drained()
    assert shown.app.is_slow
