"""A key that nothing waits before is done at once; behind a click it waits its turn; what it breaks ends its app."""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
from textual.message import Message

from cartino_protocol.views import TableView
from cartino_tui.app import CartinoApp
from cartino_tui.game_port.screen import MIN_LOOK, AnyScreen, Look, Reaction
from cartino_tui.screens.table import TableScreen
from cartino_tui.terminal.scheduling import DEFERRED_COST, scheduler_for_loop
from cartino_tui.widgets.help import HelpScreen
from tests.support.visit import TOYS, Counter, Pick, ScriptedLink, ToyScreen, lobby, toy_table, welcome
from tests.tui.terminal.conftest import FakeTerminal, Stage, until

CLICK = b"\x1b[<0;5;5M\x1b[<0;5;5m"
"""Picks the toy's fourth stone."""


class Fragile(ToyScreen):
    """Breaks at the key 3."""

    def key(
        self, table: TableView, view: Counter, pointer: Pick, key: str, look: Look = MIN_LOOK
    ) -> Reaction[Pick]:
        if key == "3":
            raise ZeroDivisionError
        return super().key(table, view, pointer, key, look)


async def at_a_table(game_screens: Mapping[str, AnyScreen] = TOYS) -> tuple[Stage, TableScreen]:
    """A stage with a table in front, and nothing on its way."""
    link = ScriptedLink()

    def make(**kwargs: Any) -> CartinoApp:
        return CartinoApp(link, game_screens=game_screens, **kwargs)

    stage = Stage(FakeTerminal(width=80, height=24), make)
    link.tell(welcome(), lobby(), toy_table(state="playing", you=0))
    await stage.shows("picked 0")
    screen = stage.app.screen
    assert isinstance(screen, TableScreen)
    await until(lambda: is_still(stage, screen))
    return stage, screen


def is_still(stage: Stage, screen: TableScreen) -> bool:
    return not stage.app.message_queue_size and not screen.message_queue_size


def has_picked(screen: TableScreen, stone: int) -> bool:
    return picked(screen) == stone


def picked(screen: TableScreen) -> int:
    assert isinstance(screen.state.pointer, Pick)
    return screen.state.pointer.picked


async def test_a_key_is_done_before_the_loop_turns() -> None:
    stage, screen = await at_a_table()
    stage.face.feed(b"2")
    assert picked(screen) == 2
    await stage.shows("picked 2")
    assert await stage.end() == 0


@pytest.mark.parametrize(
    ("typed", "last"), [(CLICK + b"2", 2), (b"2" + CLICK, 4), (b"1" + CLICK + b"2" + b"5", 5)]
)
async def test_keys_and_clicks_keep_their_order(typed: bytes, last: int) -> None:
    stage, screen = await at_a_table()
    stage.face.feed(typed)
    await until(lambda: is_still(stage, screen))
    assert picked(screen) == last
    assert await stage.end() == 0


async def test_a_key_of_the_apps_own_is_still_the_apps() -> None:
    stage, _ = await at_a_table()
    stage.face.feed(b"\x03")
    async with asyncio.timeout(30):
        assert await stage.task == 0


async def test_what_a_key_breaks_ends_its_app_and_not_whoever_brought_the_key() -> None:
    stage, _ = await at_a_table({"toy": Fragile()})
    stage.face.feed(b"3")
    async with asyncio.timeout(30):
        assert await stage.task == 1
    assert stage.face.crash is not None
    assert "ZeroDivisionError" in stage.face.crash


async def test_a_key_is_charged_for_what_it_leaves_to_be_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that opens help is done at once, but for all that the screen does to begin."""
    stage, _ = await at_a_table()
    charged: list[float] = []

    def charge(seconds: float, *, light: bool) -> None:
        charged.append(seconds)

    monkeypatch.setattr(scheduler_for_loop(), "clock", lambda: 0.0)
    monkeypatch.setattr(scheduler_for_loop(), "charge", charge)
    stage.face.feed(b"2")
    assert sum(charged) == 0
    stage.face.feed(b"?")
    assert sum(charged) == DEFERRED_COST
    await until(lambda: isinstance(stage.app.screen, HelpScreen) and stage.app.is_still)
    charged.clear()
    stage.face.feed(b"q")
    assert sum(charged) == DEFERRED_COST
    assert await stage.end() == 0


async def test_nothing_is_done_at_once_where_the_app_ends_or_has_looked_at_what_comes_before() -> None:
    stage, screen = await at_a_table()
    for pump, key in ((stage.app, 2), (screen, 3)):
        pump._pending_message = Message()
        stage.face.feed(b"%d" % key)
        assert picked(screen) != key
        pump._pending_message = None
        await until(partial(has_picked, screen, key))
        await until(lambda: is_still(stage, screen))
    stage.app.exit()
    stage.face.feed(b"2")
    assert picked(screen) == 3
    async with asyncio.timeout(30):
        assert await stage.task == 0


async def test_a_key_that_comes_before_the_app_has_begun_is_done_later() -> None:
    link = ScriptedLink()
    stage = Stage(
        FakeTerminal(width=80, height=24),
        lambda **kwargs: CartinoApp(link, game_screens=dict(TOYS), **kwargs),
    )
    stage.face.feed(b"?")
    link.tell(welcome(), lobby())
    await stage.shows("Esc")
    assert await stage.end() == 0
