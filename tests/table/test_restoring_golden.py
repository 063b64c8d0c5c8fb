"""Entries that once were written are read for ever, and make the same tables: see `table/entries.py` on the format."""

import asyncio
from pathlib import Path

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from cartino_protocol.wire import encode
from cartino_server.store.port import StoredGame
from cartino_server.table.participants import return_from_downtime
from cartino_server.table.restoring import restore
from cartino_server.table.saving import FORMAT, JournalEntry, facts_of, read_entry
from cartino_server.table.state import TableState
from tests.support import golden_entries
from tests.support.game_server import World
from tests.support.games import GAMES
from tests.support.live_table import LiveTable
from tests.support.table_storm import looks, play_out

FOLDER = Path(__file__).parent.parent / "golden"
GOLDEN = sorted(FOLDER.glob("journal-entries-*/*.jsonl"))


def bodies_of(path: Path) -> tuple[bytes, ...]:
    return tuple(path.read_bytes().splitlines())


def restored(bodies: tuple[bytes, ...]) -> TableState:
    """The table, at the moment at which the last of its entries was written."""
    world = World()
    world.time = read_entry(bodies[-1]).at
    return restore(StoredGame(1, "K7QP", bodies), GAMES, {"cartino": ("greedy", "random")}, world.ports())


def shown(game_table: TableState) -> str:
    """What every audience sees, and what nobody does, as text."""
    views = {
        "spectators" if audience is None else f"seat {audience}": {
            "room": msgspec.msgpack.decode(encode(table)),
            "chat": chat,
        }
        for audience, (table, chat) in looks(LiveTable.of(return_from_downtime(game_table))).items()
    }
    kept = {"opener": game_table.opener, "facts": facts_of(game_table)}
    waiting = None if game_table.match is None else game_table.match.timing.turn.lasting
    return msgspec.json.format(msgspec.json.encode(views | kept | {"waiting": waiting})).decode()


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_golden_entries_make_the_same_table(path: Path, snapshot: SnapshotAssertion) -> None:
    table = restored(bodies_of(path))
    assert shown(table) == snapshot
    live = LiveTable.of(return_from_downtime(table))
    play_out(live)
    assert live.state in {"open", "finished"}


def test_the_format_of_today_has_golden_entries_with_all_that_an_entry_tells() -> None:
    paths = [path for path in GOLDEN if path.parent.name == f"journal-entries-{FORMAT}"]
    entries = [read_entry(body) for path in paths for body in bodies_of(path)]
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
    told = asyncio.run(golden_entries.told())
    for path in GOLDEN:
        if path.parent.name == f"journal-entries-{FORMAT}":
            assert shown(restored(told[path.stem])) == shown(restored(bodies_of(path)))
