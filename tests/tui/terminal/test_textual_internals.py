"""These fail when Textual changes; then read `textual_internals.py` against the new source."""

import asyncio
import gc
import hashlib
import inspect
import sys
import weakref
from collections.abc import Callable, Mapping
from functools import partial
from time import thread_time
from types import FunctionType
from typing import Any

import pytest
from textual import events
from textual._animator import Animator
from textual._parser import Parser as Pieces
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen

from cartino_protocol.views import TableView
from cartino_tui.app import CartinoApp
from cartino_tui.game_port.screen import MIN_LOOK, AnyScreen, Look, Reaction
from cartino_tui.screens.table import TableScreen
from cartino_tui.terminal import textual_internals
from cartino_tui.terminal.scheduling import DEFERRED_COST, InputSlot, scheduler_for_loop
from cartino_tui.terminal.session_app import SessionApp
from cartino_tui.terminal.textual_internals import TerminalParser
from cartino_tui.widgets.help import HelpScreen
from tests.support.echo_app import EchoScreen
from tests.support.visit import TOYS, Counter, Pick, ScriptedLink, ToyScreen, lobby, toy_table, welcome
from tests.tui.terminal.conftest import FakeTerminal, Stage, until


async def is_shown(shown: Stage) -> None:
    await until(lambda: shown.made and shown.app.screen_stack and shown.app.screen.is_mounted)


async def test_a_painted_screen_has_no_widgets_no_style_and_no_task_but_its_own(
    stage: Callable[..., Stage],
) -> None:
    before = asyncio.all_tasks()
    shown = stage()
    await is_shown(shown)
    screen = shown.app.screen
    assert not screen.walk_children()
    names = [task.get_name() for task in asyncio.all_tasks() - before - {shown.task}]
    assert names == ["message pump EchoScreen()"]
    assert (screen.size.width, screen.size.height) == (40, 10)
    await shown.end()


LEANED_ON = (
    (App, "_handle_exception", "baea2e7f88e7ac52"),
    (App, "_set_pointer_shape", "55b4485417c4e48d"),
    (App, "_display", "4b78dff6669a455c"),
    (App, "refresh_css", "ecfa14bd0d19dba0"),
    (App, "_process_messages", "7934609529be85be"),
    (MessagePump, "_process_messages", "1087b5cdec4d4813"),
    (MessagePump, "_process_messages_loop", "8b26d5edccbb994f"),
    (Animator, "__init__", "941148e7976029a0"),
    (Animator, "bind", "b3982e1257f61f09"),
    (Animator, "start", "8d0858389e612acf"),
    (Screen, "_update_timer", "6736ab93692ef9ed"),
    (Screen, "_on_timer_update", "421401660de142c5"),
    (Screen, "_extend_compose", "b80043bc2e09b886"),
    (Screen, "_refresh_layout", "889715478130b7e0"),
    (Screen, "_compositor_refresh", "7a40efe563816a06"),
    (XTermParser, "__init__", "d72babb3e40ab7da"),
    (XTermParser, "feed", "a2ae8e648629c0a1"),
    (XTermParser, "_parse_extended_key", "65eeaadaf41a7aa9"),
    (LinuxDriver, "run_input_thread", "d796af6d69db337d"),
    (Pieces, "feed", "390106cde019dd29"),
    (Pieces, "tick", "44606084ad3bf7c1"),
)
"""What is overridden, or called with what it does inside in mind, and the digest of the text that was read for it."""


def upstream(theirs: type, name: str) -> Callable[..., Any]:
    """Textual's own function, or that of its property."""
    found = inspect.getattr_static(theirs, name)
    function: Callable[..., Any] = inspect.unwrap(getattr(found, "fget", found))
    return function


@pytest.mark.parametrize(("theirs", "name", "written_for"), LEANED_ON)
def test_what_is_leaned_on_reads_as_it_did(theirs: type, name: str, written_for: str) -> None:
    text = inspect.getsource(upstream(theirs, name))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == written_for


