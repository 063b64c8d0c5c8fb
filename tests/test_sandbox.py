"""A process that gives up the file system keeps what Python needs, and nothing else."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux can")

GIVES_UP = """
import ctypes, json, os, resource, signal, socket, sys, threading
from cartino_server.process import enter_sandbox, disable_core_dumps
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
confined = enter_sandbox()
found = {
    "reads": tried(lambda: open(f"{here}/file").read()),
    "lists": tried(lambda: os.listdir(here)),
    "writes": tried(lambda: open(f"{here}/new", "w")),
    "removes": tried(lambda: os.unlink(f"{here}/file")),
    "connects": tried(lambda: socket.create_connection(("127.0.0.1", door))),
    "asks": tried(lambda: inherited.connect(f"{here}/hatch")),
    "opens": tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)),
    "runs": tried(lambda: os.execv(sys.executable, [sys.executable, "-c", "pass"])),
    "signals": tried(lambda: os.kill(os.getppid(), 0)),
}
kept.write("still open")
kept.close()
pair[0].send(b"x")
assert pair[1].recv(1) == b"x"
import zoneinfo, sched
resident_bytes()
dumpable = ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)
told = {"abi": confined.landlock, "sockets": confined.sockets, "dumpable": dumpable}
print(json.dumps({**found, **told, "core": resource.getrlimit(resource.RLIMIT_CORE)}))
"""


def test_it_keeps_open_files_and_modules_and_loses_the_rest(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(socket.AF_UNIX) as admin_socket:
        admin_socket.bind(str(tmp_path / "hatch"))
        admin_socket.listen()
        words = [sys.executable, "-P", "-c", GIVES_UP, str(tmp_path), str(listener.getsockname()[1])]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert found.pop("core") == [0, 0]
    assert (found.pop("dumpable"), found.pop("sockets")) == (0, True)
    abi = found.pop("abi")
    if not abi:
        pytest.skip("the kernel has no Landlock")
    allowed = {"signals"} if abi < 6 else set()
    assert {name for name, outcome in found.items() if outcome != "PermissionError"} == allowed
    assert (tmp_path / "kept").read_text() == "still open"
    assert (tmp_path / "file").exists()
