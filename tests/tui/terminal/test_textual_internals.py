"""These fail when Textual changes what we know of its inside; then read `inside.py` against the new source."""

import asyncio
import gc
import inspect
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from time import thread_time
from types import FunctionType
from typing import Any

import pytest
from textual import events
from textual._animator import Animator
from textual._parser import Parser as Pieces
from textual._styles_cache import StylesCache
from textual._xterm_parser import XTermParser
from textual.app import App, ComposeResult
from textual.color import Color
from textual.css.stylesheet import Stylesheet
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widgets import Static

from cartino_protocol.views import TableView
from cartino_tui.app import CartinoApp
from cartino_tui.game_port.screen import MIN_LOOK, AnyScreen, Look, Reaction
from cartino_tui.screens.table import TableScreen
from cartino_tui.terminal import textual_internals
from cartino_tui.terminal.drivers import MOUSE_OFF, MOUSE_ON, SCREEN_OFF, SCREEN_ON
from cartino_tui.terminal.scheduling import DEFERRED_COST, InputSlot, scheduler_for_loop
from cartino_tui.terminal.session_app import SessionApp
from cartino_tui.terminal.textual_internals import PATCHES, PaintedScreen, TerminalParser
from cartino_tui.widgets.help import HelpScreen
from tests.support.visit import TOYS, Counter, Pick, ScriptedLink, ToyScreen, lobby, toy_table, welcome
from tests.tui.terminal.conftest import EchoApp, FakeTerminal, Stage, until


@contextmanager
def patches(on: bool) -> Iterator[None]:
    """With all patches in place, or with none."""
    assert textual_internals.install() == ()
    with pytest.MonkeyPatch.context() as mocks:
        if not on:
            mocks.setattr(textual_internals, "install", tuple)  # every face calls it
            for patch in PATCHES:
                mocks.setattr(patch.owner, patch.name, patch.upstream)
        yield


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.name)
def test_every_patch_was_written_for_this_textual(patch: textual_internals.Patch) -> None:
    assert textual_internals.digest(patch.upstream) == patch.written_for


def test_a_patch_that_does_not_fit_is_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    textual_internals.install()
    stranger = PATCHES[-1]._replace(written_for="another text")
    monkeypatch.setattr(textual_internals, "PATCHES", (stranger,))
    monkeypatch.setattr(stranger.owner, stranger.name, stranger.upstream)
    assert textual_internals.install() == (f"{stranger.owner.__name__}.{stranger.name}",)
    assert getattr(stranger.owner, stranger.name) is stranger.upstream


class SelfPainting(EchoApp):
    PAINTS = True


async def test_nothing_that_textual_draws_is_sent_where_the_app_paints_itself(
    stage: Callable[..., Stage],
) -> None:
    shown = stage(SelfPainting)
    await until(lambda: bytes(shown.terminal.sent).endswith((SCREEN_ON + MOUSE_ON).encode()))
    begun = bytes(shown.terminal.sent)
    shown.face.feed(b"a")
    await until(lambda: str(shown.app.query_one("#told", Static).content) == "key a")
    await shown.app.animator.wait_for_idle()
    await shown.end()
    assert bytes(shown.terminal.sent) == begun + (MOUSE_OFF + SCREEN_OFF).encode()


class Ground(PaintedScreen[None]):
    """A screen that is red, with something on it, where Textual draws it."""

    DEFAULT_CSS = "Ground { background: red; }"

    def compose(self) -> ComposeResult:
        if not self.is_painted:
            yield Static("below")


class OnGround(SessionApp[None]):
    PAINTS = True

    def get_default_screen(self) -> Ground:
        return Ground()


async def test_a_painted_screen_has_no_widgets_no_style_and_no_task_but_its_own(
    stage: Callable[..., Stage],
) -> None:
    before = asyncio.all_tasks()
    shown = stage(OnGround)
    await until(lambda: shown.made and shown.app.screen_stack and shown.app.screen.is_mounted)
    screen = shown.app.screen
    assert not screen.walk_children()
    assert screen.styles.background != Color.parse("red")
    names = [task.get_name() for task in asyncio.all_tasks() - before - {shown.task}]
    assert names == ["message pump Ground()"]
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
    (Animator, "_animate", "b8fadfdc96ab449e"),
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
    assert textual_internals.digest(upstream(theirs, name)) == written_for


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


class Busy(OnGround):
    """Works for a while in its own task, and in that of a screen over it."""

    WORK = 0.05

    async def on_key(self, event: events.Key) -> None:
        work_for(self.WORK)
        await self.push_screen(BusyGround())


class BusyGround(Ground):
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
    await until(lambda: shown.made and shown.app.screen_stack and shown.app.screen.is_mounted)
    charged.clear()
    shown.face.feed(b"a")
    await until(lambda: isinstance(shown.app.screen, BusyGround) and shown.app.screen.is_mounted)
    await until(lambda: sum(charged) >= 2 * Busy.WORK)
    await shown.end()


