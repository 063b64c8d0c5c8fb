"""Files of any kind are read up to a bound, and nobody waits for a pipe that nobody asked for."""

import errno
import os
from pathlib import Path

import pytest

from cartino_server.files import read_file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    return path


def test_a_file_may_be_as_large_as_its_bound(file: Path) -> None:
    assert read_file(file, 5) == b"12345"
    with pytest.raises(OSError, match="File too large") as error:
        read_file(file, 4)
    assert error.value.errno == errno.EFBIG


@pytest.mark.parametrize("kind", ["pipe", "/dev/zero", "/dev/null"])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    path = Path(kind)
    if kind == "pipe":
        path = tmp_path / kind
        os.mkfifo(path)
    with pytest.raises(OSError, match="not a regular file"):
        read_file(path, 5)


def test_pipes_and_devices_may_be_asked_for() -> None:
    ours, theirs = os.pipe()
    os.write(theirs, b"12345")
    os.close(theirs)
    assert read_file(Path(f"/dev/fd/{ours}"), 5, pipes=True) == b"12345"
    os.close(ours)
    assert read_file(Path("/dev/null"), 5, pipes=True) == b""
    with pytest.raises(OSError, match="not a regular file"):
        read_file(Path("/dev/zero"), 5, pipes=True)
