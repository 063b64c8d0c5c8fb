"""Two worker processes in front of a server: which connections a dead one takes along, and that all of them end."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.support.busy_players import Table, come_back, play_on, settle, sit_down, visit
from tests.support.connected import Home, wait_for_connection
from tests.support.escapes import left_changed
from tests.support.notes import Note, Watch, losses, note
from tests.support.seen_table import SeenTable
from tests.support.ssh_world import CARTINO, Server, SshServer, open_server, troubles

pytestmark = pytest.mark.e2e

LINE_LOST, CLOSED_BY_THE_SERVER = 255, 75
READY = re.compile(r"a worker is ready .*\bpid=(\d+) worker=(\d)")
BEGINS = re.compile(r"session begins .*\basked=(\w+) .*\bworker=(\d)")
PINGS_OFTEN = (
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
"""The command line, with a server that pings its workers each second."""
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
"""Makes a process try, when it gets a signal, what it may do with the files of its server."""


class Workers:
    """The worker processes of a server, as its log names them."""

    def __init__(self, ssh_server: SshServer) -> None:
        self._server = ssh_server

    def pids(self) -> dict[int, int]:
        """Wait until both are ready; return their process ids by number."""
        self._server.terminals.until(lambda: len(self._ready()) == 2, "both workers are ready")
        return self._ready()

    def _ready(self) -> dict[int, int]:
        return {int(number): int(pid) for pid, number in READY.findall(self._server.log())}

    def number_of(self, name: str, visits: int = 1) -> int:
        """Return which worker holds the latest connection of `name`, after so many visits.

        The log may be behind what is seen.
        """

        def begun() -> list[int]:
            return [int(number) for who, number in BEGINS.findall(self._server.log()) if who == name]

        self._server.terminals.until(lambda: len(begun()) >= visits, f"{name} has come {visits} times")
        return begun()[-1]

    def end(self, number: int, how: signal.Signals) -> int:
        """Kill or stop a worker, and wait for the next one in its place; return the old process id."""
        pid = self.pids()[number]
        os.kill(pid, how)
        self._server.terminals.until(lambda: self._ready()[number] != pid, "another worker")
        return pid


def lives(pid: int) -> bool:
    """Return whether that process still runs."""
    found = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout
    return found.strip() != "" and not found.startswith("Z")


@contextmanager
def two_workers(
    place: Path, *options: str, program: Sequence[str] = CARTINO, env: Mapping[str, str] | None = None
) -> Iterator[tuple[SshServer, Server, Workers, Table]]:
    """A server with two workers, and a table of ann and bob, each on another one; killed at the end."""
    options = ("--workers", "2", "--bot-pause", "0", "--grace", "0", *options)
    with open_server(place, *options, program=program, env=env, ends_well=False) as (ssh_server, server):
        workers = Workers(ssh_server)
        table = sit_down(ssh_server, ("ann", "bob"))
        assert {workers.number_of("ann"), workers.number_of("bob")} == {1, 2}
        yield ssh_server, server, workers, table


def has_peeked(ssh_server: SshServer, pid: int) -> bool:
    return f"peek {pid} " in ssh_server.log()


def logs_in_json(ssh_server: SshServer) -> bool:
    lines = [json.loads(line) for line in ssh_server.log().splitlines() if line.startswith("{")]
    return any(line.get("worker") in {1, 2} and line["event"] == "came in" for line in lines)


def test_players_on_two_workers_play_each_other_until_all_processes_are_told_to_end(tmp_path: Path) -> None:
    peek, settings = tmp_path / "peek", tmp_path / "cartino.toml"
    peek.mkdir()
    (peek / "sitecustomize.py").write_text(f"DATA = {str(tmp_path / 'data')!r}\n{PEEK}")
    settings.write_text('log = "text"\n')
    with two_workers(tmp_path, "--config", str(settings), env={"PYTHONPATH": str(peek)}) as opened:
        ssh_server, server, workers, table = opened
        eve = ssh_server.visit("eve", "watch", table.code)
        eve.sees("You're watching")
        play_on(ssh_server.terminals, [table], 8)
        seen = settle(ssh_server.terminals, table)
        assert seen["ann"].weight == seen["bob"].weight > 0
        eve.until(lambda: note(eve).weight == seen["ann"].weight, "what the players see")
        assert eve.quit() == 0
        (listed,) = json.loads(ssh_server.run("fay", "games --json").out)
        assert [seat["name"] for seat in listed["seats"]] == ["ann", "bob"]

        pids = workers.pids()
        if "keeps the file system" not in ssh_server.log():  # the kernel has Landlock
            for pid, may in ((server.pid, "done"), (pids[1], "PermissionError")):
                os.kill(pid, signal.SIGUSR1)
                ssh_server.terminals.until(partial(has_peeked, ssh_server, pid), "what it can do")
                assert f"peek {pid} {may} {may} {may} {may} " in ssh_server.log()

        settings.write_text('log = "json"\npublic = "second.example.org"\n')
        server.tell(signal.SIGHUP)
        ssh_server.terminals.until(lambda: "settings read again" in ssh_server.log(), "the settings are read")
        gus = ssh_server.visit("gus", "new", key=False)
        gus.sees(r"second\.example\.org")
        ssh_server.terminals.until(partial(logs_in_json, ssh_server), "a worker's lines")

        # As service managers do it.
        for pid in pids.values():
            os.kill(pid, signal.SIGTERM)
            os.kill(pid, signal.SIGHUP)
        server.tell_to_end()
        for window in (*table.windows.values(), gus):
            assert window.exit_status() == CLOSED_BY_THE_SERVER
            assert left_changed(window.raw) == {}
            assert b"back in a moment" in window.raw
        assert server.exit_status() == 0
        assert [pid for pid in pids.values() if lives(pid)] == []
        assert troubles(ssh_server.log()) == []


def test_a_worker_that_hangs_is_replaced_and_without_a_server_workers_end(tmp_path: Path) -> None:
    with two_workers(tmp_path, program=PINGS_OFTEN) as (ssh_server, server, workers, table):
        # Over plain ssh the keys of a connection die with its worker; this client connects again.
        cat = Home(ssh_server, tmp_path / "cat").remember_host().connect()
        cat.sees("you are cat")
        play_on(ssh_server.terminals, [table], 4)
        before = settle(ssh_server.terminals, table)
        number = workers.number_of("cat")
        gone, other = ("ann", "bob") if workers.number_of("ann") == number else ("bob", "ann")
        there = table.windows[other]
        begun = len(there.raw)
        pid = workers.end(number, signal.SIGSTOP)
        assert not lives(pid)
        assert table.windows[gone].exit_status() == LINE_LOST
        there.until(lambda: len(there.raw) > begun, f"that {gone} is away")
        assert not there.ended
        table.sits(gone, visit(ssh_server, gone))
        again = table.windows[gone]
        again.until(lambda: SeenTable(again).is_whole() and note(again) == before[gone], "the same table")
        play_on(ssh_server.terminals, [table], 4)
        (line,) = [line for line in ssh_server.log().splitlines() if "a worker has ended" in line]
        assert re.search(rf"error.*pid={pid} why='it does not answer any more' worker={number}", line), line
        wait_for_connection(cat)
        cat.sees("you are cat")
        assert cat.quit() == 0
        assert left_changed(cat.raw) == {}
        assert cat.faults == []

        pids = workers.pids()
        server.kill()
        for window in table.windows.values():
            assert window.exit_status() == CLOSED_BY_THE_SERVER
            assert left_changed(window.raw) == {}
            assert b"Connection lost" in window.raw
        ssh_server.terminals.until(lambda: not any(map(lives, pids.values())), "the workers have ended")
        server.start_again()
        come_back(ssh_server, [table])


def is_cut_off(watch: Watch, name: str) -> bool:
    watch.all_gone()
    return watch.windows[name].ended


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=[pytest.mark.soak, pytest.mark.timeout(900)])])
def test_workers_that_are_killed_in_mid_play_take_only_their_connections(tmp_path: Path, kills: int) -> None:
    with two_workers(tmp_path) as (ssh_server, _, workers, table):
        for kill in range(kills):
            play_on(ssh_server.terminals, [table], 3)
            watch = Watch([table.windows])
            watch.all_gone()
            name = ("ann", "bob")[kill % 2]
            workers.end(workers.number_of(name, visits=kill + 1), signal.SIGKILL)
            ssh_server.terminals.until(partial(is_cut_off, watch, name), f"the line of {name} is cut")
            assert table.windows[name].exit_status() == LINE_LOST
            before: dict[str, Note] = dict(watch.last)
            for other, window in table.windows.items():
                if other != name:
                    assert not window.ended
                    window.drop()
            (after,) = come_back(ssh_server, [table])
            assert losses(before, after) == {}
        assert "Traceback" not in ssh_server.log()
        assert ssh_server.log().count("a worker has ended") == kills
