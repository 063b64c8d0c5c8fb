"""Log lines that can't be written are lost, and nothing else with them; loggers never wait for their reader."""

import io
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread, get_ident
from typing import TextIO

import pytest
import structlog

from cartino_server.operations import log_output
from cartino_server.operations.log_output import LogQueue, SafeStream, nonblocking_stderr
from cartino_server.operations.logs import configure_logging, flush_summaries, set_log_style
from tests.support.metered import metered, told
from tests.support.pipes import full_pipe

TIME_LIMIT = 20.0


@pytest.fixture(autouse=True)
def own_logs() -> Iterator[None]:
    """What `configure_logging` does to the process is undone after each test."""
    handlers, level = logging.root.handlers[:], logging.root.level
    yield
    structlog.reset_defaults()
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)


def gone() -> TextIO:
    """A pipe whose reader has gone."""
    reads, writes = os.pipe()
    os.close(reads)
    return os.fdopen(writes, "w", buffering=1)


def full() -> TextIO:
    """A file on a disk that is full."""
    return open("/dev/full", "w", buffering=1)


def closed() -> TextIO:
    stream = io.StringIO()
    stream.close()
    return stream


@pytest.fixture(params=[gone, full, closed, lambda: None], ids=["gone", "full", "closed", "none"])
def broken(request: pytest.FixtureRequest) -> Iterator[TextIO | None]:
    if request.param is full and not Path("/dev/full").exists():
        pytest.skip("only Linux has a disk that is always full")
    stream = request.param()
    yield stream
    if stream is not None:
        SafeStream(stream).flush()
        try:
            stream.close()
        except OSError:
            # What it could not write before, it can't now.
            assert stream.closed


