"""Output that can't be written: no traceback, and the exit status is that of the work."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.ssh_world import CARTINO

RECORD = str(min((Path(__file__).parents[1] / "golden").glob("*.jsonl")))
LOST = "The output couldn't be written: No space left on device.\n"
STREAMS = {"closed": ">&- 2>&- <&-", "full": ">/dev/full", "all full": ">/dev/full 2>/dev/full"}
each_kind = pytest.mark.parametrize(
    "streams",
    [pytest.param(STREAMS[name], id=name, marks=[pytest.mark.soak] * (name != "full")) for name in STREAMS],
)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data directory of a running server."""
    place = tmp_path_factory.mktemp("streams")
    words = [*CARTINO, "serve", "--data", str(place / "data"), "--port", "0", "--workers", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None
        assert b"listening" in server.stdout.readline()
        yield place / "data"
        server.terminate()


def run(streams: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `cartino words` with a shell's redirections."""
    script = f'"$@" {streams}'
    return subprocess.run(
        ["sh", "-c", script, "sh", *CARTINO, *words],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize(
    "streams", [STREAMS["full"], pytest.param(STREAMS["closed"], marks=pytest.mark.soak)]
)
def test_a_command_that_did_its_work_has_succeeded(data: Path, tmp_path: Path, streams: str) -> None:
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
        done = run(streams, *words)
        assert done.returncode == 0, (words, done)
        assert done.stderr == (LOST if streams == STREAMS["full"] else ""), words
    assert (tmp_path / "copy" / "journal.db").exists()


@each_kind
@pytest.mark.parametrize(
    "words",
    [("--version",), (), ("verify", RECORD), ("simulate", "--games", "1")],
)
def test_where_output_is_the_work_a_full_disk_is_a_failure(words: tuple[str, ...], streams: str) -> None:
    done = run(streams, *words)
    assert done.returncode == (1 if "full" in streams else 0), done
    assert done.stderr == (LOST if streams == STREAMS["full"] else "")


@each_kind
@pytest.mark.parametrize(
    ("words", "status"),
    [(("nonsense",), 2), (("play",), 2), (("verify", "/nowhere"), 1)],
)
def test_what_fails_fails_as_ever(words: tuple[str, ...], status: int, streams: str) -> None:
    done = run(streams, *words)
    assert done.returncode == status
    assert done.stdout == ""
    assert done.stderr.count("\n") == (0 if "2>" in streams else 1)


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
    os.set_blocking(theirs, False)
    with subprocess.Popen([*CARTINO, "verify", *[RECORD] * 800], stdout=theirs) as process:
        os.close(theirs)
        with open(ours, "rb") as output:
            assert len(output.read().splitlines()) == 800
    assert process.returncode == 0


def test_no_file_takes_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    """The journal would get what is printed, if it was opened under the number of stdout."""
    place = str(tmp_path / "data")
    with subprocess.Popen(
        [
            "sh",
            "-c",
            'exec "$@" >&- 2>&- <&-',
            "sh",
            *CARTINO,
            "serve",
            "--data",
            place,
            "--port",
            "0",
            "--workers",
            "0",
        ]
    ) as server:
        while run("", "health", "--data", place).returncode:
            assert server.poll() is None
        server.terminate()
    assert server.returncode == 0
    assert run("", "doctor", "--data", place).returncode == 0
