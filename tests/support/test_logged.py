"""Connections in a server's log."""

import pytest

from tests.support.logged import Connections, connections, lines

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
