"""The lines that wait for their reader: whoever logs never does."""

import os
import subprocess
import sys
from collections.abc import Iterator
from threading import Event, Thread, get_ident

import pytest

from cartino_server.operations.log_output import LogQueue
from tests.support.pipes import full_pipe

TIME_LIMIT = 20.0


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


def test_each_line_that_was_lost_is_told_once(world: World) -> None:
    for number in (1, 2):
        world.stall("a\n", "b\n", "c\n", "d\n", *["more\n"] * number)
        world.reader.reads.set()
        assert world.has_told.wait(TIME_LIMIT)
        world.has_told.clear()
        # Wait until it has nothing more to write.
        world.queue.write("last\n")
        until_written(world.reader, "last\n", number)
        world.reader.reads.clear()
        world.reader.stalls.clear()
    assert world.told == [1, 2]
    assert world.lost == 3


def until_written(reader: Reader, line: str, times: int) -> None:
    passed = Event()
    for _ in range(int(TIME_LIMIT / 0.01)):
        if reader.lines.count(line) == times:
            return
        passed.wait(0.01)
    pytest.fail(f"{line!r} was not written")


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
