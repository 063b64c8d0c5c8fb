"""Every command that is said at a table does what it says there."""

from typing import get_args

import pytest

from cartino_protocol.commands import Act, Cut, Lead, Pause, Rematch, Say, Sit, Stand, Start
from cartino_protocol.refusals import RefusalReason
from cartino_protocol.wire import encode_raw
from cartino_server.table.participants import TableCommand
from tests.support.race import Add
from tests.support.race_room import a_room, filled, finished, heard

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
    room = a_room(3)
    assert room.join("ann", "ann") is None
    refusal = room.answer("ann", command)
    assert (None if refusal is None else refusal.reason) == reason


def test_each_does_its_own_thing() -> None:
    room = a_room(3)
    for name in ("ann", "bob"):
        assert room.join(name, name) is None
    assert room.answer("bob", Stand()) is None
    assert room.seating.seat_of("bob") is None
    assert room.answer("bob", Sit(2)) is None
    assert room.seating.seat_of("bob") == 2
    assert room.answer("bob", Cut("here")) is None
    assert room.seating.chairs[2].cut == "here"
    assert room.answer("bob", Say("hello")) is None
    assert heard(room)[-1] == "hello"
    assert room.answer("ann", Start()) is None
    assert room.number == 1


def test_in_a_running_game() -> None:
    room = filled("ann", "bob", goal="9")
    assert room.answer("ann", MOVE) is None
    assert room.number == 2
    for name in ("ann", "bob"):
        assert room.answer(name, Pause(True)) is None
    assert room.is_paused


def test_after_it() -> None:
    room = finished("ann", "bob")
    assert room.answer("bob", Lead(1)) is None
    assert room.led == ("bob", 1)
    for name in ("ann", "bob"):
        assert room.answer(name, Rematch()) is None
    assert room.round == 1


def test_these_are_all_of_them() -> None:
    assert {type(command) for command, _ in OPEN} == set(get_args(TableCommand))