def test_nothing_private_is_overridden_that_was_not_read() -> None:
    read = {(theirs, name) for theirs, name, _ in LEANED_ON}
    ours = [
        made
        for made in vars(textual_internals).values()
        if inspect.isclass(made) and made.__module__ == textual_internals.__name__
    ]
    overridden = {
        (theirs, name)
        for made in ours
        for name, what in vars(made).items()
        if isinstance(what, FunctionType | property) and name.startswith("_") and not name.startswith("__")
        for theirs in [base for base in made.__mro__[1:] if name in vars(base)][:1]
        if theirs.__module__.startswith("textual.")
    }
    assert len(overridden) >= 8
    assert overridden <= read


class Busy(SessionApp[str]):
    """Works for a while in its own task, and in that of a screen over it."""

    WORK = 0.05

    def get_default_screen(self) -> EchoScreen:
        return EchoScreen("hello")

    async def on_key(self, event: events.Key) -> None:
        work_for(self.WORK)
        await self.push_screen(BusyScreen("busy"))


class BusyScreen(EchoScreen):
    def on_mount(self) -> None:
        work_for(Busy.WORK)


def work_for(seconds: float) -> None:
    end = thread_time() + seconds
    while thread_time() < end:
        pass


async def test_a_session_is_charged_for_what_its_tasks_do_after_a_key(
    stage: Callable[..., Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    charged: list[float] = []
    monkeypatch.setattr(InputSlot, "charge_deferred", lambda _, seconds: charged.append(seconds))
    shown = stage(Busy)
    await is_shown(shown)
    charged.clear()
    shown.face.feed(b"a")
    await until(lambda: isinstance(shown.app.screen, BusyScreen) and shown.app.screen.is_mounted)
    await until(lambda: sum(charged) >= 2 * Busy.WORK)
    await shown.end()


async def test_a_painted_screen_calls_back_after_what_would_be_drawn(shown: Stage) -> None:
    told: list[str] = []
    shown.app.screen.refresh(layout=True)
    shown.app.screen.call_after_refresh(told.append, "drawn")
    await until(lambda: told)
    shown.face.resize(50, 12)
    await until(lambda: shown.app.screen.size.width == 50)


async def test_an_app_that_has_ended_is_free_at_once(shown: Stage) -> None:
    gc.disable()
    try:
        screen = weakref.ref(shown.app.screen)
        await shown.end()
        await until(lambda: screen() is None)
        assert vars(shown.app) == {}
    finally:
        gc.enable()


async def test_the_mouse_pointer_is_left_as_it_is(
    stage: Callable[..., Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def bytes_of_pointing() -> bytes:
        shown = stage()
        await shown.shows("below")
        shown.face.feed(b"\x1b[<35;3;1Ma")
        await shown.shows("key a")
        await shown.end()
        return bytes(shown.terminal.sent)

    assert b"\x1b]22;" not in await bytes_of_pointing()
    # Were Textual to send it from elsewhere one day, this would fail.
    monkeypatch.delattr(textual_internals.PaintingApp, "_set_pointer_shape")
    assert b"\x1b]22;" in await bytes_of_pointing()


def fed(data: str) -> list[Message]:
    return TerminalParser().feed(data)


def test_the_parser_reads_as_textual_does() -> None:
    key, paste, click = fed("\x1b[A\x1b[200~hi\x1b[201~\x1b[<0;5;3M")
    assert isinstance(key, events.Key)
    assert key.key == "up"
    assert isinstance(paste, events.Paste)
    assert paste.text == "hi"
    assert isinstance(click, events.MouseDown)
    assert (click.x, click.y) == (4, 2)


@pytest.mark.parametrize(
    "hostile", ["\x1b[99999999999u", "\x1b[;;99999999u", "\x1b[1;1:3;x~", "\x1b[97;5;1114112:3u"]
)
def test_the_parser_survives_what_makes_textuals_raise(hostile: str) -> None:
    parser = TerminalParser()
    parser.feed(hostile)
    [key] = [event for event in parser.feed("\x1b[A") if isinstance(event, events.Key)][-1:]
    assert key.key == "up"


def test_an_unasked_report_of_pixels_does_not_move_the_mouse() -> None:
    *_, click = fed("\x1b[48;10;20;400;800t\x1b[<0;5;3M")
    assert isinstance(click, events.MouseDown)
    assert (click.x, click.y) == (4, 2)


def test_a_paste_that_is_too_long_is_dropped_to_its_end() -> None:
    parser = TerminalParser()
    found = parser.feed("\x1b[200~")
    for _ in range(TerminalParser.MOST_SILENT // 1000 + 9):
        found += parser.feed("y" * 1000)
    found += parser.feed("y\x1b[20")
    assert found == []
    [key] = parser.feed("1~a")
    assert isinstance(key, events.Key)
    assert key.key == "a"
    [paste] = parser.feed("\x1b[200~hi\x1b[201~")
    assert isinstance(paste, events.Paste)


@pytest.mark.parametrize("size", [1, 2, 5, 7, 100])
@pytest.mark.parametrize(
    ("pasted", "text"),
    [
        ("one\x1btwo", "onetwo"),
        ("\x1b[A\x1b", "[A"),
        ("a\x1b\x1b[200~b\x1b[20", "a[200~b[20"),
        ("\x1b[31mred\x1b[0m\x1bOP", "[31mred[0mOP"),
        ("\x1b" * 40 + "end", "end"),
        ("", ""),
    ],
)
def test_a_paste_with_escapes_is_one_paste_in_order(pasted: str, text: str, size: int) -> None:
    parser, found = TerminalParser(), list[Message]()
    data = f"a\x1b[200~{pasted}\x1b[201~b"
    for at in range(0, len(data), size):
        found += parser.feed(data[at : at + size])
    first, *pastes, last = found
    assert isinstance(first, events.Key)
    assert isinstance(last, events.Key)
    assert (first.key, last.key) == ("a", "b")
    assert [paste.text for paste in pastes if isinstance(paste, events.Paste)] == [text][: len(pastes)]
    assert len(pastes) == (1 if text else len(pastes))


@pytest.mark.parametrize("suffix", ["u", ";1u", ";129u"])
def test_the_keypad_of_kittys_protocol_types_and_moves(suffix: str) -> None:
    keys = [event for code in range(57399, 57427) for event in fed(f"\x1b[{code}{suffix}")]
    assert all(isinstance(event, events.Key) for event in keys)
    names = [event.key for event in keys if isinstance(event, events.Key)]
    assert names == [
        *"0123456789",
        *("full_stop", "slash", "asterisk", "minus", "plus", "enter", "equals_sign", "comma"),
        *("left", "right", "up", "down", "pageup", "pagedown", "home", "end", "insert", "delete"),
    ]
    typed = [event.character for event in keys if isinstance(event, events.Key)]
    assert typed[:18] == list("0123456789./*-+\r=,")


def test_keys_with_modifiers_stay_what_they_are() -> None:
    (key,) = fed("\x1b[57400;5u")
    assert isinstance(key, events.Key)
    assert key.key == "ctrl+1"


def test_a_parser_says_how_long_an_escape_waits() -> None:
    parser = TerminalParser()
    before = parser.waits
    parser.feed("\x1b")
    waits = parser.waits
    assert before is None
    assert waits is not None
    assert 0 <= waits < 1


def test_a_closed_parser_is_freed() -> None:
    parser = TerminalParser()
    parser.feed("\x1b[97;5u\x1b")
    parser.close()
    parser.close()
    gone = weakref.ref(parser)
    del parser
    gc.collect()
    assert gone() is None


async def test_the_streams_are_left_alone_however_the_apps_end(stage: Callable[..., Stage]) -> None:
    out, err = sys.stdout, sys.stderr
    first, second = stage(), stage()
    for shown in (first, second):
        await shown.shows("below")
        assert (sys.stdout, sys.stderr) == (out, err)
    await first.end()
    assert (sys.stdout, sys.stderr) == (out, err)
    await second.end()
    assert (sys.stdout, sys.stderr) == (out, err)


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
