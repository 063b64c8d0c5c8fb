"""Log lines that can't be written are lost, and nothing else with them."""

import io
import logging
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest
import structlog

from cartino_server.operations import log_output
from cartino_server.operations.log_output import SafeStream, nonblocking_stderr
from cartino_server.operations.logs import configure_logging, flush_summaries, set_log_style
from tests.support.metered import metered, told
from tests.support.pipes import full_pipe


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
