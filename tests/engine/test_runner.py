"""One choice from bytes to bytes, and the process that makes it: of bots that do what they should, and others."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import msgspec
import pytest

from cartino_engine.bots import Bot
from cartino_engine.runner import BotReply, BotRequest, answer_request, encode_frame
from cartino_protocol.wire import MAX_COMMAND_BYTES, FrameReader, encode
from tests.support.race import Add, Broken, Mute, Steady
from tests.support.wild_bots import WILD, About

TIME_LIMIT = 20


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


class Essay(msgspec.Struct):
    text: str


def mumble(chance: Random) -> msgspec.Struct:
    raise Unspeakable


def quit_process(chance: Random) -> msgspec.Struct:
    raise SystemExit(0)


class Choosing(Bot):
    """Chooses with a function."""

    game = "race"
    name = "choosing"

    def __init__(self, choose: Callable[[Random], msgspec.Struct]) -> None:
        self._choose = choose

    def choose(self, view: bytes, chance: Random) -> msgspec.Struct:
        return self._choose(chance)


def choice_of(bot: Bot, dice: bytes = b"") -> BotReply:
    request = BotRequest(bot.game, bot.name, b"a secret hand", dice)
    (body,) = FrameReader().feed(encode_frame(request))
    assert msgspec.msgpack.decode(body, type=BotRequest) == request
    return answer_request({(bot.game, bot.name): bot}, request)


def test_the_move_comes_encoded_and_who_lets_it_be_has_none() -> None:
    assert choice_of(Steady()) == BotReply((encode(Add(1)),))
    assert choice_of(Mute()) == BotReply(())
    dicer = Choosing(lambda chance: Add(chance.randrange(10**9)))
    assert choice_of(dicer, b"1") == choice_of(dicer, b"1") != choice_of(dicer, b"2")


@pytest.mark.parametrize(
    ("bot", "failed"),
    [
        pytest.param(Broken(), r"ZeroDivisionError \(race\.py:\d+\)", id="with its place"),
        pytest.param(
            Choosing(lambda _: {b"": Add(1)}[b"a secret hand"]),
            r"KeyError \(test_runner\.py:\d+\)",
            id="without its words, which may be a hand",
        ),
        pytest.param(
            Choosing(lambda chance: Add(chance.randrange(0))),
            r"ValueError \(test_runner\.py:\d+\)",
            id="in the bot where a library raised",
        ),
        pytest.param(Choosing(quit_process), r"SystemExit \(.*", id="would quit"),
        pytest.param(Choosing(mumble), r"Unspeakable \(.*", id="can't be printed"),
        pytest.param(Choosing(lambda _: Essay("x" * MAX_COMMAND_BYTES)), "a move of 82.*", id="too long"),
    ],
)
def test_a_bot_that_fails_says_why(bot: Bot, failed: str) -> None:
    choice = choice_of(bot)
    assert choice.moves == ()
    assert re.fullmatch(failed, choice.failed)


def test_a_bot_that_is_not_there_has_failed() -> None:
    reply = answer_request({}, BotRequest("race", "nobody", b"", b""))
    assert reply.failed.startswith("KeyError (runner.py:")


@pytest.fixture
def worker() -> Iterator[subprocess.Popen[bytes]]:
    """A process with the wild bots; it is killed at the end."""
    worker = subprocess.Popen(
        [sys.executable, "-m", "cartino_engine.runner", WILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    yield worker
    worker.kill()
    worker.communicate()


def say(worker: subprocess.Popen[bytes], data: bytes) -> None:
    assert worker.stdin is not None
    worker.stdin.write(data)
    worker.stdin.flush()


def ask(worker: subprocess.Popen[bytes], bot: str, view: bytes = b"") -> BotReply:
    say(worker, encode_frame(BotRequest("wild", bot, view, b"")))
    assert worker.stdout is not None
    frames = FrameReader()
    while data := os.read(worker.stdout.fileno(), 1 << 16):
        for body in frames.feed(data):
            return msgspec.msgpack.decode(body, type=BotReply)
    raise AssertionError("the worker said nothing")


def test_it_ends_with_its_stdin_even_when_its_bot_loops(
    worker: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    say(worker, encode_frame(BotRequest("wild", "loops", str(pipe).encode(), b"")))
    assert int(pipe.read_text()) == worker.pid
    assert worker.communicate(timeout=TIME_LIMIT) == (b"", b"")
    assert worker.returncode == 0


@pytest.mark.parametrize("garbage", [b"\xff" * 64, b"\0\0\0\1\xc1", b"\0\0\0\2\x91\x01"])
def test_garbage_ends_it_with_a_sentence(worker: subprocess.Popen[bytes], garbage: bytes) -> None:
    say(worker, garbage)
    assert worker.wait(TIME_LIMIT) == 1
    assert worker.communicate() == (b"", b"What came in is not a question; this worker ends.\n")


def test_neither_signals_to_the_server_nor_what_a_bot_prints_or_reads_disturbs_it(
    worker: subprocess.Popen[bytes],
) -> None:
    ask(worker, "waits")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        worker.send_signal(number)
    assert ask(worker, "chatters") == BotReply((encode(Add(1)),))
    assert ask(worker, "adds", b"1") == BotReply((encode(Add(1)),))
    assert worker.communicate(timeout=TIME_LIMIT)[1] == b"for the log\n"


def test_nothing_of_the_server_is_in_it(worker: subprocess.Popen[bytes]) -> None:
    """What is not in the process can't be peeked at."""
    (answer,) = ask(worker, "tells").moves
    modules = set(msgspec.msgpack.decode(answer, type=About).modules)
    assert modules.isdisjoint({"asyncio", "asyncssh", "textual", "structlog", "apsw", "sqlite3"})
    parts = tuple(f"cartino_server.{part}" for part in ("lobby", "table", "store"))
    assert not [name for name in modules if name.startswith(parts)]
