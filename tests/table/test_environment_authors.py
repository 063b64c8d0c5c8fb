"""Marks of authors: the same for the same person and key, different for others, and no way back to the id."""

import pytest

from cartino_server.table import environment
from cartino_server.table.environment import MARK_LETTERS, AuthorMarks

ANN = "SHA256:AAAAC3NzaC1lZDI1NTE5AAAAIHp0"


def test_a_mark_is_short_and_the_same_ever_after() -> None:
    one, other = AuthorMarks(b"key"), AuthorMarks(b"key")
    mark = one.mark(ANN)
    assert mark == other.mark(ANN) == one.mark(ANN)
    assert (len(mark), mark.isascii(), mark.isalnum()) == (MARK_LETTERS, True, True)
    assert one.mark("") == ""


def test_without_the_key_nobody_makes_it() -> None:
    assert len({AuthorMarks(key).mark(ANN) for key in (b"key", b"other", b"", b"")}) == 4


def test_people_have_marks_of_their_own() -> None:
    server = AuthorMarks(b"key")
    assert len({server.mark(f"person {number}") for number in range(5000)}) == 5000


def test_the_server_knows_whose_a_mark_is_for_as_many_as_it_remembers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(environment, "MAX_MARKS", 2)
    server = AuthorMarks(b"key")
    marks = {person: server.mark(person) for person in ("ann", "bob")}
    assert server.person(marks["ann"]) == "ann"
    server.mark("ann")
    server.mark("eve")
    assert server.person(marks["bob"]) is None
    assert server.person(marks["ann"]) == "ann"
    assert server.mark("bob") == marks["bob"]
    assert server.person("zzzzzzzz") is None
