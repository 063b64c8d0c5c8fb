"""A table is rebuilt from its entries as it was, whatever release wrote them; others make none, and tell nothing."""

import asyncio
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from cartino_engine.port import AnyGame
from cartino_engine.replay import read_record, verify
from cartino_games.cartino.rules.game import Cartino
from cartino_protocol.wire import encode
from cartino_server.store.port import StoredGame
from cartino_server.table.participants import return_from_downtime
from cartino_server.table.restoring import CantRestore, record_lines, restore
from cartino_server.table.saving import FORMAT, JournalEntry, facts_of, read_entry, write_entry
from cartino_server.table.state import TableState
from cartino_server.table.views import table_line
from tests.oracle.check_cartino import check
from tests.support import golden_entries
from tests.support.game_server import World
from tests.support.games import GAMES
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
@settings(max_examples=30)
def test_everybody_sees_what_they_saw_and_play_goes_on_to_the_end(name: str, seed: int) -> None:
    async def storm() -> None:
        table, journal = await stormed(KNOWN[name], seed)
        for kept in journal.unfinished():
            saved = restore(kept, KNOWN, SUBSTITUTES, table.ports)
            restored = LiveTable.of(return_from_downtime(saved))
            before, after = looks(table.table), looks(restored)
            assert before.keys() == after.keys()
            for audience, (view, chat) in before.items():
                shown, heard = after[audience]
                assert steady(shown) == steady(view)
                assert (words(heard), heard.channel) == (words(chat), chat.channel)
            assert (restored.opener, restored.number) == ("ann", table.table.number)
            assert restored.seeds == table.table.seeds
            saver = LiveSaver(restored, journal, table.ports.clock, saved, kept.game)
            await saver.save()
            (again,) = journal.unfinished()
            twice = return_from_downtime(restore(again, KNOWN, SUBSTITUTES, table.ports))
            assert looks(LiveTable.of(twice)) == after
            if restored.match is not None:
                play_out(restored)
                await saver.save()
                record = record_lines(journal.games[kept.game].bodies)
                assert verify(read_record(record, KNOWN)).seed == SEED.hex()
                if name == "cartino":
                    assert check(record.decode().splitlines()) is None

    asyncio.run(storm())


async def test_the_storms_reach_every_state_of_a_table() -> None:
    storms = [(await stormed(KNOWN["race"], seed, 120))[0] for seed in range(30)]
    tables = [storm.table for storm in storms]
    assert {table.state for table in tables} == {"open", "playing", "finished"}
    assert any(table.round for table in tables)
    assert any(table.is_paused for table in tables)
    assert any(table.running and table.running.timing.turn.substitutes.playing for table in tables)
    assert any(line.channel == "watchers" for table in tables for line in table.chat_view(True).lines)


@pytest.fixture(scope="module", params=[1, 2, 3, 5, 8])
def kept(request: pytest.FixtureRequest) -> StoredGame:
    """What the journal has of one of several tables of Cartino."""
    _, journal = asyncio.run(stormed(KNOWN["cartino"], request.param, 80))
    (kept,) = journal.unfinished()
    return kept


def with_entry(kept: StoredGame, entry: int, *bodies: bytes) -> StoredGame:
    """`kept` with other bodies in the place of that entry's."""
    return msgspec.structs.replace(kept, bodies=(*kept.bodies[:entry], *bodies, *kept.bodies[entry + 1 :]))


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
@settings(max_examples=100)
def test_a_byte_that_was_flipped_breaks_nothing_else_and_tells_nothing(
    kept: StoredGame, data: st.DataObject
) -> None:
    entry = data.draw(st.integers(0, len(kept.bodies) - 1))
    body = bytearray(kept.bodies[entry])
    body[data.draw(st.integers(0, len(body) - 1))] ^= data.draw(st.integers(1, 255))
    why = try_to_restore(with_entry(kept, entry, bytes(body)))
    assert (SEED.hex() in why, '"stones"' in why, len(why) < 200) == (False, False, True)


