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
from tests.support.race_table import filled, finished, move
from tests.support.table_storm import Table, looks

GAMES: list[AnyGame] = [Race(), Cartino()]


@given(st.sampled_from(GAMES), st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_what_was_undone_leaves_no_trace(game: AnyGame, seed: int) -> None:
    async def storm() -> None:
        journals = MemoryJournal(), MemoryJournal()
        tables = [Table(game, Random(seed), journal) for journal in journals]
        chances = [Random(seed + 1), Random(seed + 1)]
        for _ in range(40):
            first, second = (
                game_table.deed(chance) for game_table, chance in zip(tables, chances, strict=True)
            )
            table, time = tables[0].table, tables[0].world.time
            value, before = table.table, looks(table)
            first()
            table.table = value
            tables[0].world.time = time
            assert looks(table) == before
            first()
            second()
            for game_table in tables:
                if game_table.saver.is_behind:
                    await game_table.saver.save()
            assert looks(tables[0].table) == looks(tables[1].table)
        assert journals[0].games == journals[1].games

    asyncio.run(storm())


async def test_an_entry_holds_what_is_new_and_nothing_else(journal: MemoryJournal) -> None:
    table = filled("ann", "bob", goal="9")
    saver = LiveSaver(table, journal, lambda: 7.0)
    await saver.save()
    assert not saver.is_behind
    assert move(table, "ann", Add(1)) is None
    table.say("ann", "hello")
    await saver.save()
    first, second = (read_entry(body) for body in journal.table("AAAA").bodies)
    assert first.facts is not None
    assert (len(first.lines), first.said) == (3, ())
    assert (second.at, second.number, second.facts) == (7.0, table.number, None)
    assert [bytes(line) for line in second.lines] == [b'{"type":"add","seat":0,"n":1}']
    assert [line.text for line in second.said] == ["hello"]


async def test_who_comes_to_watch_or_goes_writes_nothing(journal: MemoryJournal) -> None:
    table = filled("ann", "bob", goal="9")
    saver = LiveSaver(table, journal, lambda: 0.0)
    await saver.save()
    table.watch("eve", "eve")
    table.leave("eve")
    table.cut_off("bob")
    table.join("bob", "bob")
    assert not saver.is_behind


async def test_a_game_that_is_over_is_listed_once(journal: MemoryJournal) -> None:
    table = finished("ann", "bob")
    saver = LiveSaver(table, journal, lambda: 0.0)
    await saver.save()
    table.say("bob", "well played")
    await saver.save()
    ending = journal.table("AAAA").ending
    assert ending is not None
    assert (ending.seats, ending.persons, ending.winners) == (("ann", "bob"), ("ann", "bob"), (0,))
    assert [write.ending is None for (write,) in journal.writes] == [False, True]


async def test_a_rematch_is_a_game_of_its_own_that_begins_with_what_was_said(journal: MemoryJournal) -> None:
    table = finished("ann", "bob")
    saver = LiveSaver(table, journal, lambda: 0.0)
    table.say("bob", "again?")
    await saver.save()
    for person in ("ann", "bob"):
        assert table.rematch(person) is None
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
    table = filled("ann", "bob", goal="9")
    saver = LiveSaver(table, journal, lambda: 0.0)
    journal.fail = NotSaved("the disk is full")
    with pytest.raises(NotSaved):
        await saver.save()
    assert saver.is_behind
    journal.fail = None
    await saver.save()
    assert len(read_entry(journal.table("AAAA").bodies[0]).lines) == 3


async def test_a_round_that_can_t_be_saved_takes_one_number(journal: MemoryJournal) -> None:
    table = finished("ann", "bob")
    saver = LiveSaver(table, journal, World().ports().clock)
    await saver.save()
    for name in ("ann", "bob"):
        table.rematch(name)
    journal.fail = NotSaved("the disk is full")
    for _ in range(3):
        with pytest.raises(NotSaved):
            await saver.save()
    journal.fail = None
    await saver.save()
    assert journal.number("ZZZZ") == saver.saver.game + 1
