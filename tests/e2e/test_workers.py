"""Worker processes, with the server they stand in front of: what dies with one, what comes back, and that all end."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest

from tests.e2e.test_connect import Home, line_is_up
from tests.support.busy_players import Table, come_back, play_on, settle, sit_down, visit
from tests.support.escapes import left_changed
from tests.support.notes import Note, Watch, losses, note
from tests.support.seen_table import SeenTable, turn_comes_to
from tests.support.ssh_world import CARTINO, Server, SshServer, open_server, troubles
from tests.support.terminals import Terminals

pytestmark = pytest.mark.e2e

TWO = ("--workers", "2", "--bot-pause", "0", "--grace", "0")
LINE_LOST, CLOSED_BY_THE_SERVER = 255, 75
READY = re.compile(r"a worker is ready .*\bpid=(\d+) worker=(\d)")
BEGINS = re.compile(r"session begins .*\basked=(\w+) .*\bworker=(\d)")


ASKS_OFTEN = (
    sys.executable,
    "-c",
    """
import sys
from msgspec.structs import replace
from cartino_server.app import worker_backend
from cartino_server.cli.main import main

worker_backend.WORKER_TIMES = replace(worker_backend.WORKER_TIMES, ping=1.0)
sys.exit(main(sys.argv[1:]))
""",
)
"""The command line, of a server that asks its workers each second whether they live."""


class Family:
    """The worker processes of a server, as its log tells of them."""

    def __init__(self, ssh_server: SshServer) -> None:
        self._server = ssh_server

    def workers(self) -> dict[int, int]:
        """The process that stands at each of the two posts now."""
        self._server.terminals.until(lambda: len(self._ready()) == 2, "both workers are ready")
        return self._ready()

    def _ready(self) -> dict[int, int]:
        return {int(number): int(pid) for pid, number in READY.findall(self._server.log())}

    def of(self, name: str, visits: int = 1) -> int:
        """The number of the worker that holds the last line of `name`, who has come so many times.

        Lines of the log may come later than what they tell of is seen.
        """

        def begun() -> list[int]:
            return [int(number) for who, number in BEGINS.findall(self._server.log()) if who == name]

        self._server.terminals.until(lambda: len(begun()) >= visits, f"{name} has come {visits} times")
        return begun()[-1]

    def kill(self, number: int) -> None:
        """Kill a worker, and wait until there is another in its place."""
        pid = self.workers()[number]
        os.kill(pid, signal.SIGKILL)
        self._server.terminals.until(lambda: self._ready()[number] != pid, "another worker")


def lives(pid: int) -> bool:
    """Whether that process still runs, as the system tells."""
    told = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout
    return told.strip() != "" and not told.startswith("Z")


@pytest.fixture
def two(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[SshServer, Server, Family]]:
    """A server with two workers; a parameter is its program."""
    keys = tmp_path / "keys"
    keys.mkdir()
    server = Server(tmp_path, *TWO, program=getattr(request, "param", CARTINO))
    terminals = Terminals()
    try:
        ssh_server = SshServer(terminals, keys, server.log, server.greeting)
        yield ssh_server, server, Family(ssh_server)
    finally:
        terminals.close()
        server.tell(signal.SIGKILL)
        server.exit_status()


PEEK = """
import os, signal

def tried(what):
    try:
        what()
    except OSError as error:
        return type(error).__name__
    return "done"

def peek(*_):
    found = [
        tried(lambda: os.listdir(DATA)),
        tried(lambda: open(f"{DATA}/host_key").read()),
        tried(lambda: open(f"{DATA}/written", "w")),
        tried(lambda: os.posix_spawn("/bin/true", ["true"], {})),
    ]
    import sched
    os.write(2, " ".join(["peek", str(os.getpid()), *found, "\\n"]).encode())

