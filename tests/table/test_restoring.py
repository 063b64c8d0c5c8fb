"""A table is rebuilt from its entries as it was; entries that are not its own make none, and tell nothing."""

import asyncio
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_engine.port import AnyGame
from cartino_engine.replay import read_record, verify
from cartino_games.cartino.rules.game import Cartino
from cartino_server.store.port import StoredGame
from cartino_server.table.participants import return_from_downtime
from cartino_server.table.restoring import CantRestore, record_lines, restore
from cartino_server.table.saving import JournalEntry, write_entry
from cartino_server.table.views import table_line
from tests.oracle.check_cartino import check
from tests.support.game_server import World
from tests.support.journal import MemoryJournal
from tests.support.lasting import steady, words
from tests.support.live_table import LiveSaver, LiveTable
from tests.support.race import Race
from tests.support.table_storm import BOTS, SEED, Table, fixed, looks, play_out

KNOWN: dict[str, AnyGame] = {"race": Race(), "cartino": Cartino()}
SUBSTITUTES = dict.fromkeys(KNOWN, BOTS)


async def stormed(game: AnyGame, seed: int, deeds: int = 60) -> tuple[Table, MemoryJournal]:
    """A table at which much has happened, all of it saved."""
    journal, chance = MemoryJournal(), Random(seed)
    table = Table(game, chance, journal)
    for _ in range(deeds):
        table.deed(chance)()
        if table.saver.is_behind:
            await table.saver.save()
    return table, journal


@given(st.sampled_from(sorted(KNOWN)), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_everybody_sees_what_they_saw_and_play_goes_on_to_the_end(name: str, seed: int) -> None:
    async def storm() -> None:
        game_table, journal = await stormed(KNOWN[name], seed)
        for kept in journal.unfinished():
            saved = restore(kept, KNOWN, SUBSTITUTES, game_table.ports)
            restored = LiveTable.of(return_from_downtime(saved))
            before, after = looks(game_table.table), looks(restored)
            assert before.keys() == after.keys()
            for audience, (table, chat) in before.items():
                shown, heard = after[audience]
                assert steady(shown) == steady(table)
                assert (words(heard), heard.channel) == (words(chat), chat.channel)
            assert (restored.opener, restored.number) == ("ann", game_table.table.number)
            assert restored.seeds == game_table.table.seeds
            if restored.match is not None:
                play_out(restored)
                saver = LiveSaver(restored, journal, game_table.ports.clock, saved, kept.game)
                await saver.save()
                record = record_lines(journal.games[kept.game].bodies)
                assert verify(read_record(record, KNOWN)).seed == SEED.hex()
                if name == "cartino":
                    assert check(record.decode().splitlines()) is None

    asyncio.run(storm())


@given(st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_it_is_the_same_after_two_restarts(seed: int) -> None:
    async def storm() -> None:
        table, journal = await stormed(KNOWN["cartino"], seed)
        for kept in journal.unfinished():
            once = restore(kept, KNOWN, SUBSTITUTES, table.ports)
            live = LiveTable.of(return_from_downtime(once))
            await LiveSaver(live, journal, table.ports.clock, once, kept.game).save()
            (again,) = journal.unfinished()
            twice = restore(again, KNOWN, SUBSTITUTES, table.ports)
            assert looks(LiveTable.of(return_from_downtime(twice))) == looks(live)

    asyncio.run(storm())


async def test_the_storms_reach_every_state_of_a_table() -> None:
    storms = [(await stormed(KNOWN["race"], seed, 120))[0] for seed in range(30)]
    tables = [storm.table for storm in storms]
    assert {table.state for table in tables} == {"open", "playing", "finished"}
    assert any(table.round for table in tables)
    assert any(table.is_paused for table in tables)
    assert any(table.running and table.running.timing.turn.substitutes.playing for table in tables)
    assert any(line.channel == "watchers" for table in tables for line in table.chat_view(True).lines)


def a_game(seed: int) -> StoredGame:
    """What the journal has of a table of Cartino."""
    _, journal = asyncio.run(stormed(KNOWN["cartino"], seed, 80))
    (kept,) = journal.unfinished()
    return kept


@pytest.fixture(scope="module", params=[1, 2, 3, 5, 8])
def kept(request: pytest.FixtureRequest) -> StoredGame:
    """One of several tables."""
    return a_game(request.param)


def hurt(kept: StoredGame, entry: int, body: bytes) -> StoredGame:
    """`kept` with another body in the place of that entry's."""
    bodies = (*kept.bodies[:entry], body, *kept.bodies[entry + 1 :])
    return msgspec.structs.replace(kept, bodies=bodies)


def try_to_restore(kept: StoredGame) -> str:
    """Why it can't be restored; "" where it can, and be shown to everybody."""
    try:
        table = LiveTable.of(return_from_downtime(restore(kept, KNOWN, SUBSTITUTES, fixed(World().ports()))))
    except CantRestore as error:
        return str(error)
    looks(table)
    table_line(table.table)
    return ""


@given(st.data())
@settings(max_examples=120, deadline=None)
def test_a_byte_that_was_flipped_breaks_nothing_else_and_tells_nothing(
    kept: StoredGame, data: st.DataObject
) -> None:
    entry = data.draw(st.integers(0, len(kept.bodies) - 1))
    body = bytearray(kept.bodies[entry])
    body[data.draw(st.integers(0, len(body) - 1))] ^= data.draw(st.integers(1, 255))
    why = try_to_restore(hurt(kept, entry, bytes(body)))
    assert SEED.hex() not in why
    assert '"stones"' not in why
    assert len(why) < 200


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_an_entry_that_is_missing_breaks_nothing_else(kept: StoredGame, data: st.DataObject) -> None:
    entry = data.draw(st.integers(0, len(kept.bodies) - 1))
    bodies = (*kept.bodies[:entry], *kept.bodies[entry + 1 :])
    try_to_restore(msgspec.structs.replace(kept, bodies=bodies))


def test_what_is_no_table_is_none(kept: StoredGame) -> None:
    nothing = write_entry(JournalEntry(0.0, 0))
    for bodies in [(), (b"",), (b"\xff",), (b"[" * 100_000,), (nothing,)]:
        assert try_to_restore(msgspec.structs.replace(kept, bodies=bodies))


def test_a_game_that_nobody_knows_here_is_left_alone(kept: StoredGame) -> None:
    with pytest.raises(CantRestore, match="'cartino' isn't installed here"):
        restore(kept, {"race": Race()}, SUBSTITUTES, World().ports())
