"""A terminal is asked about itself before anything is drawn, and its answers are never taken for keys."""

import asyncio
import contextvars
import os
import pty
import termios
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_tui.terminal import probe
from cartino_tui.terminal.colour_depth import colour_depth_of
from cartino_tui.terminal.probe import (
    COLOUR_QUERY,
    NARROW_COLUMN,
    PING_ANSWER,
    PING_INTERVAL,
    PING_QUERY,
    PROBE_QUERY,
    LateAnswer,
    Probe,
    ProbeResult,
    ResponseTime,
    background_from_env,
    may_have_true_colour,
    query_local_background,
    rounded_milliseconds,
    take_background_answer,
)
from cartino_tui.terminal.session_app import SessionApp
from tests.support.echo_app import EchoApp, EchoScreen
from tests.tui.terminal.conftest import FakeTerminal, Stage, until


class Told(SessionApp[str]):
    """Says what it was told of its terminal, and all keys."""

    keys = ""

    def get_default_screen(self) -> EchoScreen:
        characters = "plain" if self.session_ascii else "all"
        return EchoScreen(f"{characters} {self.session_theme.name} {self.session_depth}.")

    def on_key(self, event: Any) -> None:
        assert isinstance(self.screen, EchoScreen)
        self.keys = f"{self.keys} {event.key}".strip()
        self.screen.tell(f"{self.keys}.")


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that waits longer than for the answer never ends."""
    monkeypatch.setattr(probe, "PROBE_TIMEOUT", 1e6)


@pytest.fixture
def too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "PROBE_TIMEOUT", 0)


def silent(term: str = "xterm-256color", lang: str = "C.UTF-8", **env: str) -> FakeTerminal:
    terminal = FakeTerminal(term, LANG=lang)
    terminal.facts.env.update(env)
    terminal.column = 0
    return terminal


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(
    ("answer", "env", "shown"),
    [
        # The characters follow where the cursor is.
        (b"\x1b[1;3R", "", "all dark 256."),
        (b"\x1b[1;4R", "", "plain dark 256."),
        (b"\x1b[1;5R", "", "plain dark 256."),
        (b"\x1b[1;1R", "", "plain dark 256."),
        # The look follows the background, which the environment may name.
        (b"\x1b]11;rgb:ffff/fafa/f0f0\x1b\\\x1b[1;3R", "15;0", "all light 256."),
        (b"\x1b]11;rgb:12/12/12\x07\x1b[1;3R", "0;15", "all dark 256."),
        (b"\x1b[1;3R", "0;15", "all light 256."),
        # True colour needs no environment that says so.
        (b"\x1bP1$r0;38:2::1:2:3m\x1b\\\x1b[1;3R", "", "all dark true."),
        (b"\x1bP1$r38:2:1:2:3m\x1b\\\x1b[1;3R", "", "all dark true."),
        (b"\x1bP1$r0;38;2;1;2;3m\x1b\\\x1b[1;3R", "", "all dark true."),
        (b"\x1bP1$r0;38:5:16m\x1b\\\x1b[1;3R", "", "all dark 256."),
        (b"\x1bP1$r0;38:2::1:2:30m\x1b\\\x1b[1;3R", "", "all dark 256."),
        (b"\x1bP0$r\x1b\\\x1b[1;3R", "", "all dark 256."),
        # Keys around the answers reach the app.
        (b"ab\x1b[1;3Rc", "", "a b c."),
    ],
)
async def test_the_app_is_made_for_what_the_terminal_answers(
    stage: Callable[..., Stage], answer: bytes, env: str, shown: str
) -> None:
    there = stage(Told, silent(COLORFGBG=env))
    await until(lambda: COLOUR_QUERY + PROBE_QUERY in there.terminal.sent)
    for piece in (answer[:4], answer[4:7], answer[7:]):
        assert not there.made
        there.face.feed(piece)
    await there.shows(shown)
    assert there.terminal.sent.count(b"\x1b[6n") == 1
    await there.end()


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(("term", "lang"), [("vt100", "C.UTF-8"), ("xterm", "C")])
async def test_a_terminal_with_ascii_alone_is_not_asked(
    stage: Callable[..., Stage], term: str, lang: str
) -> None:
    there = stage(Told, silent(term, lang))
    await there.shows("plain")
    assert b"\x1b[6n" not in there.terminal.sent
    await there.end()


async def test_a_terminal_that_never_answers_gets_the_app_all_the_same(stage: Callable[..., Stage]) -> None:
    there = stage(Told, silent())
    await there.shows("all dark 256.")
    assert there.app.is_slow
    await there.end()


@pytest.mark.usefixtures("too_late")
@pytest.mark.parametrize(
    "pieces",
    [
        (b"a\x1b[1;3Rb",),
        (b"a\x1b]11;rg", b"b:ffff/ffff/ffff", b"\x1b\\b"),
        (b"a\x1bP1$r0;38:2", b"::1:2:3m\x1b", b"\\b"),
    ],
)
async def test_an_answer_that_comes_too_late_is_no_key(
    stage: Callable[..., Stage], pieces: Sequence[bytes]
) -> None:
    there = stage(Told, silent())
    await until(lambda: b"\x1b[?1049h" in there.terminal.sent)
    for piece in pieces:
        there.face.feed(piece)
    await there.shows("a b.")
    assert there.terminal.screen()[0] == "a b."
    await there.end()


def test_the_question_leaves_nothing_behind() -> None:
    answers: list[str] = []

    class Answering(pyte.Screen):
        def write_process_input(self, data: str) -> None:
            answers.append(data)

    screen = Answering(20, 3)
    stream = pyte.ByteStream(screen)
    stream.feed(b"welcome\r\n")
    printed = COLOUR_QUERY.replace(b"\x1bP", b"")  # as terminals do that don't know the query
    stream.feed(printed + PROBE_QUERY)
    assert [line.rstrip() for line in screen.display] == ["welcome", "", ""]
    assert (screen.cursor.x, screen.cursor.y) == (0, 1)
    assert answers == [f"\x1b[2;{NARROW_COLUMN}R"]


@pytest.mark.usefixtures("patient")
async def test_a_terminal_that_goes_meanwhile_is_not_waited_for(stage: Callable[..., Stage]) -> None:
    there = stage(EchoApp, silent())
    await until(lambda: PROBE_QUERY in there.terminal.sent)
    there.face.hang_up()
    assert await asyncio.wait_for(there.task, 30) == 0
    assert there.made == []
    assert bytes(there.terminal.sent) == COLOUR_QUERY + PROBE_QUERY


@pytest.mark.usefixtures("patient")
async def test_a_cancelled_question_is_no_crash(stage: Callable[..., Stage]) -> None:
    there = stage(EchoApp, silent())
    await until(lambda: PROBE_QUERY in there.terminal.sent)
    there.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await there.task
    assert there.face.crash is None


@pytest.mark.usefixtures("patient")
async def test_only_the_first_answer_is_taken() -> None:
    asked = Probe()
    typed = bytearray(b"x\x1b[1;5Ry\x1b[1;2R")
    asking = asyncio.get_running_loop().create_task(asked.ask(FakeTerminal()), context=contextvars.Context())
    await asyncio.sleep(0)
    asked.look(typed)
    asked.look(typed)
    asked.give_up()
    assert typed == b"xy\x1b[1;2R", "which is Shift and F3"
    assert await asking == ProbeResult(narrow=False, answered=True)


@pytest.mark.parametrize(
    ("term", "asked"),
    [("xterm-256color", True)]
    + [(term, False) for term in ("screen-256color", "tmux-256color", "xterm", "xterm-kitty", "alacritty")],
)
def test_only_a_terminal_with_256_colours_of_its_own_is_worth_asking(term: str, asked: bool) -> None:
    assert (colour_depth_of(term, {}) == "256" and may_have_true_colour(term)) is asked


ANSWER = b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\"


@pytest.mark.parametrize(
    ("value", "ground"),
    [
        (None, None),
        ("15;0", "dark"),
        ("0;15", "light"),
        ("0;default;15", "light"),
        ("7;8", "dark"),
        ("0;7", "light"),
        ("default;default", None),
        ("", None),
        ("²", None),
    ],
)
def test_the_environment_may_name_the_ground(value: str | None, ground: str | None) -> None:
    assert background_from_env({} if value is None else {"COLORFGBG": value}) == ground


@pytest.mark.parametrize(
    ("answer", "ground"),
    [
        (b"\x1b]11;rgb:0000/0000/0000\x1b\\", "dark"),
        (b"\x1b]11;rgb:1e/1e/2e\x07", "dark"),
        (b"\x1b]11;rgba:fdfd/f6f6/e3e3/ffff\x07", "light"),
        (b"\x1b]11;rgb:f/f/f\x1b\\", "light"),
        (b"\x1b]11;#ffffff\x07", None),
        (b"\x1b]10;rgb:f/f/f\x07", None),
    ],
)
def test_the_answer_tells_dark_from_light(answer: bytes, ground: str | None) -> None:
    typed = bytearray(b"a" + answer + b"b")
    assert take_background_answer(typed) == ground
    assert typed == (b"ab" if ground else b"a" + answer + b"b")


@given(st.binary(max_size=40), st.binary(max_size=40), st.lists(st.integers(4, 20), max_size=6))
def test_a_late_answer_is_taken_out_wherever_it_is_cut(before: bytes, after: bytes, sizes: list[int]) -> None:
    before, after = before.replace(b"\x1b", b""), after.replace(b"\x1b", b"")
    typed, late, left = before + ANSWER + after, LateAnswer(), b""
    cuts = [len(before) + 2, *sizes]
    for size in cuts:
        left += late.remove_answer(typed[:size])
        typed = typed[size:]
    assert left + late.remove_answer(typed) == before + after


@pytest.mark.parametrize("typed", [b"\x1b", b"\x1b[A", b"]11;", b"\x1b]12;", b"\x1b]11;" + b"x" * 40])
def test_what_is_no_answer_goes_on_at_once(typed: bytes) -> None:
    assert LateAnswer().remove_answer(typed) == typed


def answered(answers: bytes) -> tuple[str | None, bytes]:
    """What is found out of a terminal that answers so, and what it was asked."""
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    asked = bytearray()

    def answer() -> None:
        while not asked.endswith(b"\x1b[c"):
            asked.extend(os.read(master, 64))
        os.write(master, answers)

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        found = query_local_background(os.ttyname(slave))
        thread.join()
        assert termios.tcgetattr(slave) == before
        return found, bytes(asked)
    finally:
        os.close(slave)
        os.close(master)


def test_its_ground_is_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "LOCAL_PROBE_TIMEOUT", 60)
    found, asked = answered(b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62;c")
    assert (found, asked) == ("light", probe.BACKGROUND_QUERY + b"\x1b[c")


def test_nobody_waits_for_one_that_does_not_know_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "LOCAL_PROBE_TIMEOUT", 60)
    assert answered(b"\x1b[?1;2c")[0] is None


def test_one_that_says_nothing_is_not_waited_for_for_ever() -> None:
    assert answered(b"")[0] is None


def test_where_there_is_no_terminal_nothing_is_known(tmp_path: object) -> None:
    assert query_local_background(f"{tmp_path}/none") is None
    assert query_local_background(os.devnull) is None


class Line:
    """A clock, and what was sent."""

    def __init__(self) -> None:
        self.seconds = 100.0
        self.sent: list[str] = []
        self.time = ResponseTime(self.sent.append, lambda: self.seconds)


def test_it_asks_again_after_a_while_and_once_but_no_terminal_that_never_answered() -> None:
    line = Line()
    line.seconds += PING_INTERVAL
    line.time.ask()
    assert (line.sent, line.time.seconds) == ([], None)
    line.time.begin(0.04)
    line.time.ask()
    assert (line.sent, line.time.seconds) == ([], 0.04)
    for _ in range(3):
        line.seconds += PING_INTERVAL
        line.time.ask()
    assert line.sent == [PING_QUERY]


def test_the_answer_is_taken_out_of_what_is_typed_and_measured() -> None:
    line = Line()
    line.time.begin(0.04)
    assert line.time.remove_answer(b"a" + PING_ANSWER) == b"a" + PING_ANSWER, "nothing was asked"
    line.seconds += PING_INTERVAL
    line.time.ask()
    assert line.time.remove_answer(b"a") == b"a"
    line.seconds += 0.25
    assert line.time.remove_answer(b"b" + PING_ANSWER + b"c") == b"bc"
    assert line.time.seconds == pytest.approx(0.25)
    assert line.time.remove_answer(PING_ANSWER) == PING_ANSWER


@pytest.mark.parametrize(("measured", "kept"), [(0.05, 0.04), (0.03, 0.04), (0.06, 0.06), (0.02, 0.02)])
def test_only_a_clear_change_counts(measured: float, kept: float) -> None:
    line = Line()
    line.time.begin(0.04)
    line.seconds += PING_INTERVAL
    line.time.ask()
    line.seconds += measured
    line.time.remove_answer(PING_ANSWER)
    assert line.time.seconds == pytest.approx(kept)


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.0002, 1), (0.007, 7), (0.0484, 48), (0.123, 120), (0.999, 1000), (1.26, 1300)]
)
def test_it_is_shown_in_two_figures(seconds: float, shown: int) -> None:
    assert rounded_milliseconds(seconds) == shown


@pytest.mark.parametrize(("term", "known"), [("xterm-256color", True), ("vt220", False)])
async def test_a_visit_begins_with_the_time_that_the_terminal_took_to_answer_the_probe(
    stage: Callable[..., Stage], term: str, known: bool
) -> None:
    shown = stage(EchoApp, FakeTerminal(term))
    await shown.shows("below")
    assert shown.app.answer_time is not None
    assert (shown.app.answer_time.seconds is not None) is known
    assert await shown.end() == 0
