"""A visit with the test as the server: an app on a scripted link, driven by Textual's pilot."""

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from cartino_protocol.views import Answer
from cartino_tui.app import CartinoApp
from cartino_tui.game_port.screen import AnyScreen
from cartino_tui.visit.routes import ShellCommands, StartRoute
from tests.support.visit import TOYS, ScriptedLink, Visit, lobby, welcome

Visiting = Callable[..., AbstractAsyncContextManager[Visit]]


@pytest.fixture
def visit() -> Visiting:
    """`async with visit(...) as v`: an app that has heard a welcome, a lobby, and the answers given."""

    @asynccontextmanager
    async def opened(
        *answers: Answer,
        intent: StartRoute | None = None,
        size: tuple[int, int] = (80, 24),
        link: ScriptedLink | None = None,
        greeting: tuple[Answer, ...] = (welcome(), lobby()),
        ascii: bool = False,
        now: Callable[[], float] = time.monotonic,
        game_screens: Mapping[str, AnyScreen] = TOYS,
    ) -> AsyncIterator[Visit]:
        link = link or ScriptedLink()
        listener = ShellCommands("ssh -t games.example.org")
        app = CartinoApp(
            link,
            intent,
            depth="true",
            game_screens=game_screens,
            ascii=ascii,
            shell_commands=listener,
            now=now,
        )
        async with app.run_test(size=size) as pilot:
            visit = Visit(app, pilot, link)
            await visit.hears(*greeting, *answers)
            yield visit

    return opened
