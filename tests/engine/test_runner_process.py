"""The worker process by itself: real ones, spoken to through their pipes."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from cartino_engine.runner import BotReply, BotRequest, encode_frame
from cartino_protocol.wire import FrameReader, encode
from tests.support.games import BOTS
from tests.support.race import Add
from tests.support.wild_bots import WILD, About

TIME_LIMIT = 20
Pipes = subprocess.Popen[bytes]
Start = Callable[..., Pipes]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a worker with the bots at a place; whatever still runs at the end is killed."""
    started: list[Pipes] = []

    def begin(where: str = WILD) -> Pipes:
        worker = subprocess.Popen(
            [sys.executable, "-m", "cartino_engine.runner", where],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        started.append(worker)
        return worker

    yield begin
    for worker in started:
        worker.kill()
        worker.communicate()


def say(worker: Pipes, data: bytes) -> None:
    assert worker.stdin is not None
    worker.stdin.write(data)
    worker.stdin.flush()


def ask(worker: Pipes, bot: str, view: bytes = b"", dice: bytes = b"") -> BotReply:
    say(worker, encode_frame(BotRequest("wild", bot, view, dice)))
    assert worker.stdout is not None
    frames = FrameReader()
    while data := os.read(worker.stdout.fileno(), 1 << 16):
        for body in frames.feed(data):
            return msgspec.msgpack.decode(body, type=BotReply)
    raise AssertionError("the worker said nothing")


def test_it_answers_one_question_after_the_other(start: Start) -> None:
    worker = start()
    assert [ask(worker, "adds", view) for view in (b"1", b"2")] == [
        BotReply((encode(Add(n)),)) for n in (1, 2)
    ]
    assert ask(worker, "waits") == BotReply(())


def test_a_bot_that_raises_costs_an_answer_and_not_the_worker(start: Start) -> None:
    worker = start()
    assert ask(worker, "raises").failed.startswith("ZeroDivisionError (wild_bots.py:")
    assert ask(worker, "quits").failed.startswith("SystemExit (wild_bots.py:")
    assert ask(worker, "adds", b"1") == BotReply((encode(Add(1)),))


def test_the_dice_are_the_question_s_in_whatever_worker(start: Start) -> None:
    one, other = start(), start()
    first = ask(one, "dices", dice=b"seed")
    ask(one, "dices", dice=b"else")
    assert ask(one, "dices", dice=b"seed") == first == ask(other, "dices", dice=b"seed")
    assert ask(one, "dices", dice=b"else") != first


def test_it_ends_with_its_stdin(start: Start) -> None:
    worker = start()
    ask(worker, "waits")
    assert worker.communicate(timeout=TIME_LIMIT) == (b"", b"")
    assert worker.returncode == 0


def test_it_ends_with_its_stdin_even_when_its_bot_loops(start: Start, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    worker = start()
    say(worker, encode_frame(BotRequest("wild", "loops", str(pipe).encode(), b"")))
    assert int(pipe.read_text()) == worker.pid
    assert worker.communicate(timeout=TIME_LIMIT) == (b"", b"")
    assert worker.returncode == 0


@pytest.mark.parametrize("garbage", [b"\xff" * 64, b"\0\0\0\1\xc1", b"\0\0\0\2\x91\x01"])
def test_garbage_ends_it_with_a_sentence(start: Start, garbage: bytes) -> None:
    worker = start()
    say(worker, garbage)
    assert worker.wait(TIME_LIMIT) == 1
    assert worker.communicate() == (b"", b"What came in is not a question; this worker ends.\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_to_the_server_and_all_its_processes_are_the_server_s_business(
    start: Start, number: signal.Signals
) -> None:
    worker = start()
    ask(worker, "waits")
    worker.send_signal(number)
    assert ask(worker, "adds", b"1") == BotReply((encode(Add(1)),))


def test_what_a_bot_prints_or_reads_never_meets_the_frames(start: Start) -> None:
    worker = start()
    assert ask(worker, "chatters") == BotReply((encode(Add(1)),))
    assert ask(worker, "adds", b"1") == BotReply((encode(Add(1)),))
    assert worker.communicate(timeout=TIME_LIMIT)[1] == b"for the log\n"


def test_nothing_of_the_server_is_in_it(start: Start) -> None:
    """What is not in the process can't be peeked at."""
    (answer,) = ask(start(), "tells").moves
    modules = set(msgspec.msgpack.decode(answer, type=About).modules)
    assert modules.isdisjoint({"asyncio", "asyncssh", "textual", "structlog", "apsw", "sqlite3"})
    assert not [
        name
        for name in modules
        if name.startswith(("cartino_server.lobby", "cartino_server.table", "cartino_server.store"))
    ]


def test_the_server_s_bots_are_there_and_refuse_what_is_no_view(start: Start) -> None:
    worker = start("cartino_games.registry:bots")
    for game, bot in BOTS:
        say(worker, encode_frame(BotRequest(game, bot, b"\xc1", b"")))
        assert worker.stdout is not None
        size = int.from_bytes(worker.stdout.read(4), "big")
        choice = msgspec.msgpack.decode(worker.stdout.read(size), type=BotReply)
        assert choice.failed.startswith("DecodeError (")
