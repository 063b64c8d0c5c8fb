"""These fail when Textual changes what we know of its inside; then read `inside.py` against the new source."""

import gc
import random
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median

import pyte
import pytest
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual._styles_cache import StylesCache
from textual.app import ComposeResult
from textual.color import Color
from textual.containers import Horizontal
from textual.css.stylesheet import Stylesheet
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static

from cartino_tui.driver import inside
from cartino_tui.driver.inside import PATCHES, Parser
from cartino_tui.driver.session_app import SessionApp
from tests.tui.driver.conftest import EchoApp, FakeTerminal, Stage, until


@contextmanager
def patches(on: bool) -> Iterator[None]:
    """With all patches in place, or with none."""
    assert inside.install() == ()
    with pytest.MonkeyPatch.context() as mocks:
        if not on:
            mocks.setattr(inside, "install", tuple)  # every face calls it
            for patch in PATCHES:
                mocks.setattr(patch.owner, patch.name, patch.upstream)
        yield


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.name)
def test_every_patch_was_written_for_this_textual(patch: inside.Patch) -> None:
    assert inside.digest(patch.upstream) == patch.written_for


def test_a_patch_that_does_not_fit_is_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    inside.install()
    stranger = PATCHES[-1]._replace(written_for="another text")
    monkeypatch.setattr(inside, "PATCHES", (stranger,))
    monkeypatch.setattr(stranger.owner, stranger.name, stranger.upstream)
    assert inside.install() == ("Strip.render",)
    assert getattr(stranger.owner, stranger.name) is stranger.upstream


class Busy(SessionApp[None]):
    """Widgets of many kinds, some with characters two cells wide."""

    AUTO_FOCUS = None  # a cursor would blink

    CSS = """
    #row { height: 3; }
    #left { width: 11; background: #203040; border: round #ff8800; }
    #right { width: 1fr; background: #402030; }
    .lit { background: #00ff88; color: #000000; text-style: bold; }
    """

    def compose(self) -> ComposeResult:
        with Horizontal(id="row"):
            yield Static("left", id="left")
            yield Static("right", id="right")
        yield Input(id="input")
        yield Static("", id="log", markup=False)
        yield Static("", id="mark")


class Board(Widget):
    """Cells in many styles, of which one changes."""

    char = "a"

    def render_line(self, y: int) -> Strip:
        cells = [
            Segment(f"{self.char if x == 8 else x:>4}", Style(color=f"color({x + y})")) for x in range(10)
        ]
        return Strip(cells)


class BoardApp(SessionApp[None]):
    def compose(self) -> ComposeResult:
        yield Board()

    def change(self, char: str) -> None:
        board = self.query_one(Board)
        board.char = char
        board.refresh(Region(32, 2, 4, 1))


async def bytes_of_one_change(stage: Callable[..., Stage]) -> int:
    shown = stage(BoardApp, FakeTerminal("xterm-256color", 40, 12))
    await shown.shows("9")
    app = shown.app
    assert isinstance(app, BoardApp)
    counts = []
    for char in "bcdefghij":
        before = len(shown.terminal.sent)
        app.call_later(app.change, char)
        await shown.shows(f"7   {char}   9")
        counts.append(len(shown.terminal.sent) - before)
    await shown.end()
    return int(median(counts))  # the first frames may still be on their way


async def test_a_patched_update_sends_only_what_changed(stage: Callable[..., Stage]) -> None:
    with patches(on=False):
        dear = await bytes_of_one_change(stage)
    with patches(on=True):
        cheap = await bytes_of_one_change(stage)
    assert cheap < 50 < dear


async def play(stage: Callable[..., Stage]) -> pyte.Screen:
    """The same random changes each time; the screen after them."""
    chance = random.Random(7)
    shown = stage(Busy, FakeTerminal("xterm-direct", 40, 12))
    await shown.shows("right")
    texts = ("ab", "a [b]red[/b] c", "名前 of two", "x" * 30, "⚀ ♠ é", "")
    for number in range(40):
        widget = shown.app.query_one(chance.choice(("#left", "#right", "#log")), Static)
        text = chance.choice(texts)
        shown.app.call_later(widget.update, text)
        shown.app.call_later(widget.set_class, chance.random() < 0.3, "lit")
        if chance.random() < 0.4:
            shown.app.call_later(setattr, shown.app.query_one(Input), "value", text)
        shown.app.call_later(shown.app.query_one("#mark", Static).update, f"step {number}.")
        await shown.shows(f"step {number}.")
    screen = pyte.Screen(40, 12)
    pyte.ByteStream(screen).feed(bytes(shown.terminal.sent))
    await shown.end()
    return screen


async def test_patched_updates_paint_the_same_screen(stage: Callable[..., Stage]) -> None:
    with patches(on=False):
        plain = await play(stage)
    with patches(on=True):
        mended = await play(stage)
    for row in range(12):
        assert [mended.buffer[row][x] for x in range(40)] == [plain.buffer[row][x] for x in range(40)], row


def test_the_cache_of_styles_does_not_hold_who_asked() -> None:
    inside.install()
    cache = StylesCache()
    inner, outer = cache.get_inner_outer(Color(0, 0, 0), Color(1, 2, 3))
    assert (inner.background, outer.background) == (Color(1, 2, 3), Color(0, 0, 0))
    gone = weakref.ref(cache)
    del cache
    gc.collect()
    assert gone() is None


def test_sheets_with_the_same_text_and_variables_share_their_rules() -> None:
    inside.install()
    css = "Static { color: $ink; }"

    def rules(ink: str) -> list[object]:
        sheet = Stylesheet(variables={"ink": ink})
        sheet.add_source(css, read_from=("here", "X.CSS"))
        return list(sheet.rules)

    assert rules("red")[0] is rules("red")[0]
    assert rules("red")[0] is not rules("blue")[0]


def test_two_themes_do_not_share_their_variables() -> None:
    inside.install()
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
    monkeypatch.delattr(inside.CrashApp, "_set_pointer_shape")
    assert b"\x1b]22;text" in await bytes_of_pointing(stage)


def fed(data: str) -> list[Message]:
    return Parser().feed(data)


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
    parser = Parser()
    parser.feed(hostile)
    [key] = [event for event in parser.feed("\x1b[A") if isinstance(event, events.Key)][-1:]
    assert key.key == "up"


def test_an_unasked_report_of_pixels_does_not_move_the_mouse() -> None:
    *_, click = fed("\x1b[48;10;20;400;800t\x1b[<0;5;3M")
    assert isinstance(click, events.MouseDown)
    assert (click.x, click.y) == (4, 2)


def test_a_paste_without_end_is_forgotten() -> None:
    parser = Parser()
    parser.feed("\x1b[200~")
    for _ in range(Parser.MOST_SILENT // 1000 + 1):
        parser.feed("y" * 1000)
    [key] = parser.feed("a")
    assert isinstance(key, events.Key)


def test_a_parser_says_how_long_an_escape_waits() -> None:
    parser = Parser()
    before = parser.waits
    parser.feed("\x1b")
    waits = parser.waits
    assert before is None
    assert waits is not None
    assert 0 <= waits < 1


def test_a_closed_parser_is_freed() -> None:
    parser = Parser()
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
