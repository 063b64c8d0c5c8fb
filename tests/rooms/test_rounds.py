"""The games at one table, one after the other: their states, seeds, numbers, and the way back from each."""

import hashlib

from cartino_server.table.state import TableState
from tests.support.race import Add
from tests.support.race_room import a_room, filled, finished, move, names


def again(room: TableState, *people: str) -> None:
    """All of them want another game."""
    for person in people:
        assert room.rematch(person) is None


def hash_of(seed: str) -> str:
    """What promises that seed (hex)."""
    return hashlib.sha256(bytes.fromhex(seed)).hexdigest()


def test_the_seed_is_promised_before_the_deal_and_told_after_the_end() -> None:
    room = a_room()
    promise = room.rounds.commitment
    assert (room.rounds.seed, room.rounds.next_commitment) == ("", "")
    for person in ("ann", "bob"):
        assert room.join(person, person) is None
    assert (room.rounds.commitment, room.rounds.seed) == (promise, "")
    assert move(room, "ann", Add(3)) is None
    assert hash_of(room.rounds.seed) == promise
    assert room.rounds.next_commitment not in {"", promise}


def test_the_rematch_is_dealt_from_the_seed_that_was_promised_for_it() -> None:
    room = finished("ann", "bob")
    promise = room.rounds.next_commitment
    again(room, "ann", "bob")
    assert (room.rounds.commitment, room.rounds.count, names(room)) == (promise, 1, ["bob", "ann"])
    assert move(room, "bob", Add(3)) is None
    assert hash_of(room.rounds.seed) == promise


def test_numbers_go_on_from_game_to_game() -> None:
    room = finished("ann", "bob")
    last = room.number
    again(room, "ann", "bob")
    assert room.number == last + 1


def test_with_a_player_gone_the_next_game_waits_for_another() -> None:
    room = finished("ann", "bob")
    room.leave("bob")
    again(room, "ann")
    assert (room.rounds.state, room.rounds.count, room.rounds.running) == ("open", 1, None)
    assert names(room) == ["", "ann"]


def test_a_rematch_that_is_undone_leaves_the_game_before_as_it_was() -> None:
    room = finished("ann", "bob")
    assert room.play is not None
    mark, game, record = room.mark(), room.play, room.play.export()
    again(room, "ann", "bob")
    assert move(room, "bob", Add(1)) is None
    room.back_to(mark)
    assert room.play is game
    assert room.play.export() == record
    assert (room.rounds.state, room.rounds.count, names(room)) == ("finished", 0, ["ann", "bob"])


def test_an_end_that_is_undone_tells_no_seed() -> None:
    room = filled("ann", "bob")
    mark, promise = room.mark(), room.rounds.commitment
    assert move(room, "ann", Add(3)) is None
    room.back_to(mark)
    assert (room.rounds.state, room.rounds.seed, room.rounds.next_commitment) == ("playing", "", "")
    assert room.rounds.commitment == promise
    assert room.play is not None
    assert b'"seed"' not in room.play.export()
