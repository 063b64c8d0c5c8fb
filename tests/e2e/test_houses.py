"""The instruments by which scripts know a server notice what they are there for."""

import socket
from pathlib import Path

import pytest

from cartino_server.ssh.admission import AdmissionRefused
from cartino_server.ssh.rejection import disconnect_packet
from tests.support import ssh_world
from tests.support.knocks import GREETING, was_let_in
from tests.support.logged import Connections, connections, lines
from tests.support.ports import never_given, own_port

pytestmark = pytest.mark.e2e

TEXT = """\
2026-11-22T03:35:57.661205Z [info     ] came in connection=1 peer=192.0.2.1 person=SHA256:x
2026-11-22T03:35:57.661206Z [info     ] was refused connection=2 peer=192.0.2.9 person='' why='The house is full.'
Traceback (most recent call last):
2026-11-22T03:35:57.661207Z [info     ] left connection=2 peer=192.0.2.9 person='' why=
2026-11-22T03:35:57.661208Z [info     ] left connection=3 peer=192.0.2.9 why='came in connection=7 '
2026-11-22T03:35:57.661209Z [info     ] left connection=1 peer=192.0.2.1"""
JSON = """\
{"connection": 1, "peer": "192.0.2.1", "event": "came in", "person": "SHA256:x"}
{"connection": 2, "peer": "192.0.2.9", "event": "was refused", "why": "The house is full."}
{"connection": 2, "peer": "192.0.2.9", "event": "left"}
{"connection": 3, "peer": "192.0.2.9", "event": "left"}
{"connection": 1, "peer": "192.0.2.1", "ev"""


@pytest.mark.parametrize("log", [TEXT, JSON])
def test_who_is_here_by_the_log(log: str) -> None:
    known = connections(log)
    assert known == Connections({"1", "2"}, {"2", "3"})
    # The last line is not whole yet.
    assert known.here == {"1"}
    assert connections(log, "192.0.2.9") == Connections({"2"}, {"2", "3"})
    assert lines(log)[1].fields["why"] == "The house is full."


def test_who_is_let_in_by_what_they_heard() -> None:
    assert was_let_in(GREETING + b"\0\0\1\0\4\x14")
    for heard in (
        b"",
        GREETING,
        GREETING + b"\0\0\1\0\4",
        disconnect_packet(AdmissionRefused("files")),
        b"\0\0\1\0\4\x14",
    ):
        assert not was_let_in(heard)


@pytest.mark.parametrize(
    ("told", "ports"),
    [
        ("32768\t60999\n", range(12_000, 32_768)),
        ("20000 60999", range(12_000, 20_000)),
        ("49152 65535", range(12_000, 32_768)),
        ("1024 65535", range(12_000, 32_768)),
        ("", range(12_000, 32_768)),
    ],
)
def test_ports_that_nobody_is_given(told: str, ports: range) -> None:
    assert never_given(told) == ports


def test_no_port_is_given_twice_nor_one_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", own_port())) as taken:
        given = [own_port() for _ in range(200)]
        assert taken.getsockname()[1] not in given
    assert len(set(given)) == 200


def test_a_server_whose_port_another_has_takes_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        free = own_port()
        ports = iter([taken.getsockname()[1], free])
        monkeypatch.setattr(ssh_world, "own_port", lambda: next(ports))
        server = ssh_world.Server(tmp_path)
        try:
            assert f":{free}, host key" in server.greeting
        finally:
            server.ends_well()
