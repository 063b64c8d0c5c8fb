"""Fault: a file system that fills up. Refused moves, no view of one, and play goes on without a restart."""

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which

import pytest

from tests.support.busy_players import Table, come_back, killed, play_on, settle, sit_down
from tests.support.faulty import Faulty
from tests.support.long_runs import require
from tests.support.notes import losses
from tests.support.seen_table import SeenTable
from tests.support.ssh_world import CARTINO, Server, SshServer
from tests.support.terminals import Terminal

pytestmark = pytest.mark.e2e

CANT_SAVE = "can't save right now"
UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
TIGHT = 16 << 10
"""Bytes: four pages of the journal, and more than the log needs here."""
SMALL = 2 << 20
BALLAST = 1 << 20
"""Bytes of the small file system, and of what is thrown away when it is full."""


def test_files_that_may_not_grow(faulty: Faulty) -> None:
    """To the journal that is a full disk: no commit fits in what a file may have."""
    ssh_server, server = faulty.open()
    table = sit_down(ssh_server, ("ann", "bob"))
    play_on(ssh_server.terminals, [table], 6)
    before = settle(ssh_server.terminals, table)
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (TIGHT, resource.RLIM_INFINITY))
    mover = table.windows[before["ann"].on_turn]
    for _ in range(3):
        mover.press("1")
        mover.until(lambda: SeenTable(mover).picked and not _refused(table), "a stone is up")
        mover.press("enter")
        mover.until(lambda: _refused(table), "the sentence that it can't be saved")
        _put_back(mover)
    _nothing_was_shown(ssh_server, table)
    assert all(seen.taken == before[name].taken for name, seen in table.notes().items())
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, UNLIMITED)
    _play_goes_on(ssh_server, [table])
    _all_is_there_after_a_kill(ssh_server, server, [table])


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_a_small_file_system(faulty: Faulty, tmp_path: Path, long_run: bool) -> None:
    """2 MB in memory, mounted where only this server sees it."""
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    with _small_world(data, long_run=long_run) as (enter, ballast):
        ssh_server, server = faulty.open(program=(*enter, *CARTINO))
        tables = [sit_down(ssh_server, (f"ann{number}", f"bob{number}")) for number in range(3)]
        windows = [window for table in tables for window in table.windows.values()]

        def full() -> bool:
            for table in tables:
                table.step()
            return any(_refused(table) for table in tables)

        ssh_server.terminals.until(full, "the file system is full", windows[0])
        for window in windows:
            _put_back(window)
        for table in tables:
            _nothing_was_shown(ssh_server, table)
        ballast.unlink()
        _play_goes_on(ssh_server, tables)
        _all_is_there_after_a_kill(ssh_server, server, tables)


@contextmanager
def _small_world(data: Path, *, long_run: bool) -> Iterator[tuple[tuple[str, ...], Path]]:
    """The words that run a program where `data` is a small file system, and a file that takes up half of it."""
    sentence = "this test needs name spaces of its own: run it on Linux as root, or allow user ones"
    require(which("unshare"), sentence, long_run=long_run)
    own = ("-Ur",) if os.getuid() else ()
    script = f"mount -t tmpfs -o size={SMALL},mode=700 tmpfs {data} && echo mounted && exec cat"
    # What holds it lives as long as the block: a server that is killed comes back to the same files.
    with subprocess.Popen(
        ["unshare", *own, "-m", "--propagation", "private", "sh", "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        said = holder.stdout.readline()
        require(said == "mounted\n", sentence, long_run=long_run)
        ballast = Path(f"/proc/{holder.pid}/root{data}/ballast")
        ballast.write_bytes(bytes(BALLAST))
        enter = ("nsenter", "-t", str(holder.pid), "-m", *(("-U", "--preserve-credentials") if own else ()))
        yield enter, ballast
        assert holder.stdin is not None
        holder.stdin.close()


def _refused(table: Table) -> bool:
    return any(CANT_SAVE in window.screen() for window in table.windows.values())


def _put_back(window: Terminal) -> None:
    """Back to the hand with a stone that is up; where none is, the key would mean something else."""
    if SeenTable(window).picked:
        window.press("escape")
        window.until(lambda: not SeenTable(window).picked, "the stone is in the hand again")


def _nothing_was_shown(ssh_server: SshServer, table: Table) -> None:
    """Everybody comes to see the same, so what was refused is on no screen; what was saved before may be on its way."""

    def same() -> bool:
        first, *others = table.notes().values()
        return all(other.is_at(first) and other.taken == first.taken for other in others)

    ssh_server.terminals.until(same, "the same table for everybody", next(iter(table.windows.values())))


def _play_goes_on(ssh_server: SshServer, tables: list[Table]) -> None:
    for table in tables:
        table.try_again()
        play_on(ssh_server.terminals, [table], 6)


def _all_is_there_after_a_kill(ssh_server: SshServer, server: Server, tables: list[Table]) -> None:
    before = killed(ssh_server, server, tables)
    server.start_again()
    after = come_back(ssh_server, tables)
    assert [losses(*notes) for notes in zip(before, after, strict=True)] == [{}] * len(tables)
    assert "Traceback" not in ssh_server.log()
