"""The games at one table, one after the other: their states, seeds, numbers, and the way back from each."""

import hashlib

from tests.support.live_table import LiveTable
from tests.support.race import Add
from tests.support.race_table import a_room, filled, finished, move, names


def again(table: LiveTable, *people: str) -> None:
    """All of them want another game."""
    for person in people:
        assert table.rematch(person) is None


def hash_of(seed: str) -> str:
    """What promises that seed (hex)."""
    return hashlib.sha256(bytes.fromhex(seed)).hexdigest()


def test_the_seed_is_promised_before_the_deal_and_told_after_the_end() -> None:
    table = a_room()
    promise = table.commitment
    assert (table.seed, table.next_commitment) == ("", "")
    for person in ("ann", "bob"):
        assert table.join(person, person) is None
    assert (table.commitment, table.seed) == (promise, "")
    assert move(table, "ann", Add(3)) is None
    assert hash_of(table.seed) == promise
    assert table.next_commitment not in {"", promise}


def test_the_rematch_is_dealt_from_the_seed_that_was_promised_for_it() -> None:
    table = finished("ann", "bob")
    promise = table.next_commitment
    again(table, "ann", "bob")
    assert (table.commitment, table.round, names(table)) == (promise, 1, ["bob", "ann"])
    assert move(table, "bob", Add(3)) is None
    assert hash_of(table.seed) == promise


def test_numbers_go_on_from_game_to_game() -> None:
    table = finished("ann", "bob")
    last = table.number
    again(table, "ann", "bob")
    assert table.number == last + 1


def test_with_a_player_gone_the_next_game_waits_for_another() -> None:
    table = finished("ann", "bob")
    table.leave("bob")
    again(table, "ann")
    assert (table.state, table.round, table.running) == ("open", 1, None)
    assert names(table) == ["", "ann"]


def test_a_rematch_that_is_undone_leaves_the_game_before_as_it_was() -> None:
    table = finished("ann", "bob")
    assert table.match is not None
    before, game, record = table.table, table.match, table.match.export()
    again(table, "ann", "bob")
    assert move(table, "bob", Add(1)) is None
    table.table = before
    assert table.match is game
    assert table.match.export() == record
    assert (table.state, table.round, names(table)) == ("finished", 0, ["ann", "bob"])


def test_an_end_that_is_undone_tells_no_seed() -> None:
    table = filled("ann", "bob")
    before, promise = table.table, table.commitment
    assert move(table, "ann", Add(3)) is None
    table.table = before
    assert (table.state, table.seed, table.next_commitment) == ("playing", "", "")
    assert table.commitment == promise
    assert table.match is not None
    assert b'"seed"' not in table.match.export()
