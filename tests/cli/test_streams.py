"""Output that can't be written: no traceback, and the exit status is that of the work."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from cartino_server.cli.main import main
from tests.support.ssh_world import CARTINO

RECORD = str(min((Path(__file__).parents[1] / "golden").glob("*.jsonl")))
LOST = "The output couldn't be written: No space left on device.\n"


class Streams(NamedTuple):
    """What a process has instead of stdout and stderr: a file, or None for none."""

    out: str | None
    err: str | None = ""


CLOSED, FULL, ALL_FULL = Streams(None, None), Streams("/dev/full"), Streams("/dev/full", "/dev/full")
each_kind = pytest.mark.parametrize("streams", [CLOSED, FULL, ALL_FULL], ids=["closed", "full", "all full"])


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data directory of a server that runs without streams.

    The journal would get what is printed, if it was opened under the number of stdout.
    """
    place = tmp_path_factory.mktemp("streams")
    words = [*CARTINO, "serve", "--data", str(place / "data"), "--port", "0", "--workers", "0"]
    with subprocess.Popen(["sh", "-c", 'exec "$@" >&- 2>&- <&-', "sh", *words]) as server:
        while run(place, Streams("", ""), "health", "--data", str(place / "data"))[0]:
            assert server.poll() is None
        yield place / "data"
        server.terminate()
    assert server.returncode == 0
    assert run(place, Streams("", ""), "doctor", "--data", str(place / "data"))[0] == 0


def run(place: Path, streams: Streams, *words: str) -> tuple[int, str, str]:
    """Run `cartino words` in a fork; its exit status, stdout and stderr, by default of files in `place`."""
    names = [
        str(place / name) if named == "" else named
        for name, named in zip(("out", "err"), streams, strict=True)
    ]
    child = os.fork()
    if not child:
        code = 99
        try:
            for number, name in enumerate((os.devnull, *names)):
                os.close(number)
                if name is not None:
                    os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
            sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
            code = main(list(words))
        finally:
            os._exit(code)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    out, err = (path.read_text() if path.exists() else "" for path in (place / "out", place / "err"))
    return status, out, err


@pytest.mark.parametrize("streams", [FULL, pytest.param(CLOSED, marks=pytest.mark.soak)])
def test_a_command_that_did_its_work_has_succeeded(data: Path, tmp_path: Path, streams: Streams) -> None:
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
        assert run(tmp_path, streams, *words) == (0, "", LOST if streams == FULL else ""), words
    assert (tmp_path / "copy" / "journal.db").exists()


@each_kind
@pytest.mark.parametrize("words", [("--version",), (), ("verify", RECORD), ("simulate", "--games", "1")])
def test_where_output_is_the_work_a_full_disk_is_a_failure(
    tmp_path: Path, words: tuple[str, ...], streams: Streams
) -> None:
    status, _, err = run(tmp_path, streams, *words)
    assert (status, err) == (0 if streams == CLOSED else 1, LOST if streams == FULL else "")


@each_kind
@pytest.mark.parametrize(
    ("words", "status"), [(("nonsense",), 2), (("play",), 2), (("verify", "/nowhere"), 1)]
)
def test_what_fails_fails_as_ever(
    tmp_path: Path, words: tuple[str, ...], status: int, streams: Streams
) -> None:
    found, out, err = run(tmp_path, streams, *words)
    assert (found, out, err.count("\n")) == (status, "", int(streams == FULL))


@pytest.mark.parametrize("words", [("--help",), ("verify", *[RECORD] * 50)])
def test_a_reader_that_goes_away_is_no_failure(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Its pipe has no reader from the start."""
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(tmp_path / "pipe", os.O_WRONLY)
    os.close(reader)
    assert run(tmp_path, Streams(f"/dev/fd/{writer}"), *words) == (0, "", "")
    os.close(writer)


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
