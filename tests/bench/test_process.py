"""What the bench reads of processes is what the system says of them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import process

ROOT = Path(__file__).parents[2]


ROLLUP = "Rss:               13592 kB\nPss:               12270 kB\nPss_Dirty:          6880 kB\n"


STATUS = "Threads:\t4\nvoluntary_ctxt_switches:\t1234\nnonvoluntary_ctxt_switches:\t99\n"


STAT = """\
cpu  300 20 40 5000 60 7 8 9 100 0
cpu0 100 10 20 2500 30 1 2 3 50 0
cpu1 200 10 20 2500 30 6 6 6 50 0
cpu10 1 1 1 1 1 1 1 1 1 1
"""
CHILD = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1, flush=True); input()'])"


def test_what_the_system_writes_is_read() -> None:
    """Megabytes of ten, waits of one's own will alone, a core busy with all but idling and waiting."""
    assert process.share(ROLLUP) == pytest.approx(12_270 * 1024 / 1e6)
    assert (process.woken(STATUS), process.woken("Name:\tcartino\n")) == (1234, 0)
    assert process.busy(STAT, 0) == 100 + 10 + 20 + 1 + 2 + 3
    assert process.busy(STAT, 1) == 200 + 10 + 20 + 6 + 6 + 6
    for read, error in (
        (lambda: process.share("Rss: 1 kB\n"), "no fair share"),
        (lambda: process.busy(STAT, 7), "no core 7"),
    ):
        with pytest.raises(ValueError, match=error):
            read()


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("0:01.50", 1_500), ("12:00.00", 720_000), ("1:00:00", 3_600_000), ("2-00:00:01", 172_801_000)],
)
def test_times_as_ps_writes_them(text: str, milliseconds: float) -> None:
    assert process.clock(text) == milliseconds


@pytest.fixture
def parent() -> Iterator[int]:
    """A process that has started another, which has begun."""
    with subprocess.Popen(
        [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "1\n"
        yield running.pid
        assert running.stdin is not None
        running.stdin.write("\n")


def test_a_family_is_counted_as_a_whole(parent: int) -> None:
    whole = process.family(parent)
    assert whole[0] == parent
    assert len(whole) == 2
    for measured in (process.memory, process.cpu):
        assert measured(parent) > measured(whole[1]) > 0


MEASURES = """
import os, time
from bench import process
print(time.process_time_ns() / 1e6, process.cpu(os.getpid()), time.process_time_ns() / 1e6)
"""


def test_time_on_the_processor_is_that_of_the_system() -> None:
    """Of a process without children: those of this one may be a server and its workers."""
    done = subprocess.run([sys.executable, "-c", MEASURES], check=True, cwd=ROOT, stdout=subprocess.PIPE)
    before, told, after = map(float, done.stdout.split())
    # Where there is only ps, it counts in hundredths.
    assert before - 10 <= told <= after + 10


def test_a_process_that_has_ended_counts_nothing() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert (process.family(gone.pid), process.memory(gone.pid), process.cpu(gone.pid)) == ([gone.pid], 0, 0)


def test_waits_and_descriptors_are_counted() -> None:
    woken, opened = process.wakes(os.getpid()), process.descriptors(os.getpid())
    if woken is None or opened is None:
        assert not process.HAS_PROC
        return
    reading, writing = os.pipe()
    try:
        assert process.descriptors(os.getpid()) == opened + 2
    finally:
        os.close(reading)
        os.close(writing)
    subprocess.run([sys.executable, "-c", ""], check=True)
    assert (process.wakes(os.getpid()) or 0) > woken