signal.signal(signal.SIGUSR1, peek)
"""
"""Has a process try what it may do with the files of its server, once it gets a signal."""


def on_two_workers(ssh_server: SshServer) -> Table:
    """ann and bob at a table, each on a worker of their own: the second goes to whoever has nobody."""
    table = sit_down(ssh_server, ("ann", "bob"))
    family = Family(ssh_server)
    assert {family.of("ann"), family.of("bob")} == {1, 2}
    return table


def test_players_on_two_workers_play_against_each_other(tmp_path: Path) -> None:
    with open_server(tmp_path, *TWO) as (ssh_server, _):
        table = on_two_workers(ssh_server)
        eve = ssh_server.visit("eve", "watch", table.code)
        eve.sees("You're watching")
        play_on(ssh_server.terminals, [table], 8)
        seen = settle(ssh_server.terminals, table)
        assert seen["ann"].weight == seen["bob"].weight > 0
        eve.until(lambda: note(eve).weight == seen["ann"].weight, "what the players see")
        (room,) = json.loads(ssh_server.run("fay", "games --json").out)
        assert [seat["name"] for seat in room["seats"]] == ["ann", "bob"]
        record = ssh_server.run("fay", f"export {table.code}")
        assert (record.err, record.status) == ("", 0)
        assert json.loads(record.out.splitlines()[0])["type"] == "game"
        guest = ssh_server.visit("gus", "watch", table.code, key=False)
        guest.sees("You're watching")


def _has_peeked(ssh_server: SshServer, pid: int) -> bool:
    return f"peek {pid} " in ssh_server.log()


def test_a_worker_can_open_none_of_the_server_s_files(tmp_path: Path) -> None:
    peek = tmp_path / "peek"
    peek.mkdir()
    (peek / "sitecustomize.py").write_text(f"DATA = {str(tmp_path / 'data')!r}\n{PEEK}")
    with open_server(tmp_path, *TWO, env={"PYTHONPATH": str(peek)}) as (ssh_server, server):
        on_two_workers(ssh_server)
        if "keeps the file system" in ssh_server.log():
            pytest.skip("the kernel has no Landlock")
        worker = Family(ssh_server).workers()[1]
        for pid, may in ((server.pid, "done"), (worker, "PermissionError")):
            os.kill(pid, signal.SIGUSR1)
            ssh_server.terminals.until(partial(_has_peeked, ssh_server, pid), "what it can do")
            assert f"peek {pid} {may} {may} {may} {may} " in ssh_server.log()


def _is_cut_off_and_comes_back(
    ssh_server: SshServer, table: Table, before: Mapping[str, Note], begun: int
) -> None:
    """Ann's line is lost, and bob, of whose window `begun` bytes were read, sees it; she finds what was `before`."""
    ann, bob = table.windows["ann"], table.windows["bob"]
    assert ann.exit_status() == LINE_LOST
    bob.until(lambda: len(bob.raw) > begun, "that ann is away")
    assert not bob.ended
    table.sits("ann", visit(ssh_server, "ann"))
    again = table.windows["ann"]
    again.until(lambda: SeenTable(again).is_whole() and note(again) == before["ann"], "the table as it was")


def test_a_worker_that_is_killed_takes_only_its_connections(two: tuple[SshServer, Server, Family]) -> None:
    ssh_server, _, family = two
    table = on_two_workers(ssh_server)
    play_on(ssh_server.terminals, [table], 4)
    before = settle(ssh_server.terminals, table)
    begun = len(table.windows["bob"].raw)
    family.kill(family.of("ann"))
    _is_cut_off_and_comes_back(ssh_server, table, before, begun)
    play_on(ssh_server.terminals, [table], 4)
    assert "Traceback" not in ssh_server.log()
    assert ssh_server.log().count("a worker has ended") == 1


def test_who_draws_at_home_goes_on_when_a_worker_is_killed_with_the_terminal_in_order(
    two: tuple[SshServer, Server, Family], tmp_path: Path
) -> None:
    """Over plain ssh nobody is left who could put it back: the keys of the connection died with the worker."""
    ssh_server, _, family = two
    ann = Home(ssh_server, tmp_path / "ann").knows().connects()
    ann.sees("you are ann")
    family.kill(family.of("ann"))
    line_is_up(ann)
    ann.sees("you are ann")
    assert ann.quit() == 0
    assert left_changed(ann.raw) == {}
    assert ann.faults == []


@pytest.mark.parametrize("two", [ASKS_OFTEN], ids=["asks often"], indirect=True)
def test_a_worker_that_hangs_is_killed_and_replaced_while_the_others_play_on(
    two: tuple[SshServer, Server, Family],
) -> None:
    ssh_server, _, family = two
    table = on_two_workers(ssh_server)
    play_on(ssh_server.terminals, [table], 4)
    before = settle(ssh_server.terminals, table)
    number, begun = family.of("ann"), len(table.windows["bob"].raw)
    pid = family.workers()[number]
    os.kill(pid, signal.SIGSTOP)
    ssh_server.terminals.until(lambda: family.workers()[number] != pid, "another worker")
    assert not lives(pid)
    _is_cut_off_and_comes_back(ssh_server, table, before, begun)
    assert family.of("ann", visits=2) == number
    play_on(ssh_server.terminals, [table], 4)
    (line,) = [line for line in ssh_server.log().splitlines() if "a worker has ended" in line]
    assert re.search(rf"error.*pid={pid} why='it does not answer any more' worker={number}", line), line


