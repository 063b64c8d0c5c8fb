"""What a table writes is what is new of it; what was undone leaves no trace, at the table or in the journal."""

import asyncio
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_engine.port import AnyGame
from cartino_games.cartino.rules.game import Cartino
from cartino_server.store.port import NotSaved
from cartino_server.table.saving import read_entry
from tests.support.game_server import World
from tests.support.journal import MemoryJournal
from tests.support.live_table import LiveSaver
from tests.support.race import Add, Race
from tests.support.race_room import filled, finished, move
from tests.support.room_storm import Table, looks

GAMES: list[AnyGame] = [Race(), Cartino()]


@given(st.sampled_from(GAMES), st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_what_was_undone_leaves_no_trace(game: AnyGame, seed: int) -> None:
    async def storm() -> None:
        journals = MemoryJournal(), MemoryJournal()
        tables = [Table(game, Random(seed), journal) for journal in journals]
        chances = [Random(seed + 1), Random(seed + 1)]
        for _ in range(40):
            first, second = (table.deed(chance) for table, chance in zip(tables, chances, strict=True))
            room, time = tables[0].room, tables[0].world.time
            value, before = room.table, looks(room)
            first()
            room.table = value
            tables[0].world.time = time
            assert looks(room) == before
            first()
            second()
            for table in tables:
                if table.saver.is_behind:
                    await table.saver.save()
            assert looks(tables[0].room) == looks(tables[1].room)
        assert journals[0].games == journals[1].games

    asyncio.run(storm())


async def test_an_entry_holds_what_is_new_and_nothing_else(journal: MemoryJournal) -> None:
    room = filled("ann", "bob", goal="9")
    saver = LiveSaver(room, journal, lambda: 7.0)
    await saver.save()
    assert not saver.is_behind
    assert move(room, "ann", Add(1)) is None
    room.say("ann", "hello")
    await saver.save()
    first, second = (read_entry(body) for body in journal.table("AAAA").bodies)
    assert first.facts is not None
    assert (len(first.lines), first.said) == (3, ())
    assert (second.at, second.number, second.facts) == (7.0, room.number, None)
    assert [bytes(line) for line in second.lines] == [b'{"type":"add","seat":0,"n":1}']
    assert [line.text for line in second.said] == ["hello"]


async def test_who_comes_to_watch_or_goes_writes_nothing(journal: MemoryJournal) -> None:
    room = filled("ann", "bob", goal="9")
    saver = LiveSaver(room, journal, lambda: 0.0)
    await saver.save()
    room.watch("eve", "eve")
    room.leave("eve")
    room.cut_off("bob")
    room.join("bob", "bob")
    assert not saver.is_behind


async def test_a_game_that_is_over_is_listed_once(journal: MemoryJournal) -> None:
    room = finished("ann", "bob")
    saver = LiveSaver(room, journal, lambda: 0.0)
    await saver.save()
    room.say("bob", "well played")
    await saver.save()
    ending = journal.table("AAAA").ending
    assert ending is not None
    assert (ending.seats, ending.persons, ending.winners) == (("ann", "bob"), ("ann", "bob"), (0,))
    assert [write.ending is None for (write,) in journal.writes] == [False, True]


async def test_a_rematch_is_a_game_of_its_own_that_begins_with_what_was_said(journal: MemoryJournal) -> None:
    room = finished("ann", "bob")
    saver = LiveSaver(room, journal, lambda: 0.0)
    room.say("bob", "again?")
    await saver.save()
    for person in ("ann", "bob"):
        assert room.rematch(person) is None
    await saver.save()
    old, new = journal.games.values()
    assert (old.state, new.state, new.ending) == ("closed", "open", None)
    entry = read_entry(new.bodies[0])
    assert [line.text for line in entry.said] == ["again?"]
    assert entry.facts is not None
    assert b'"game"' in bytes(entry.lines[0])
    # Both are written at once: there is no moment with neither or with two.
    assert [write.state for write in journal.writes[-1]] == ["closed", "open"]


async def test_what_could_not_be_saved_is_still_new(journal: MemoryJournal) -> None:
    room = filled("ann", "bob", goal="9")
    saver = LiveSaver(room, journal, lambda: 0.0)
    journal.fail = NotSaved("the disk is full")
    with pytest.raises(NotSaved):
        await saver.save()
    assert saver.is_behind
    journal.fail = None
    await saver.save()
    assert len(read_entry(journal.table("AAAA").bodies[0]).lines) == 3


async def test_a_round_that_can_t_be_saved_takes_one_number(journal: MemoryJournal) -> None:
    room = finished("ann", "bob")
    saver = LiveSaver(room, journal, World().ports().clock)
    await saver.save()
    for name in ("ann", "bob"):
        room.rematch(name)
    journal.fail = NotSaved("the disk is full")
    for _ in range(3):
        with pytest.raises(NotSaved):
            await saver.save()
    journal.fail = None
    await saver.save()
    assert journal.number("ZZZZ") == saver.saver.game + 1
