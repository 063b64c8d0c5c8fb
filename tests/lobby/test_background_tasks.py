"""What takes a while is answered, whatever becomes of it, and ends with the server."""

import asyncio
import inspect

from structlog.testing import capture_logs

from cartino_protocol.commands import History
from cartino_protocol.refusals import Refusal
from cartino_server.lobby.background_tasks import BackgroundTasks
from cartino_server.store.port import JournalClosed, NotSaved
from tests.support.game_server import Noting
from tests.support.scene import turns

ASKED = History("all")


class Asking(Noting):
    """Notes when its command is done."""

    def __init__(self) -> None:
        super().__init__("ann")
        self.done = 0

    def serve_next(self) -> None:
        self.done += 1


async def failing(error: Exception) -> None:
    raise error


async def test_whoever_asked_waits_until_it_is_done() -> None:
    link, tasks, go = Asking(), BackgroundTasks(), asyncio.Event()

    async def work() -> None:
        await go.wait()

    assert tasks.run_for(link, ASKED, work()) is False
    await turns()
    assert link.done == 0
    go.set()
    await turns()
    assert link.done == 1


async def test_what_can_t_be_saved_is_refused() -> None:
    for error in (NotSaved("the disk is full"), JournalClosed("closed")):
        link = Asking()
        BackgroundTasks().run_for(link, ASKED, failing(error))
        assert await link.receive() == Refusal("not-saved", to="History")
        await turns()
        assert link.done == 1


async def test_a_defect_is_logged_and_no_silence() -> None:
    link = Asking()
    with capture_logs() as logs:
        BackgroundTasks().run_for(link, ASKED, failing(RuntimeError("a bug")))
        assert await link.receive() == Refusal("busy", to="History")
    assert [line["event"] for line in logs] == ["task_failed"]


async def test_what_nobody_waits_for_is_logged_too() -> None:
    tasks = BackgroundTasks()
    with capture_logs() as logs:
        tasks.run(failing(NotSaved("the disk is full")))
        tasks.run(failing(RuntimeError("a bug")))
        await turns()
    assert [line["event"] for line in logs] == ["task_not_saved", "task_failed"]


async def test_what_is_under_way_ends_with_the_server() -> None:
    link, tasks = Asking(), BackgroundTasks()
    tasks.run_for(link, ASKED, asyncio.Event().wait())  # type: ignore[arg-type]
    await turns()
    await tasks.stop()
    assert link.done == 1
    await tasks.stop()


async def test_work_that_never_began_is_closed_when_the_server_stops() -> None:
    tasks, works = BackgroundTasks(), [failing(RuntimeError("never raised")) for _ in range(2)]
    tasks.run_for(Asking(), ASKED, works[0])
    tasks.run(works[1])
    await tasks.stop()
    assert [inspect.getcoroutinestate(work) for work in works] == [inspect.CORO_CLOSED] * 2