def test_an_entry_that_is_missing_breaks_nothing_else(kept: StoredGame) -> None:
    for entry in range(len(kept.bodies)):
        try_to_restore(with_entry(kept, entry))


def test_what_is_no_table_is_none(kept: StoredGame) -> None:
    nothing = write_entry(JournalEntry(0.0, 0))
    for bodies in [(), (b"",), (b"\xff",), (b"[" * 100_000,), (nothing,)]:
        assert try_to_restore(msgspec.structs.replace(kept, bodies=bodies))


def test_a_seed_that_is_none_is_named_and_not_shown(kept: StoredGame) -> None:
    entry = read_entry(kept.bodies[0])
    assert entry.facts is not None
    facts = msgspec.structs.replace(entry.facts, seed="no seed")
    spoilt = write_entry(msgspec.structs.replace(entry, facts=facts))
    assert try_to_restore(msgspec.structs.replace(kept, bodies=(spoilt,))) == "its seed is invalid"


def test_a_game_that_nobody_knows_here_is_left_alone(kept: StoredGame) -> None:
    with pytest.raises(CantRestore, match="'cartino' isn't installed here"):
        restore(kept, {"race": Race()}, SUBSTITUTES, World().ports())


GOLDEN = sorted((Path(__file__).parent.parent / "golden").glob("journal-entries-*/*.jsonl"))
OF_TODAY = [path for path in GOLDEN if path.parent.name == f"journal-entries-{FORMAT}"]


def bodies_of(path: Path) -> tuple[bytes, ...]:
    return tuple(path.read_bytes().splitlines())


def restored(bodies: tuple[bytes, ...]) -> TableState:
    """The table, at the moment at which the last of its entries was written."""
    world = World()
    world.time = read_entry(bodies[-1]).at
    return restore(StoredGame(1, "K7QP", bodies), GAMES, {"cartino": ("greedy", "random")}, world.ports())


def shown(table: TableState) -> str:
    """What every audience sees, and what nobody does, as text."""
    views = {
        "spectators" if audience is None else f"seat {audience}": {
            "room": msgspec.msgpack.decode(encode(view)),
            "chat": chat,
        }
        for audience, (view, chat) in looks(LiveTable.of(return_from_downtime(table))).items()
    }
    kept = {"opener": table.opener, "facts": facts_of(table)}
    waiting = None if table.match is None else table.match.timing.turn.lasting
    return msgspec.json.format(msgspec.json.encode(views | kept | {"waiting": waiting})).decode()


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_golden_entries_make_the_same_table(path: Path, snapshot: SnapshotAssertion) -> None:
    table = restored(bodies_of(path))
    assert shown(table) == snapshot
    live = LiveTable.of(return_from_downtime(table))
    play_out(live)
    assert live.state in {"open", "finished"}


def test_the_format_of_today_has_golden_entries_with_all_that_an_entry_tells() -> None:
    entries = [read_entry(body) for path in OF_TODAY for body in bodies_of(path)]
    for field in msgspec.structs.fields(JournalEntry):
        assert any(getattr(entry, field.name) != field.default for entry in entries), field.name
    facts = [entry.facts for entry in entries if entry.facts is not None]
    assert {each.state for each in facts} == {"open", "playing", "finished"}
    assert {each.round for each in facts} == {0, 1}
    assert {line.channel for entry in entries for line in entry.said} == {"table", "watchers"}
    waits = [entry.waiting for entry in entries if entry.waiting is not None]
    assert {each.paused for each in waits} == {True, False}
    assert {why for each in waits for _, why in each.substitutes.playing} == {"time", "away"}


def test_what_is_written_today_is_read_alike() -> None:
    """The same story again: it makes the tables that the golden entries make."""
    story = asyncio.run(golden_entries.told())
    for path in OF_TODAY:
        assert shown(restored(story[path.stem])) == shown(restored(bodies_of(path)))
