"""Every command that is said at a table does what it says there."""

from typing import get_args

import pytest

from cartino_protocol.commands import Act, Cut, Lead, Pause, Rematch, Say, Sit, Stand, Start
from cartino_protocol.refusals import RefusalReason
from cartino_protocol.wire import encode_raw
from cartino_server.table.participants import TableCommand
from tests.support.race import Add
from tests.support.race_table import a_room, filled, finished, heard

MOVE = Act(1, encode_raw(Add(1)))
OPEN: list[tuple[TableCommand, RefusalReason | None]] = [
    (Say("hello"), None),
    (Say("\n"), "bad-text"),
    (Cut("here"), None),
    (Sit(2), "seated"),
    (Stand(), None),
    (Start(), "too-few"),
    (MOVE, "not-playing"),
    (Pause(True), "not-playing"),
    (Rematch(), "not-finished"),
    (Lead(1), "not-finished"),
]


@pytest.mark.parametrize(("command", "reason"), OPEN)
def test_at_an_open_table(command: TableCommand, reason: RefusalReason | None) -> None:
    table = a_room(3)
    assert table.join("ann", "ann") is None
    refusal = table.answer("ann", command)
    assert (None if refusal is None else refusal.reason) == reason


def test_each_does_its_own_thing() -> None:
    table = a_room(3)
    for name in ("ann", "bob"):
        assert table.join(name, name) is None
    assert table.answer("bob", Stand()) is None
    assert table.seating.seat_of("bob") is None
    assert table.answer("bob", Sit(2)) is None
    assert table.seating.seat_of("bob") == 2
    assert table.answer("bob", Cut("here")) is None
    assert table.seating.chairs[2].cut == "here"
    assert table.answer("bob", Say("hello")) is None
    assert heard(table)[-1] == "hello"
    assert table.answer("ann", Start()) is None
    assert table.number == 1


def test_in_a_running_game() -> None:
    table = filled("ann", "bob", goal="9")
    assert table.answer("ann", MOVE) is None
    assert table.number == 2
    for name in ("ann", "bob"):
        assert table.answer(name, Pause(True)) is None
    assert table.is_paused


def test_after_it() -> None:
    table = finished("ann", "bob")
    assert table.answer("bob", Lead(1)) is None
    assert table.led == ("bob", 1)
    for name in ("ann", "bob"):
        assert table.answer(name, Rematch()) is None
    assert table.round == 1


def test_these_are_all_of_them() -> None:
    assert {type(command) for command, _ in OPEN} == set(get_args(TableCommand))
