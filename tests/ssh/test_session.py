"""Sessions with the real ssh and with asyncssh, which does what a person can't."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

import pytest
from structlog.testing import capture_logs

from cartino_server.ssh import session as session_module
from cartino_server.ssh.ports import TerminalChannel
from cartino_server.ssh.session_terminal import MAX_UNSENT
from cartino_server.visitors import Reply
from cartino_tui.terminal.drivers import SCREEN_OFF
from tests.ssh.conftest import Connect, EchoFace, FakeReception, OpenSSH, tell_face, until

# -- with the real ssh program and a Textual app


async def test_a_person_plays_and_leaves_with_the_terminal_in_order(
    openssh: OpenSSH, reception: FakeReception
) -> None:
    reception.make_face = tell_face
    screen = openssh.screen()
    await screen.shows("welcome")
    screen.child.send("\x1b[B")
    await screen.shows("key down")
    screen.child.send("\x1b")
    await screen.shows("key escape")
    screen.child.send("\x1b[200~zwei Wörter\x1b[201~")
    await screen.shows("paste zwei Wörter")
    screen.child.send("\x1b[<0;8;2M\x1b[<0;8;2m")
    await screen.shows("click 7 1")
    screen.resize(100, 30)
    await screen.shows("size 100x30")
    screen.child.send("q")
    assert await screen.exit_code() == 4
    assert SCREEN_OFF.encode() in screen.raw
    assert screen.raw.rindex(SCREEN_OFF.encode()) > screen.raw.rindex(b"size 100x30")


async def test_a_crash_ends_one_session_with_a_sentence_and_no_other(
    openssh: OpenSSH, reception: FakeReception
) -> None:
    reception.make_face = tell_face
    with capture_logs() as logs:
        bad, good = openssh.screen(name="bad", width=120), openssh.screen(name="good")
        await bad.shows("second line")
        await good.shows("welcome")
        bad.child.send("x")
        assert await bad.exit_code() == 1
    visitor = next(visitor for visitor in reception.visitors if visitor.name == "bad")
    assert f"the log has it under {visitor.id}" in bad.text()
    assert b"Traceback" not in bad.raw
    [crash] = [entry for entry in logs if entry["event"] == "session crashed"]
    assert crash["session"] == visitor.id
    assert "RuntimeError: boom" in crash["crash"]
    good.child.send("a")
    await good.shows("key a")


async def test_a_face_that_can_not_be_made_is_a_crash_like_any_other(
    openssh: OpenSSH, reception: FakeReception
) -> None:
    def broken(terminal: TerminalChannel) -> EchoFace:
        raise RuntimeError("no face")

    reception.make_face = broken
    with capture_logs() as logs:
        screen = openssh.screen()
        assert await screen.exit_code() == 1
    assert "Something went wrong" in screen.text()
    assert [entry["log_level"] for entry in logs if entry["event"] == "session crashed"] == ["error"]


# -- commands, by the real ssh program


async def test_a_command_is_answered(openssh: OpenSSH, reception: FakeReception) -> None:
    reception.reply = Reply("out é\n", "err\n", 7)
    assert await openssh.run("games", "--json") == (7, "out é\n", "err\n")
    assert reception.words == [["games", "--json"]]


async def test_an_answer_on_a_terminal_has_its_line_ends(openssh: OpenSSH, reception: FakeReception) -> None:
    reception.reply = Reply("one\ntwo\n", "three\n", 2)
    status, out, err = await openssh.run("games", before=["-tt"])
    assert (status, err) == (2, "")
    assert out == "one\r\ntwo\r\nthree\r\n"


async def test_an_answer_knows_the_language_of_who_asks_and_so_does_what_is_wrong(
    connect: Connect, reception: FakeReception
) -> None:
    german = {"LANG": "de_DE.UTF-8"}
    async with connect() as connection:
        await connection.run("games", env=german)
        assert [visitor.env for visitor in reception.visitors] == [german]
        wrong = await connection.run('games "', env=german)
        assert wrong.stderr.startswith(b"de_DE.UTF-8: That command has an unclosed quote")


async def test_what_needs_a_terminal_says_how_to_get_one(openssh: OpenSSH, reception: FakeReception) -> None:
    status, out, err = await openssh.run("join", "K7QP")
    assert (status, out) == (2, "")
    assert err == "This needs a terminal. Add -t (ssh -t HOST), or use plain mode: ssh HOST plain join K7QP\n"
    status, out, err = await openssh.run(before=["-T"])
    assert (status, out) == (2, "")
    assert "ssh -t HOST" in err
    assert reception.visitors == []


async def test_some_commands_are_answered_without_a_terminal(
    openssh: OpenSSH, reception: FakeReception
) -> None:
    assert await openssh.run("daily") == (0, "told\n", "")
    assert (reception.words, reception.terminals) == ([["daily"]], [])
    await openssh.run("daily", before=["-tt"])
    assert len(reception.terminals) == 1


@pytest.mark.parametrize("command", ["join 'K7", "games \udcff"])
async def test_a_command_that_can_not_be_read_is_told(openssh: OpenSSH, command: str) -> None:
    status, out, err = await openssh.run(command)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("That command")


async def test_an_endless_answer_is_cut(openssh: OpenSSH, reception: FakeReception) -> None:
    reception.reply = Reply("é" * MAX_UNSENT)
    status, out, err = await openssh.run("export", "K7QP")
    assert (status, len(out.encode())) == (0, MAX_UNSENT)
    assert "cut off here" in err


async def test_a_broken_answer_is_one_sentence(
    openssh: OpenSSH, reception: FakeReception, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: Any) -> Reply:
        raise RuntimeError("boom")

    monkeypatch.setattr(reception, "run_command", broken)
    with capture_logs():
        status, out, err = await openssh.run("games")
    assert (status, out) == (1, "")
    assert re.fullmatch(r"Something went wrong .* under [0-9a-f]{8}\. Please connect again\.\n", err)


# -- against asyncssh's client, for what a person can't do


@asynccontextmanager
async def opened(connect: Connect, **options: Any) -> AsyncIterator[tuple[Any, Any]]:
    """Yield a connection and its session, on which a face runs."""
    async with connect() as connection:
        process = await connection.create_process(
            **({"term_type": "xterm", "term_size": (80, 24)} | options), encoding=None
        )
        assert await process.stdout.readline() == b"face\r\n"
        yield connection, process
        connection.close()


async def test_the_environment_and_the_terminal_are_told(connect: Connect, reception: FakeReception) -> None:
    env = {"COLORTERM": "truecolor", "PATH": "/evil", "LC_ALL": "C"}
    async with opened(connect, env=env, term_size=(5000, 5000)):
        facts = reception.terminals[0].facts
        assert facts.env == {"COLORTERM": "truecolor", "LC_ALL": "C"}
        assert (facts.term, facts.width, facts.height) == ("xterm", 300, 120)


@pytest.mark.parametrize("way", ["eof", "close", "abort"])
async def test_a_client_that_goes_is_hung_up_on(connect: Connect, reception: FakeReception, way: str) -> None:
    async with opened(connect) as (connection, process):
        [face] = reception.faces
        {"eof": process.stdin.write_eof, "close": process.close, "abort": connection.abort}[way]()
        await asyncio.wait_for(face.over.wait(), 30)
        assert face.told == ["hang up"]


async def test_a_face_that_does_not_end_is_cancelled(
    connect: Connect, reception: FakeReception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "HANGUP_TIMEOUT", 0.01)
    cancelled = asyncio.Event()

    class Stubborn(EchoFace):
        async def run(self) -> int:
            self.terminal.write(b"face\r\n")
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()
            return 0

    reception.make_face = Stubborn
    async with opened(connect) as (connection, _):
        connection.abort()
        await asyncio.wait_for(cancelled.wait(), 30)


async def test_a_client_that_stops_reading_stalls_and_recovers_alone(
    connect: Connect, reception: FakeReception
) -> None:
    async with opened(connect, window=32768) as (_, slow):
        slow.channel.pause_reading()
        slow_face = reception.faces[0]
        while "stall" not in slow_face.told:
            slow_face.terminal.write(b"x" * 10_000)
            await asyncio.sleep(0)
        async with opened(connect):
            assert "stall" not in reception.faces[1].told
        slow.channel.resume_reading()
        reading = asyncio.create_task(slow.stdout.read())
        await until(lambda: slow_face.told == ["stall", "drained"])
        reading.cancel()


async def test_a_client_that_lets_too_much_pile_up_is_given_up(
    connect: Connect, reception: FakeReception
) -> None:
    async with opened(connect, window=32768) as (connection, process):
        process.channel.pause_reading()
        [face] = reception.faces
        with capture_logs() as logs:
            for _ in range(2 * MAX_UNSENT // 10_000):
                face.terminal.write(b"x" * 10_000)
            await asyncio.wait_for(face.over.wait(), 30)
        assert "session given up: the client does not read" in [entry["event"] for entry in logs]
        await connection.wait_closed()


async def test_sessions_share_no_context(connect: Connect, reception: FakeReception) -> None:
    marked: ContextVar[str] = ContextVar("marked", default="nothing")
    seen: list[str] = []

    class Marking(EchoFace):
        async def run(self) -> int:
            seen.append(marked.get())
            marked.set("mine")
            return await super().run()

    reception.make_face = Marking
    marked.set("the test's")
    for _ in range(2):
        async with opened(connect):
            pass
    assert seen == ["nothing", "nothing"]