@pytest.mark.parametrize("two", [ASKS_OFTEN], ids=["asks often"], indirect=True)
def test_a_server_that_was_suspended_with_its_workers_keeps_them(
    two: tuple[SshServer, Server, Family],
) -> None:
    ssh_server, server, family = two
    table = on_two_workers(ssh_server)
    play_on(ssh_server.terminals, [table], 4)
    all_of_it = [server.pid, *family.workers().values()]
    for pid in all_of_it:
        os.kill(pid, signal.SIGSTOP)
    # Longer than a worker may be silent: nobody tells when that is over but a clock.
    over = time.monotonic() + 5
    ssh_server.terminals.until(lambda: time.monotonic() > over, "the time has passed")
    for pid in all_of_it:
        os.kill(pid, signal.SIGCONT)
    play_on(ssh_server.terminals, [table], 8)
    assert "a worker has ended" not in ssh_server.log()
    assert not any(window.ended for window in table.windows.values())


def _is_cut_off(watch: Watch, name: str) -> bool:
    watch.all_gone()
    return watch.windows[name].ended


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=[pytest.mark.soak, pytest.mark.timeout(900)])])
def test_nothing_is_lost_when_workers_die_in_mid_play(
    two: tuple[SshServer, Server, Family], kills: int
) -> None:
    ssh_server, _, family = two
    table = on_two_workers(ssh_server)
    for kill in range(kills):
        play_on(ssh_server.terminals, [table], 3)
        watch = Watch([table.windows])
        watch.all_gone()
        name = ("ann", "bob")[kill % 2]
        family.kill(family.of(name, visits=kill + 1))
        ssh_server.terminals.until(partial(_is_cut_off, watch, name), f"the line of {name} is cut")
        before: dict[str, Note] = dict(watch.last)
        for window in table.windows.values():
            if not window.ended:
                window.drop()
        (after,) = come_back(ssh_server, [table])
        assert losses(before, after) == {}
    assert "Traceback" not in ssh_server.log()
    assert ssh_server.log().count("a worker has ended") == kills


def test_told_to_end_all_processes_end_and_terminals_are_restored(
    two: tuple[SshServer, Server, Family],
) -> None:
    ssh_server, server, family = two
    table = on_two_workers(ssh_server)
    workers = family.workers()
    server.tell_to_end()
    for window in table.windows.values():
        assert window.exit_status() == CLOSED_BY_THE_SERVER
        assert left_changed(window.raw) == {}
        assert b"back in a moment" in window.raw
    assert server.exit_status() == 0
    assert [pid for pid in workers.values() if lives(pid)] == []
    assert troubles(ssh_server.log()) == []


def test_without_a_server_workers_end_by_themselves(two: tuple[SshServer, Server, Family]) -> None:
    ssh_server, server, family = two
    table = on_two_workers(ssh_server)
    workers = family.workers()
    server.kill()
    for window in table.windows.values():
        assert window.exit_status() == CLOSED_BY_THE_SERVER
        assert left_changed(window.raw) == {}
        assert b"Connection lost" in window.raw
    ssh_server.terminals.until(lambda: not any(map(lives, workers.values())), "the workers have ended")
    server.start_again()
    come_back(ssh_server, [table])


def test_signals_to_all_processes_end_it_in_the_same_order(two: tuple[SshServer, Server, Family]) -> None:
    """As service managers send them."""
    ssh_server, server, family = two
    ann = ssh_server.visit("ann", "new", "--bots", "1")
    turn_comes_to([ann], ["ann"], -1)
    for pid in family.workers().values():
        os.kill(pid, signal.SIGTERM)
        os.kill(pid, signal.SIGHUP)
    server.tell(signal.SIGINT)
    assert ann.exit_status() == CLOSED_BY_THE_SERVER
    assert b"back in a moment" in ann.raw
    assert server.exit_status() == 0


def test_log_lines_and_words_for_friends_change_in_workers_too(tmp_path: Path) -> None:
    settings = tmp_path / "cartino.toml"
    settings.write_text('log = "text"\n')
    with open_server(tmp_path, *TWO, "--config", str(settings)) as (ssh_server, server):
        settings.write_text('log = "json"\npublic = "second.example.org"\n')
        server.tell(signal.SIGHUP)
        ssh_server.terminals.until(lambda: "settings read again" in ssh_server.log(), "the settings are read")
        ssh_server.visit("bob", "new").sees(r"second\.example\.org")
        ssh_server.terminals.until(partial(_is_told_in_json, ssh_server), "a worker's lines")


def _is_told_in_json(ssh_server: SshServer) -> bool:
    lines = [json.loads(line) for line in ssh_server.log().splitlines() if line.startswith("{")]
    return any(line.get("worker") in {1, 2} and line["event"] == "came in" for line in lines)
