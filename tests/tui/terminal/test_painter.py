"""What a terminal is sent when it takes something, and when it doesn't."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from textual import events

from cartino_tui.app import CartinoApp
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.theme import FELT, theme_of
from cartino_tui.terminal.painter import Painter, inks
from cartino_tui.terminal.scheduling import scheduler_for_loop
from tests.support.echo_app import EchoApp
from tests.support.emulated import Emulated, rows_of
from tests.support.games import DARK
from tests.support.visit import TOYS, ScriptedLink, lobby, welcome
from tests.tui.terminal.conftest import FakeTerminal, Stage, until


class Wire:
    """A terminal that remembers, and can stop taking."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.takes = True

    def painter(self) -> Painter:
        return Painter(DARK, "256", self.sent.append, lambda: self.takes)


def frame(text: str) -> Frame:
    canvas = Canvas(20, 2)
    canvas.put(1, 1, text, "heart")
    return canvas.frame()


def test_nothing_is_drawn_for_a_terminal_that_takes_nothing() -> None:
    wire, drawn = Wire(), []
    painter = wire.painter()

    def draw(text: str) -> None:
        if painter.waits(partial(draw, text)):
            return
        drawn.append(text)
        painter.show(frame(text))

    wire.takes = False
    for text in ("one", "two", "three"):
        draw(text)
    painter.catch_up()
    assert (drawn, wire.sent) == ([], [])
    wire.takes = True
    painter.catch_up()
    painter.catch_up()
    assert drawn == ["three"]
    assert "three" in "".join(wire.sent)
    draw("four")
    assert drawn == ["three", "four"]


def picture(text: str, role: str) -> Frame:
    """A frame with words in two places and in two inks."""
    canvas = Canvas(40, 4)
    canvas.put(3, 1, text, role)
    canvas.put(9, 2, text.upper(), "key")
    return canvas.frame()


def test_another_look_is_painted_at_once_and_stays() -> None:
    wire = Wire()
    painter = wire.painter()
    painter.dress(theme_of("light"))
    assert wire.sent == [], "nothing is shown yet"
    painter.show(frame("hearts"))
    painter.dress(theme_of("light"))
    assert len(wire.sent) == 1, "it looks so already"
    painter.dress(DARK)
    screen = Emulated(20, 2)
    screen.send("".join(wire.sent))
    assert screen.rows() == rows_of(frame("hearts"), inks(DARK, "256"))
    painter.show(frame("spades"))
    screen.send(wire.sent[-1])
    assert screen.rows() == rows_of(frame("spades"), inks(DARK, "256"))


def test_a_frame_is_sent_once_and_a_disturbed_picture_whole() -> None:
    wire = Wire()
    painter = wire.painter()
    shown = frame("stone")
    for each in (shown, shown, frame("stone")):
        painter.show(each)
    assert len(wire.sent) == 1
    painter.repaint()
    assert wire.sent[1] == wire.sent[0]


def test_a_terminal_that_takes_nothing_gets_the_newest_frame_later() -> None:
    wire, steady = Wire(), Wire()
    painter, other = wire.painter(), steady.painter()
    first, last = frame("first"), frame("last")
    painter.show(first)
    wire.takes = False
    painter.show(frame("between"))
    painter.show(last)
    assert len(wire.sent) == 1
    wire.takes = True
    painter.catch_up()
    other.show(first)
    other.show(last)
    assert wire.sent == steady.sent
    painter.catch_up()
    assert len(wire.sent) == 2


def test_colours_are_those_of_the_terminal() -> None:
    heart = DARK.style("heart")
    assert heart.color is not None
    assert inks(FELT, "true")("ground").ground.startswith("48;2;")
    assert inks(DARK, "true")("heart").text == inks(DARK, "256")("heart").text, "the same in fewer bytes"
    assert inks(DARK, "256")("heart").text.startswith("38;5;")
    assert inks(DARK, "mono")("heart").text == ""
    assert inks(DARK, "mono")("stone-H").marks >= {"7"}
    assert inks(DARK, "256") is inks(DARK, "256")


def test_a_painter_goes_on_with_the_pen_where_it_left_it() -> None:
    wire = Wire()
    painter = wire.painter()
    painter.show(frame("stone"))
    painter.show(frame("stones"))
    painter.show(frame("stoned"))
    assert wire.sent[1].endswith("s")
    assert wire.sent[2] == "\bd"