@pytest.mark.parametrize("style", ["text", "json"])
def test_whoever_logs_hears_nothing_of_it(
    broken: TextIO | None, style: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", broken)
    configure_logging(style)
    log = structlog.get_logger("here")
    for number in range(3_000):
        log.info("turned away", peer="192.0.2.1", number=number)
        log.warning("a line", text="x" * 400)
    try:
        raise RuntimeError("boom")
    except RuntimeError:
        log.exception("a connection broke")
        logging.getLogger("asyncio").exception("broke")
    flush_summaries()
    set_log_style("text")
    log.info("a line")


def test_who_logs_to_a_reader_that_stalls_goes_on_and_what_it_misses_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads, writes = full_pipe()
    pipe = os.fdopen(writes, "w", buffering=1)
    monkeypatch.setattr(sys, "stderr", pipe)
    monkeypatch.setattr(log_output, "MAX_QUEUED_LINES", 5)
    with metered():
        with nonblocking_stderr(0.01):
            configure_logging("json")
            log = structlog.get_logger("here")
            for _ in range(50):
                log.info("a line")
            lost = told("cartino_log_lines_lost_total")[()]
            assert 44 <= lost <= 45, "one may be in the thread's hands"
        # Nobody is there to be told anything: what comes now goes nowhere, and waits for nobody.
        log.info("a line")
        print("a last word", file=sys.stderr, flush=True)
        assert told("cartino_log_lines_lost_total")[()] == lost + 1
    # The thread ends with its reader, and then nobody needs the pipe.
    os.close(reads)
    for thread in threading.enumerate():
        if thread.name == "log":
            thread.join(20)
            assert not thread.is_alive()
    pipe.close()


def test_what_can_be_written_again_is() -> None:
    class Disk(io.StringIO):
        is_full = False

        def write(self, text: str) -> int:
            if self.is_full:
                raise OSError(28, "No space left on device")
            return super().write(text)

    disk = Disk()
    stream = SafeStream(disk)
    assert stream.write("one\n") == 4
    disk.is_full = True
    assert stream.write("two\n") == 4
    disk.is_full = False
    stream.write("three\n")
    stream.flush()
    assert disk.getvalue() == "one\nthree\n"
    assert not stream.isatty()


class Reader:
    """What lines are written to; it takes them while it `reads`, and stalls otherwise."""

    def __init__(self) -> None:
        self.reads = Event()
        self.stalls = Event()
        self.lines: list[str] = []
        self.threads: set[int] = set()

    def write(self, line: str) -> None:
        self.stalls.set()
        assert self.reads.wait(TIME_LIMIT)
        self.threads.add(get_ident())
        self.lines.append(line)


class World:
    """A queue of three lines, and what it says of those that are lost."""

    def __init__(self) -> None:
        self.reader = Reader()
        self.lost = 0
        self.told: list[int] = []
        self.has_told = Event()
        self.queue = LogQueue(self.reader.write, most=3, lose=self._lose, tell=self._tell)

    def _lose(self) -> None:
        self.lost += 1

    def _tell(self, lines: int) -> None:
        self.told.append(lines)
        self.queue.write(f"{lines} lost\n")
        self.has_told.set()

    def stall(self, *lines: str) -> None:
        """The reader stalls at the first of these."""
        self.queue.write(lines[0])
        assert self.reader.stalls.wait(TIME_LIMIT)
        for line in lines[1:]:
            assert self.queue.write(line) == len(line)


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.reader.reads.set()
    assert made.queue.close(TIME_LIMIT)


def test_lines_come_in_their_order_and_from_the_thread(world: World) -> None:
    world.reader.reads.set()
    lines = [f"{number}\n" for number in range(3)]
    for line in lines:
        world.queue.write(line)
    world.queue.flush()
    assert world.queue.close(TIME_LIMIT)
    assert world.reader.lines == lines
    assert get_ident() not in world.reader.threads
    assert (world.lost, world.told) == (0, [])


def test_nobody_waits_for_a_reader_that_stalls_and_it_hears_how_much_it_has_missed(world: World) -> None:
    world.stall("a\n", "b\n", "c\n", "d\n", "e\n", "f\n")
    assert world.reader.lines == []
    assert world.lost == 2
    world.reader.reads.set()
    assert world.has_told.wait(TIME_LIMIT)
    world.queue.write("g\n")
    assert world.queue.close(TIME_LIMIT)
    assert [line for line in world.reader.lines if "lost" not in line] == ["a\n", "b\n", "c\n", "d\n", "g\n"]
    assert world.told == [2]
    assert world.reader.lines.count("2 lost\n") == 1


@pytest.mark.parametrize(("more", "lost"), [(1, 0), (5, 2)])
def test_a_reader_that_is_not_back_holds_up_no_end(world: World, more: int, lost: int) -> None:
    world.stall("a\n", *["more\n"] * more)
    assert world.lost == lost
    assert not world.queue.close(0.05)
    assert world.queue.write("late\n") == 5
    world.reader.reads.set()
    assert world.queue.close(TIME_LIMIT)
    assert "late\n" not in world.reader.lines
    assert world.reader.lines[: 1 + more - lost] == ["a\n", *["more\n"] * (more - lost)]
    assert (world.lost, sum(world.told)) == (lost + 1, lost + 1)
    assert world.reader.lines[-1].endswith("lost\n")


def test_what_is_said_after_the_end_is_written_by_whoever_says_it(world: World) -> None:
    world.reader.reads.set()
    world.queue.write("a\n")
    assert world.queue.close(TIME_LIMIT)
    world.queue.write("b\n")
    assert world.reader.lines == ["a\n", "b\n"]
    assert get_ident() in world.reader.threads
    assert world.queue.close(0)


def test_many_threads_lose_none_and_count_all(world: World) -> None:
    def log() -> None:
        for number in range(500):
            world.queue.write(f"{number}\n")

    world.reader.reads.set()
    threads = [Thread(target=log) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIME_LIMIT)
    assert world.queue.close(TIME_LIMIT)
    written = [line for line in world.reader.lines if "lost" not in line]
    assert len(written) + sum(world.told) == 2000


SCRIPT = """
import os, sys
import structlog
from cartino_server.app import shutdown
from cartino_server.operations import log_output
from cartino_server.operations.log_output import nonblocking_stderr
from cartino_server.operations.logs import configure_logging
from cartino_protocol.text import LazyMessage

with nonblocking_stderr({time_limit}):
    configure_logging("json")
    log = structlog.get_logger("here")
    for number in range(20):
        log.info("a line", number=number)
    {then}
{after}
print("a last word", file=sys.stderr)
"""


def run(
    then: str = "pass", after: str = "", stderr: int = subprocess.PIPE, time_limit: float = TIME_LIMIT
) -> subprocess.CompletedProcess[str]:
    script = SCRIPT.format(then=then, after=after, time_limit=time_limit)
    return subprocess.run(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("then", "after", "last", "status"),
    [
        ("pass", "", "a last word", 0),
        ("pass", 'log.info("later")', "a last word", 0),
        ("raise RuntimeError('boom')", "", "RuntimeError: boom", 1),
        (
            f"shutdown.LOG_FLUSH_SECONDS = {TIME_LIMIT}; shutdown.exit_now(LazyMessage('Ended.'))",
            "",
            "Ended.",
            1,
        ),
        ("sys.exit('Not so.')", "", "Not so.", 1),
        (
            "0 if (child := os.fork()) else (log.info('child'), os._exit(0)); os.waitpid(child, 0)",
            "",
            "a last word",
            0,
        ),
    ],
    ids=["end", "later", "crash", "at once", "exit", "fork"],
)
def test_every_line_comes_before_the_last_word(then: str, after: str, last: str, status: int) -> None:
    done = run(then, after)
    lines = done.stderr.splitlines()
    assert done.returncode == status, done.stderr
    assert [f'"number": {number},' in line for number, line in enumerate(lines[:20])] == [True] * 20 or (
        "child" in done.stderr
    )
    assert sum('"event": "a line"' in line for line in lines) == 20
    assert lines[-1] == last
    assert ("later" in lines[20]) == bool(after)


@pytest.mark.parametrize(
    ("then", "status"),
    [
        ("pass", 0),
        ("raise RuntimeError('boom')", 1),
        ("shutdown.exit_now(LazyMessage('Ended.'))", 1),
        ("log.info('x' * 100)", 0),
    ],
)
def test_a_process_whose_log_nobody_reads_ends(then: str, status: int, stalled: tuple[int, int]) -> None:
    assert run(then, stderr=stalled[1], time_limit=0.05).returncode == status


@pytest.fixture
def stalled() -> Iterator[tuple[int, int]]:
    """A full pipe: what reads it, and what writes to it."""
    reads, writes = full_pipe()
    yield reads, writes
    os.close(reads)
    os.close(writes)
