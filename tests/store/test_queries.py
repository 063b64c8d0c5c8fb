"""Lists of finished games: in which order, and at what price."""

from pathlib import Path

import apsw
import msgspec

from cartino_server.store import queries
from cartino_server.store.figures import profiles
from cartino_server.store.migrations import migrate_journal
from cartino_server.store.port import HistoryQuery, NewEntry
from tests.support.journals import ended, opened


async def test_lists_go_by_when_games_ended_page_by_page(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        numbers = [journal.number("K7QP") for _ in range(6)]
        ends = [numbers[at] for at in (2, 0, 5, 3, 1)]
        for number in ends:
            await journal.write([NewEntry(number, b"end", "closed", ended())], 0.0)
        newest = ends[::-1]
        wanteds = (
            HistoryQuery(""),
            HistoryQuery("p1", mine=True),
            HistoryQuery("p1", mine=True, name="bot:greedy"),
            HistoryQuery("p9", name="ann"),
        )
        for wanted in wanteds:
            listed: list[int] = []
            for _ in range(3):
                before = listed[-1] if listed else 0
                page = await journal.find_finished_games(
                    msgspec.structs.replace(wanted, before=before, most=2)
                )
                listed += [game.number for game in page]
            assert listed == newest
        # The fifth has not ended: on from the fourth.
        assert [
            game.number
            for game in await journal.find_finished_games(HistoryQuery("", before=numbers[4], most=1))
        ] == [ends[3]]
        assert await journal.find_finished_games(HistoryQuery("", before=ends[0])) == ()


def test_no_list_looks_at_all_games() -> None:
    connection = apsw.Connection(":memory:")
    migrate_journal(connection)
    for number in range(1, 2001):
        body = msgspec.json.encode(ended())
        row = (number, "K7QP", 0, body, queries.hash_finished(number, body))
        connection.execute(
            "INSERT INTO finished (number, code, listed, body, hash) VALUES (?, ?, ?, ?, ?)", row
        )
        for seat, (person, name) in enumerate((("p1", "ann"), ("", "bot:greedy"))):
            connection.execute(
                "INSERT INTO seats (number, seat, person, name) VALUES (?, ?, ?, ?)",
                (number, seat, person, name),
            )
        profiles.queue_game(connection, number)
    steps = 0

    def step() -> bool:
        nonlocal steps
        steps += 1
        return False

    connection.set_progress_handler(step, 1)
    wanteds = (
        HistoryQuery("p1"),
        HistoryQuery("p1", mine=True),
        HistoryQuery("p1", mine=True, name="bot:greedy"),
        HistoryQuery("p1", name="bot:greedy"),
    )
    for wanted in wanteds:
        assert (
            len(queries.list_history(connection, msgspec.structs.replace(wanted, before=1500, most=1), ()))
            == 1
        )
        assert steps < 1000, wanted
        steps = 0


async def test_what_a_foreign_journal_holds_is_listed_harmless_and_short(tmp_path: Path) -> None:
    evil = "\x1b]52;c;ZXZpbA==\x07\u202e" + "A" * 100_000
    async with opened(tmp_path) as found:
        ending = msgspec.structs.replace(ended(), code=evil, game=evil, seats=(evil, evil), reason=evil)
        await found.journal.write([NewEntry(found.journal.number("K7QP"), b"end", "closed", ending)], 0.0)
        [game] = await found.journal.find_finished_games(HistoryQuery(""))
    shown = [game.name, game.game, *game.seats, game.reason]
    assert all(text.isprintable() and len(text) < 100 for text in shown)