def test_painters_that_see_the_same_share_what_is_sent() -> None:
    wires = Wire(), Wire()
    painters = [wire.painter() for wire in wires]
    for shown in (frame("first"), frame("last")):
        for painter in painters:
            painter.show(shown)
    assert all(one is other for one, other in zip(*(wire.sent for wire in wires), strict=True))
    own = Wire(), Wire()
    for wire in own:
        painter = wire.painter()
        for shown in (frame("mine"), frame("mine too")):
            painter.show(shown, own=True)
    assert own[0].sent == own[1].sent
    assert own[0].sent[1] is not own[1].sent[1], "what nobody else sees is not kept"


def test_one_who_comes_later_shares_from_the_second_frame_on() -> None:
    wires = Wire(), Wire()
    first, late = (wire.painter() for wire in wires)
    first.show(picture("before", "joker"))
    for shown in (picture("came", "heart"), picture("laid", "spade"), picture("said", "club")):
        first.show(shown)
        late.show(shown)
    assert wires[0].sent[1] != wires[1].sent[0]
    assert wires[0].sent[2:] == wires[1].sent[1:]


class Walk:
    """A painter and its terminal, which may be resized, disturbed, and slow."""

    def __init__(self) -> None:
        self.width, self.height = 30, 8
        self.terminal = Emulated(self.width, self.height)
        self.takes = True
        self.painter = Painter(DARK, "256", self.terminal.send, lambda: self.takes)
        self.newest = Canvas(self.width, self.height).frame()
        self.painter.show(self.newest)

    def show(self, frame: Frame) -> None:
        self.newest = frame
        self.painter.show(frame)

    def resize(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.terminal.resize(width, height)

    def disturb(self, junk: str) -> None:
        self.terminal.send(f"\x1b[3;3H\x1b[7m{junk}")
        self.painter.repaint()

    def holds(self) -> None:
        assert self.terminal.rows() == rows_of(self.newest, inks(DARK, "256"))


PUTS = st.lists(
    st.tuples(
        st.integers(0, 29),
        st.integers(0, 7),
        st.text("ab ♠│", min_size=1),
        st.sampled_from(sorted(DARK.styles)),
    ),
    max_size=6,
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("show"), PUTS),
        st.tuples(st.just("resize"), st.tuples(st.integers(3, 40), st.integers(2, 12))),
        st.tuples(st.just("disturb"), st.just("junk")),
        st.tuples(st.sampled_from(["slow", "quick"]), st.none()),
    ),
    max_size=12,
)


@given(STEPS)
@example([("slow", None), ("resize", (3, 2)), ("resize", (30, 8)), ("quick", None)])
@settings(deadline=None)
def test_whatever_happens_a_terminal_that_takes_all_shows_the_newest_frame(
    steps: list[tuple[str, Any]],
) -> None:
    walk = Walk()
    canvas = Canvas(walk.width, walk.height)
    for what, how in steps:
        if what == "resize":
            walk.resize(*how)
            canvas = Canvas(*how)
            walk.show(canvas.frame())
        elif what == "disturb":
            walk.disturb(how[: walk.width - 2])
        elif what == "show":
            canvas = Canvas.from_frame(canvas.frame())
            for x, y, text, role in how:
                canvas.put(x, y, text, role)
            walk.show(canvas.frame())
        else:
            walk.takes = what == "quick"
            walk.painter.catch_up()
        if walk.takes:
            walk.holds()


async def in_lobby(stage: Callable[..., Stage]) -> Stage:
    link = ScriptedLink()
    link.tell(welcome(), lobby())
    shown = stage(partial(CartinoApp, link, game_screens=TOYS), FakeTerminal(width=80, height=24))
    await shown.shows("q quit")
    return shown


async def painted_again(shown: Stage, sent: int, picture: list[str]) -> None:
    """What was sent since then shows the picture on a blank screen."""

    def painted() -> list[str]:
        emulator = Emulated(80, 24)
        emulator.send(shown.terminal.sent[sent:].decode())
        return [line.rstrip() for line in emulator.display]

    # What is drawn for another size may come before.
    await until(lambda: painted() == picture)
    await shown.end()


@pytest.mark.parametrize("between", [(60, 20), None])
async def test_a_terminal_that_may_have_had_another_size_for_a_moment_is_painted_again(
    stage: Callable[..., Stage], between: tuple[int, int] | None
) -> None:
    """It may have lost cells that nobody saw it lose."""
    shown = await in_lobby(stage)
    assert shown.terminal.sent.count(b"quit") == 1, "the first picture is sent once"
    sent, picture = len(shown.terminal.sent), shown.terminal.screen()
    if between is not None:
        shown.face.resize(*between)
    shown.face.resize(80, 24)
    await painted_again(shown, sent, picture)


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
    await painted_again(shown, sent, picture)


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
