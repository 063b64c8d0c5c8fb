"""A terminal that had another size for a moment lost cells that nobody saw it lose: it is painted anew."""

import asyncio
from collections.abc import Callable
from functools import partial

from textual import events

from cartino_tui.app import CartinoApp
from cartino_tui.terminal.scheduling import scheduler_for_loop
from tests.support.emulated import Emulated
from tests.support.visit import TOYS, ScriptedLink, lobby, welcome
from tests.tui.terminal.conftest import EchoApp, FakeTerminal, Stage, until


async def in_lobby(stage: Callable[..., Stage]) -> Stage:
    link = ScriptedLink()
    link.tell(welcome(), lobby())
    shown = stage(partial(CartinoApp, link, game_screens=TOYS), FakeTerminal(width=80, height=24))
    await shown.shows("q quit")
    return shown


async def test_the_size_that_it_had_before_paints_it_anew(stage: Callable[..., Stage]) -> None:
    shown = await in_lobby(stage)
    sent, picture = len(shown.terminal.sent), shown.terminal.screen()
    shown.face.resize(80, 24)
    await until(lambda: len(shown.terminal.sent) > sent)
    emulator = Emulated(80, 24)
    emulator.send(shown.terminal.sent[sent:].decode())
    assert [line.rstrip() for line in emulator.display] == picture
    await shown.end()


async def test_while_it_takes_nothing_it_waits_for_that(stage: Callable[..., Stage]) -> None:
    shown = await in_lobby(stage)
    shown.face.stall()
    sent, picture = len(shown.terminal.sent), shown.terminal.screen()
    shown.face.resize(80, 24)
    handled: list[str] = []
    shown.app.call_later(handled.append, "the size")
    await until(lambda: handled)
    await asyncio.sleep(0)
    assert len(shown.terminal.sent) == sent
    shown.face.drained()
    await until(lambda: len(shown.terminal.sent) > sent)
    emulator = Emulated(80, 24)
    emulator.send(shown.terminal.sent[sent:].decode())
    assert [line.rstrip() for line in emulator.display] == picture
    await shown.end()


async def test_the_first_picture_is_sent_once(stage: Callable[..., Stage]) -> None:
    shown = await in_lobby(stage)
    assert shown.terminal.sent.count(b"quit") == 1
    await shown.end()


async def test_it_waits_for_its_turn_and_only_the_newest_counts(stage: Callable[..., Stage]) -> None:
    sizes: list[tuple[int, int]] = []

    class Sized(EchoApp):
        def on_resize(self, event: events.Resize) -> None:
            sizes.append((event.size.width, event.size.height))

    shown = stage(Sized)
    await shown.shows("size 40x10")
    sizes.clear()
    # As others do who drag their windows.
    scheduler_for_loop().charge(0.1, light=False)
    shown.face.resize(50, 20)
    shown.face.resize(60, 20)
    await until(lambda: sizes)
    assert sizes == [(60, 20)], "the first one was never laid out"
    await shown.end()
