"""One server a data directory."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cartino_server.store.data_directory import DataError, is_locked, lock_directory

_HOLD = """
import sys
from pathlib import Path
from cartino_server.store.data_directory import DataError
from cartino_server.store.data_directory import lock_directory
sys.stdin.readline()
try:
    held = lock_directory(Path(sys.argv[1]))
except DataError as error:
    print("refused", flush=True)
else:
    print("held", flush=True)
    sys.stdin.readline()
"""


def start(data: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def go(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def said(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_a_second_one_is_refused_with_one_sentence(tmp_path: Path) -> None:
    with lock_directory(tmp_path):
        assert is_locked(tmp_path)
        with pytest.raises(
            DataError, match=rf"process {os.getpid()}\) is running on the data directory"
        ) as caught:
            lock_directory(tmp_path)
        assert "\n" not in str(caught.value)
    assert not is_locked(tmp_path)
    lock_directory(tmp_path).close()


def test_of_two_processes_one_has_it_until_it_is_killed(tmp_path: Path) -> None:
    racers = [start(tmp_path), start(tmp_path)]
    for racer in racers:
        go(racer)
    words = [said(racer) for racer in racers]
    assert sorted(words) == ["held", "refused"]
    holder = racers[words.index("held")]
    with pytest.raises(DataError, match=f"process {holder.pid}"):
        lock_directory(tmp_path)
    holder.send_signal(signal.SIGKILL)
    for racer in racers:
        racer.communicate(timeout=30)
    lock_directory(tmp_path).close()


def test_what_can_not_be_locked_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Can't create the lock .*: No such file"):
        lock_directory(tmp_path / "missing")
    assert not is_locked(tmp_path)


def test_whoever_left_no_number_is_refused_all_the_same(tmp_path: Path) -> None:
    with lock_directory(tmp_path):
        (tmp_path / "lock").write_text("what?")
        with pytest.raises(DataError, match="Another server is running"):
            lock_directory(tmp_path)


def test_root_makes_nothing_in_a_directory_of_somebody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner, a service, could not write it; as a server's journal that would be the end of it."""
    if os.geteuid() == 0:
        os.chown(tmp_path, 54321, 54321)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(DataError, match=r"belongs to .*Run this as that user: runuser -u "):
        lock_directory(tmp_path)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    lock_directory(tmp_path).close()
