"""A confined process keeps its open descriptors and Python's modules, and nothing else.

The table of system calls is the kernel's; the filter's program is computed here for machines other than this one.
"""

import json
import os
import platform
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

import cartino_server
from cartino_server.sandbox import (
    ALLOW,
    CLONE3,
    FIRST_X32,
    LAST_REVIEWED,
    LIMITED_CALLS,
    MACHINES,
    REFUSE,
    UNKNOWN,
    call_filter,
    readable_folder,
)

TABLE = Path(__file__).parent / "data" / "system-calls.txt"
PROCESS = 4242


class Call(NamedTuple):
    """A system call's number, and what becomes of it."""

    number: int
    fate: str


def calls(machine: str) -> dict[str, Call]:
    """All system calls of the machine."""
    column = 1 + list(MACHINES).index(machine)
    rows = [line.split() for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    return {row[0]: Call(int(row[column]), row[3]) for row in rows if row[column] != "-"}


def answer(machine: str, call: int, *arguments: int, audit: int | None = None) -> int:
    """What the filter answers, computed as the kernel does."""
    data = {0: call, 4: MACHINES[machine] if audit is None else audit}
    for at in range(6):
        data[16 + 8 * at] = arguments[at] if at < len(arguments) else 0
    code = call_filter(machine, PROCESS)
    at = value = 0
    while True:
        what, true, false, constant = code[at]
        at += 1
        match what:
            case 0x20:
                value = data[constant] & 0xFFFFFFFF
            case 0x15:
                at += true if value == constant else false
            case 0x35:
                at += true if value >= constant else false
            case 0x45:
                at += true if value & constant else false
            case 0x06:
                return constant
            case _:
                raise AssertionError(what)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_answers_every_call_as_the_table_says(machine: str) -> None:
    known = calls(machine)
    assert {name for name, call in known.items() if call.fate == "limit"} == set(LIMITED_CALLS)
    for name, numbers in LIMITED_CALLS.items():
        assert known[name].number == numbers[list(MACHINES).index(machine)]
    answers = {"allow": ALLOW, "refuse": REFUSE, "hide": UNKNOWN}
    wrong = {
        name
        for name, call in known.items()
        if call.fate != "limit" and answer(machine, call.number) != answers[call.fate]
    }
    assert wrong == set()


@pytest.mark.parametrize("machine", MACHINES)
def test_newer_calls_do_not_exist_and_other_machines_are_refused(machine: str) -> None:
    known = calls(machine)
    assert max(call.number for call in known.values()) == LAST_REVIEWED
    assert answer(machine, LAST_REVIEWED + 1) == UNKNOWN
    for audit in (0x40000003, 0x40000028, 0xC00000F3):
        assert answer(machine, known["getpid"].number, audit=audit) == REFUSE
    assert answer(machine, FIRST_X32) == REFUSE
    assert answer(machine, FIRST_X32 | known["getpid"].number) == REFUSE


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("call", "arguments", "result"),
    [
        ("clone", (0x3D0F00,), ALLOW),  # a thread
        ("clone", (0x1200011,), REFUSE),  # fork
        ("clone", (0x4111,), REFUSE),  # posix_spawn
        ("clone", (0x10000000 | 0x3D0F00,), REFUSE),
        ("fcntl", (5, 4, 0x800), ALLOW),
        ("fcntl", (5, 8, 1), REFUSE),  # F_SETOWN, to be signalled
        ("fcntl", (5, 10, 9), REFUSE),  # F_SETSIG
        ("ioctl", (2, 0x5413), ALLOW),
        ("ioctl", (2, 0x5412), REFUSE),  # TIOCSTI, which types
        ("ioctl", (2, 0x541C), REFUSE),  # TIOCLINUX, which pastes
        ("ioctl", (2, 0x8901), REFUSE),  # FIOSETOWN
        ("prctl", (15,), ALLOW),
        ("prctl", (4, 1), REFUSE),  # to be dumped again
        ("prlimit64", (0, 7), ALLOW),
        ("prlimit64", (1, 7), REFUSE),
        ("socketpair", (1, 0x80001), ALLOW),
        ("socketpair", (1, 2), REFUSE),
        ("tgkill", (PROCESS, PROCESS, 6), ALLOW),
        ("tgkill", (1, 1, 9), REFUSE),
    ],
)
def test_some_calls_are_limited(machine: str, call: str, arguments: tuple[int, ...], result: int) -> None:
    assert answer(machine, calls(machine)[call].number, *arguments) == result


