"""The real ports, and the marks of authors."""

import re
from datetime import datetime

import pytest

from cartino_protocol.base import CODE_LENGTH, PRIVATE_CODE_LENGTH, parse_code
from cartino_server import environment
from cartino_server.environment import MARK_LETTERS, AuthorMarks, Ports
from cartino_server.lobby.background_tasks import STALL, ServerClock

ANN = "SHA256:AAAAC3NzaC1lZDI1NTE5AAAAIHp0"


def test_the_time_is_rfc_3339_in_utc() -> None:
    now = Ports().now()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", now)
    assert datetime.fromisoformat(now).utcoffset() is not None


@pytest.mark.parametrize("letters", [CODE_LENGTH, PRIVATE_CODE_LENGTH])
def test_codes_are_codes_and_differ(letters: int) -> None:
    codes = {Ports().random_code(letters) for _ in range(50)}
    assert len(codes) > 40
    assert all(parse_code(code) == code and len(code) == letters for code in codes)


def test_entropy_is_as_long_as_asked_for_and_not_the_same_twice() -> None:
    entropy = Ports().entropy
    assert len(entropy(32)) == 32
    assert entropy(32) != entropy(32)


async def test_a_process_that_stands_still_is_charged_next_to_nothing() -> None:
    now = 5.0
    clock = ServerClock(100.0, lambda: now)
    now += 7
    assert clock() == 107, "nobody looks yet"
    clock.watch()
    for _ in range(4):
        now += STALL / 2
        clock.watch()
    assert clock() == 107 + 2 * STALL
    now += 20
    assert clock() == 107 + 3 * STALL, "whoever reads it first"
    clock.watch()
    assert clock() == 107 + 3 * STALL
    now += STALL / 2
    assert clock() == 107 + 3.5 * STALL


def test_a_mark_is_short_and_the_same_ever_after_for_the_key_alone() -> None:
    one, other = AuthorMarks(b"key"), AuthorMarks(b"key")
    mark = one.mark(ANN)
    assert mark == other.mark(ANN) == one.mark(ANN)
    assert (len(mark), mark.isascii(), mark.isalnum()) == (MARK_LETTERS, True, True)
    assert one.mark("") == ""
    assert len({AuthorMarks(key).mark(ANN) for key in (b"key", b"other", b"", b"")}) == 4
    assert len({one.mark(f"person {number}") for number in range(5000)}) == 5000


def test_the_server_knows_whose_a_mark_is_for_as_many_as_it_remembers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(environment, "MAX_MARKS", 2)
    server = AuthorMarks(b"key")
    marks = {person: server.mark(person) for person in ("ann", "bob")}
    assert server.person(marks["ann"]) == "ann"
    for person in ("ann", "eve"):
        server.mark(person)
    assert [server.person(marks[person]) for person in ("bob", "ann")] == [None, "ann"]
    assert server.mark("bob") == marks["bob"]
    assert server.person("zzzzzzzz") is None