async def test_a_painted_screen_calls_back_after_what_would_be_drawn(stage: Callable[..., Stage]) -> None:
    shown = stage(OnGround)
    await until(lambda: shown.made and shown.app.screen_stack and shown.app.screen.is_mounted)
    told: list[str] = []
    shown.app.screen.refresh(layout=True)
    shown.app.screen.call_after_refresh(told.append, "drawn")
    await until(lambda: told)
    shown.face.resize(50, 12)
    await until(lambda: shown.app.screen.size.width == 50)
    await shown.end()


class Clicked(OnGround):
    """Notes where it was clicked."""

    at: tuple[int, int] | None = None

    def on_click(self, event: events.Click) -> None:
        self.at = (event.screen_x, event.screen_y)


async def test_a_painted_screen_is_clicked_where_it_is_touched(stage: Callable[..., Stage]) -> None:
    shown = stage(Clicked)
    await until(lambda: shown.made and shown.app.screen_stack and shown.app.screen.is_mounted)
    shown.face.feed(b"\x1b[<0;5;3M\x1b[<0;5;3m")
    app = shown.app
    assert isinstance(app, Clicked)
    await until(lambda: app.at)
    assert app.at == (4, 2)
    await shown.end()


async def test_where_textual_draws_a_screen_has_all_that_textual_gives_it() -> None:
    app = OnGround(depth="256")
    async with app.run_test(tooltips=True, notifications=True):
        assert {type(node).__name__ for node in app.screen.walk_children()} >= {
            "Static",
            "Tooltip",
            "ToastRack",
        }
        assert app.screen.styles.background == Color.parse("red")


class Moving(SelfPainting):
    """Has something to animate."""

    place = 0.0


async def test_an_animation_runs_though_the_clock_is_not_started_before(stage: Callable[..., Stage]) -> None:
    shown = stage(Moving)
    await until(lambda: shown.made and shown.app.is_running and shown.app.screen_stack)
    app = shown.app
    assert isinstance(app, Moving)
    app.animation_level = "full"
    app.call_later(app.animate, "place", 3.0, duration=0.01)
    await until(lambda: app.place == 3.0)
    await shown.end()


async def test_an_app_that_has_ended_is_free_at_once(stage: Callable[..., Stage]) -> None:
    shown = stage(OnGround)
    await until(lambda: shown.made and shown.app.screen_stack and shown.app.screen.is_mounted)
    gc.disable()
    try:
        screen = weakref.ref(shown.app.screen)
        await shown.end()
        await until(lambda: screen() is None)
        assert vars(shown.app) == {}
    finally:
        gc.enable()


def test_the_cache_of_styles_does_not_hold_who_asked() -> None:
    textual_internals.install()
    cache = StylesCache()
    inner, outer = cache.get_inner_outer(Color(0, 0, 0), Color(1, 2, 3))
    assert (inner.background, outer.background) == (Color(1, 2, 3), Color(0, 0, 0))
    gone = weakref.ref(cache)
    del cache
    gc.collect()
    assert gone() is None


def test_sheets_with_the_same_text_and_variables_share_their_rules() -> None:
    textual_internals.install()
    css = "Static { color: $ink; }"

    def rules(ink: str) -> list[object]:
        sheet = Stylesheet(variables={"ink": ink})
        sheet.add_source(css, read_from=("here", "X.CSS"))
        return list(sheet.rules)

    assert rules("red")[0] is rules("red")[0]
    assert rules("red")[0] is not rules("blue")[0]


def test_two_themes_do_not_share_their_variables() -> None:
    textual_internals.install()
    app = EchoApp(depth="true")
    dark = app.get_css_variables()
    app.theme = "textual-light"
    assert app.get_css_variables()["background"] != dark["background"]
    assert EchoApp(depth="true").get_css_variables() == dark


class Pointed(SessionApp[None]):
    """The mouse pointer would be another one over the text."""

    CSS = "Static { pointer: text; }"

    def compose(self) -> ComposeResult:
        yield Static("touch me")


async def bytes_of_pointing(stage: Callable[..., Stage]) -> bytes:
    shown = stage(Pointed)
    await shown.shows("touch me")
    shown.face.feed(b"\x1b[<35;3;1M")
    await until(lambda: shown.app.mouse_over is not None)
    await shown.end()
    return bytes(shown.terminal.sent)


async def test_the_mouse_pointer_is_left_as_it_is(
    stage: Callable[..., Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert b"\x1b]22;" not in await bytes_of_pointing(stage)
    # Were Textual to send it from elsewhere one day, this would fail.
    monkeypatch.delattr(textual_internals.PaintingApp, "_set_pointer_shape")
    assert b"\x1b]22;text" in await bytes_of_pointing(stage)


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
