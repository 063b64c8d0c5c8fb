"""The games at one table, one after the other: their states, seeds, numbers, and the way back from each."""

import hashlib

from tests.support.live_table import LiveTable
from tests.support.race import Add
from tests.support.race_room import a_room, filled, finished, move, names


def again(room: LiveTable, *people: str) -> None:
    """All of them want another game."""
    for person in people:
        assert room.rematch(person) is None


def hash_of(seed: str) -> str:
    """What promises that seed (hex)."""
    return hashlib.sha256(bytes.fromhex(seed)).hexdigest()


def test_the_seed_is_promised_before_the_deal_and_told_after_the_end() -> None:
    room = a_room()
    promise = room.commitment
    assert (room.seed, room.next_commitment) == ("", "")
    for person in ("ann", "bob"):
        assert room.join(person, person) is None
    assert (room.commitment, room.seed) == (promise, "")
    assert move(room, "ann", Add(3)) is None
    assert hash_of(room.seed) == promise
    assert room.next_commitment not in {"", promise}


def test_the_rematch_is_dealt_from_the_seed_that_was_promised_for_it() -> None:
    room = finished("ann", "bob")
    promise = room.next_commitment
    again(room, "ann", "bob")
    assert (room.commitment, room.round, names(room)) == (promise, 1, ["bob", "ann"])
    assert move(room, "bob", Add(3)) is None
    assert hash_of(room.seed) == promise


def test_numbers_go_on_from_game_to_game() -> None:
    room = finished("ann", "bob")
    last = room.number
    again(room, "ann", "bob")
    assert room.number == last + 1


def test_with_a_player_gone_the_next_game_waits_for_another() -> None:
    room = finished("ann", "bob")
    room.leave("bob")
    again(room, "ann")
    assert (room.state, room.round, room.running) == ("open", 1, None)
    assert names(room) == ["", "ann"]


def test_a_rematch_that_is_undone_leaves_the_game_before_as_it_was() -> None:
    room = finished("ann", "bob")
    assert room.match is not None
    before, game, record = room.table, room.match, room.match.export()
    again(room, "ann", "bob")
    assert move(room, "bob", Add(1)) is None
    room.table = before
    assert room.match is game
    assert room.match.export() == record
    assert (room.state, room.round, names(room)) == ("finished", 0, ["ann", "bob"])


def test_an_end_that_is_undone_tells_no_seed() -> None:
    room = filled("ann", "bob")
    before, promise = room.table, room.commitment
    assert move(room, "ann", Add(3)) is None
    room.table = before
    assert (room.state, room.seed, room.next_commitment) == ("playing", "", "")
    assert room.commitment == promise
    assert room.match is not None
    assert b'"seed"' not in room.match.export()
