"""Output that can't be written: no traceback, and the exit status is that of the work."""

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from cartino_protocol.exit_status import FAILURE
from tests.support.ssh_world import CARTINO

RECORD = str(min((Path(__file__).parents[1] / "golden").glob("*.jsonl")))
LOST = "The output couldn't be written: No space left on device.\n"


class Streams(NamedTuple):
    """What a process has instead of stdout and stderr: a file, or None for none."""

    out: str | None
    err: str | None = ""


CLOSED, FULL, ALL_FULL = Streams(None, None), Streams("/dev/full"), Streams("/dev/full", "/dev/full")
each_kind = pytest.mark.parametrize("streams", [CLOSED, FULL, ALL_FULL], ids=["closed", "full", "all full"])


FORKER = """
import json, os, sys
from cartino_server.cli import admin, data, doctor, simulate, verify
from cartino_server.cli.main import main
for line in sys.stdin:
    names, words = json.loads(line)
    child = os.fork()
    if not child:
        code = 99
        try:
            for number, name in enumerate(names):
                os.close(number)
                if name is not None:
                    os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
            code = main(words)
        finally:
            os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Runs each command in a fork, which takes a tenth of the time that a program takes to start."""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs `cartino words` with these streams; its exit status, and the files that stdout and stderr are by default."""
    place = tmp_path_factory.mktemp("output")
    files = [place / "out", place / "err"]
    words = [sys.executable, "-c", FORKER]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as forker:

        def run_words(streams: Streams, *words: str) -> tuple[int, str, str]:
            assert forker.stdin is not None
            assert forker.stdout is not None
            for file in files:
                file.write_text("")
            names = [str(file) if name == "" else name for name, file in zip(streams, files, strict=True)]
            forker.stdin.write(json.dumps([[os.devnull, *names], words]) + "\n")
            forker.stdin.flush()
            status = int(forker.stdout.readline())
            return status, files[0].read_text(), files[1].read_text()

        yield run_words
        forker.communicate()


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory, run: Run) -> Iterator[Path]:
    """The data directory of a server that runs without streams.

    The journal would get what is printed, if it was opened under the number of stdout.
    """
    place = tmp_path_factory.mktemp("streams") / "data"
    words = [*CARTINO, "serve", "--data", str(place), "--port", "0", "--workers", "0"]
    with subprocess.Popen(["sh", "-c", 'exec "$@" >&- 2>&- <&-', "sh", *words]) as server:
        try:
            while status := run(Streams("", ""), "health", "--data", str(place))[0]:
                assert status == FAILURE
                assert server.poll() is None
            yield place
        finally:
            server.terminate()
    assert server.returncode == 0
    assert run(Streams("", ""), "doctor", "--data", str(place))[0] == 0


@pytest.mark.parametrize("streams", [FULL, pytest.param(CLOSED, marks=pytest.mark.soak)])
def test_a_command_that_did_its_work_has_succeeded(
    run: Run, data: Path, tmp_path: Path, streams: Streams
) -> None:
    place = ("--data", str(data))
    for words in (
        ("health", *place),
        ("admin", "who", *place),
        ("doctor", *place),
        ("backup", str(tmp_path / "copy"), "--verify", *place),
        ("backup", str(tmp_path / "data"), *place),
        ("restore", str(tmp_path / "copy"), "--data", str(tmp_path / "data")),
        ("export", "--all", str(tmp_path / "records"), *place),
    ):
        assert run(streams, *words) == (0, "", LOST if streams == FULL else ""), words
    assert (tmp_path / "copy" / "journal.db").exists()


@each_kind
@pytest.mark.parametrize("words", [("--version",), (), ("verify", RECORD), ("simulate", "--games", "1")])
def test_where_output_is_the_work_a_full_disk_is_a_failure(
    run: Run, words: tuple[str, ...], streams: Streams
) -> None:
    status, _, err = run(streams, *words)
    assert (status, err) == (0 if streams == CLOSED else 1, LOST if streams == FULL else "")


@each_kind
@pytest.mark.parametrize(
    ("words", "status"), [(("nonsense",), 2), (("play",), 2), (("verify", "/nowhere"), 1)]
)
def test_what_fails_fails_as_ever(run: Run, words: tuple[str, ...], status: int, streams: Streams) -> None:
    found, out, err = run(streams, *words)
    assert (found, out, err.count("\n")) == (status, "", int(streams == FULL))


@pytest.mark.parametrize("words", [("--help",), ("verify", *[RECORD] * 50)])
def test_a_reader_that_goes_away_is_no_failure(words: tuple[str, ...]) -> None:
    with subprocess.Popen([*CARTINO, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_a_reader_that_is_slow_gets_everything() -> None:
    """Also if another program has made our output one that doesn't wait."""
    ours, theirs = os.pipe()
    fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(theirs, False)
    with subprocess.Popen([*CARTINO, "verify", *[RECORD] * 60], stdout=theirs) as process:
        os.close(theirs)
        with open(ours, "rb") as output:
            assert len(output.read().splitlines()) == 60
    assert process.returncode == 0
