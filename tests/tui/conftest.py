"""A visit with the test as the house: an app on a scripted link, driven by Textual's pilot."""

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from cartino_protocol.views import Answer
from cartino_tui.app import HouseApp
from cartino_tui.door import Door
from cartino_tui.games.screen import AnyScreen
from cartino_tui.intent import Intent
from tests.support.visit import TOYS, ScriptedLink, Visit, lobby, welcome

Visiting = Callable[..., AbstractAsyncContextManager[Visit]]


@pytest.fixture
def visit() -> Visiting:
    """`async with visit(...) as v`: an app that has heard a welcome, a lobby, and the answers given."""

    @asynccontextmanager
    async def opened(
        *answers: Answer,
        intent: Intent | None = None,
        size: tuple[int, int] = (80, 24),
        link: ScriptedLink | None = None,
        greeting: tuple[Answer, ...] = (welcome(), lobby()),
        ascii: bool = False,
        now: Callable[[], float] = time.monotonic,
        plugs: Mapping[str, AnyScreen] = TOYS,
    ) -> AsyncIterator[Visit]:
        link = link or ScriptedLink()
        door = Door("ssh -t games.example.org")
        app = HouseApp(link, intent, depth="true", plugs=plugs, ascii=ascii, door=door, now=now)
        async with app.run_test(size=size) as pilot:
            visit = Visit(app, pilot, link)
            await visit.hears(*greeting, *answers)
            yield visit

    return opened
