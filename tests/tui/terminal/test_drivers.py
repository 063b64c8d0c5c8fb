"""The driver of our own terminal; what a real one is left with is in tests/stories/test_local.py."""

import asyncio
import gc
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from cartino_tui.terminal.drivers import MOUSE_OFF, SCREEN_OFF
from tests.support.echo_app import EchoApp
from tests.tui.terminal.conftest import FakeTerminal, Stage, until


async def test_modes_go_on_and_at_the_end_off(shown: Stage) -> None:
    sent = shown.terminal.sent
    for mode in (1049, 1000, 1002, 1006, 1004, 2004):
        assert b"\x1b[?%dh" % mode in sent
    assert b"?2026" not in sent
    assert b"?2048" not in sent
    assert await shown.end() == 0
    assert bytes(sent).endswith((MOUSE_OFF + SCREEN_OFF).encode())


async def test_all_that_is_drawn_in_one_turn_is_one_write(shown: Stage) -> None:
    assert shown.terminal.writes < 6


async def test_keys_pastes_and_clicks_reach_the_app(shown: Stage) -> None:
    shown.face.feed(b"\x1b[B")
    await shown.shows("key down")
    shown.face.feed(b"\x1b")
    await shown.shows("key escape")
    shown.face.feed(b"\x1b[200~two words\x1b[201~")
    await shown.shows("paste two words")
    shown.face.feed(b"\x1b[<0;8;2M\x1b[<0;8;2m")
    await shown.shows("click 7 1")


async def test_a_new_size_reaches_the_app_but_not_by_typing_it(shown: Stage) -> None:
    shown.face.feed(b"\x1b[48;7;7;7;7ta")
    await shown.shows("key a")
    shown.face.resize(33, 9)
    await shown.shows("size 33x9")
    shown.face.resize(4000, 4000)
    await until(lambda: shown.app.size == (300, 120))


async def test_nothing_is_drawn_while_stalled_and_the_newest_afterwards(stage: Callable[..., Stage]) -> None:
    shown = stage(EchoApp, FakeTerminal(width=40, height=4))
    await shown.shows("below")
    shown.face.stall()
    shown.face.stall()
    before = len(shown.terminal.sent)
    app = shown.app
    assert isinstance(app, EchoApp)
    seen: list[str] = []
    for number in range(50):
        app.call_later(app.tell, f"state {number}")
    app.call_later(seen.append, "all told")
    await until(lambda: seen)
    assert len(shown.terminal.sent) == before
    shown.face.drained()
    shown.face.drained()
    await shown.shows("state 49")
    assert b"48" not in shown.terminal.sent[before:]
    await shown.end()


async def test_suspending_does_nothing_to_the_process(shown: Stage) -> None:
    shown.app.call_later(shown.app.action_suspend_process)
    shown.face.feed(b"\x1aa")
    await shown.shows("key a")


async def test_no_browser_is_opened_and_files_are_refused(
    stage: Callable[..., Stage], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    shown = stage(EchoApp, FakeTerminal(width=60, height=20))
    await shown.shows("below")
    shown.app.call_later(shown.app.open_url, "https://example.org/")
    text = io.StringIO("secret")
    shown.app.call_later(shown.app.deliver_text, text, save_directory=tmp_path, save_filename="file.txt")
    await until(lambda: text.closed)
    await shown.end()
    assert opened == []
    assert list(tmp_path.iterdir()) == []


async def test_one_who_goes_while_nothing_is_taken_leaves_nothing_held(shown: Stage) -> None:
    shown.face.stall()
    shown.face.hang_up()
    async with asyncio.timeout(30):
        assert await shown.task == 0
    gc.collect()  # what is held and misses its app raises here