CONFINED = """
import ctypes, json, os, resource, signal, socket, sys, threading
from cartino_server.process import disable_core_dumps
from cartino_server.sandbox import enter_sandbox
from cartino_server.metrics.runtime import resident_bytes

def tried(what):
    try:
        what()
    except OSError as error:
        return type(error).__name__
    return "done"

here, door = sys.argv[1], int(sys.argv[2])
disable_core_dumps()
kept = open(f"{here}/kept", "w")
inherited = socket.socket(socket.AF_UNIX)
pair = socket.socketpair()
import pack
confined = enter_sandbox()
import pack.later
found = {
    "reads": tried(lambda: open(f"{here}/file").read()),
    "lists": tried(lambda: os.listdir(here)),
    "writes": tried(lambda: open(f"{here}/new", "w")),
    "removes": tried(lambda: os.unlink(f"{here}/file")),
    "truncates": tried(lambda: os.truncate(f"{here}/file", 0)),
    "empties": tried(lambda: os.ftruncate(kept.fileno(), 0)),
    "permits": tried(lambda: os.chmod(f"{here}/file", 0o777)),
    "gives away": tried(lambda: os.chown(f"{here}/file", os.getuid(), os.getgid())),
    "dates": tried(lambda: os.utime(f"{here}/file", (1, 1))),
    "marks": tried(lambda: os.setxattr(f"{here}/file", "user.mark", b"x")),
    "connects": tried(lambda: socket.create_connection(("127.0.0.1", door))),
    "asks": tried(lambda: inherited.connect(f"{here}/hatch")),
    "opens": tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)),
    "posts": tried(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)),
    "runs": tried(lambda: os.execv(sys.executable, [sys.executable, "-c", "pass"])),
    "spawns": tried(lambda: os.posix_spawn("/bin/true", ["true"], {})),
    "forks": tried(os.fork),
    "signals": tried(lambda: os.kill(os.getppid(), 0)),
    "limits": tried(lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CORE)),
}
libc = ctypes.CDLL(None, use_errno=True)
def errno_of(number):
    ctypes.set_errno(0)
    assert libc.syscall(ctypes.c_long(number), *[ctypes.c_long(-1)] * 6) == -1, number
    return ctypes.get_errno()
calls = {number: errno_of(number) for number in json.loads(sys.argv[3])}
kept.write("still open")
kept.close()
pair[0].send(b"x")
assert pair[1].recv(1) == b"x"
import zoneinfo, sched
resident_bytes()
begun = threading.Thread(target=socket.socketpair)
begun.start()
begun.join()
dumpable = libc.prctl(3, 0, 0, 0, 0)
told = {"abi": confined.landlock, "filtered": confined.calls, "dumpable": dumpable, "calls": calls}
print(json.dumps({"found": found, "core": resource.getrlimit(resource.RLIMIT_CORE), **told}))
"""


def confined(place: Path, numbers: list[int]) -> dict[str, object]:
    """What a confined process could do to `place`, of its module path, and what the system calls `numbers` answered."""
    (place / "file").write_text("x")
    (place / "pack").mkdir()
    for name in ("__init__", "later"):
        (place / "pack" / f"{name}.py").touch()
    # As a checkout that holds the data directory is.
    environment = {**os.environ, "PYTHONPATH": str(place)}
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(socket.AF_UNIX) as admin_socket:
        admin_socket.bind(str(place / "hatch"))
        admin_socket.listen()
        told = str(place), str(listener.getsockname()[1]), json.dumps(numbers)
        words = [sys.executable, "-P", "-c", CONFINED, *told]
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.stderr == ""
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can")
def test_it_keeps_open_files_and_modules_and_loses_the_rest(tmp_path: Path) -> None:
    before = os.stat(tmp_path)
    found = confined(tmp_path, [])
    assert (found["core"], found["dumpable"], found["filtered"]) == ([0, 0], 0, True)
    outcomes = found["found"]
    assert isinstance(outcomes, dict)
    # Opening files is Landlock's part, which old kernels lack.
    allowed = set() if found["abi"] else {"reads", "lists", "writes"}
    assert {name for name, outcome in outcomes.items() if outcome != "PermissionError"} == allowed
    assert (tmp_path / "kept").read_text() == "still open"
    assert (tmp_path / "file").read_text() == "x"
    assert os.stat(tmp_path).st_mode == before.st_mode


def test_data_in_a_folder_that_workers_read_is_found(tmp_path: Path) -> None:
    site = Path(msgspec.__file__).parents[1]
    (tmp_path / "link").symlink_to(site)
    package = Path(cartino_server.__file__).parent
    for inside in (site / "data", tmp_path / "link" / "data", package / "data"):
        assert readable_folder(inside)
    for outside in (tmp_path, package.parent / "data", Path(sys.prefix) / "data"):
        assert readable_folder(outside) == ""


def refused_here() -> Iterator[int]:
    """The numbers of the calls that are refused on this machine, also as calls of the x32 ABI."""
    known = calls(platform.machine())
    # Without arguments that are allowed, limited calls are refused as well.
    yield from (call.number for call in known.values() if call.fate in {"refuse", "limit"})
    if platform.machine() == "x86_64":
        yield from (FIRST_X32 | known[name].number for name in ("getpid", "chmod", "unshare"))


@pytest.mark.skipif(sys.platform != "linux" or platform.machine() not in MACHINES, reason="only Linux can")
def test_every_refused_call_answers_that_it_is_not_permitted(tmp_path: Path) -> None:
    refused = list(refused_here())
    unknown = [CLONE3, LAST_REVIEWED + 1, 1000]
    told = confined(tmp_path, [*refused, *unknown])["calls"]
    # EPERM and ENOSYS
    assert told == {str(number): 1 for number in refused} | {str(number): 38 for number in unknown}
