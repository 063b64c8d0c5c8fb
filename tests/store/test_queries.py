"""Lists of finished games: in which order, and at what price."""

from pathlib import Path

import apsw
import msgspec

from cartino_server.store import queries, tallying
from cartino_server.store.port import Wanted, Write
from cartino_server.store.schema import migrate
from tests.support.journals import ended, opened


async def test_lists_go_by_when_games_ended_page_by_page(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        numbers = [journal.number("K7QP") for _ in range(6)]
        ends = [numbers[at] for at in (2, 0, 5, 3, 1)]
        for number in ends:
            await journal.write([Write(number, b"end", "closed", ended())], 0.0)
        newest = ends[::-1]
        wanteds = (
            Wanted(""),
            Wanted("p1", mine=True),
            Wanted("p1", mine=True, name="bot:greedy"),
            Wanted("p9", name="ann"),
        )
        for wanted in wanteds:
            listed: list[int] = []
            for _ in range(3):
                before = listed[-1] if listed else 0
                page = await journal.past(msgspec.structs.replace(wanted, before=before, most=2))
                listed += [game.number for game in page]
            assert listed == newest
        # The fifth has not ended: on from the fourth.
        assert [game.number for game in await journal.past(Wanted("", before=numbers[4], most=1))] == [
            ends[3]
        ]
        assert await journal.past(Wanted("", before=ends[0])) == ()


def test_no_list_looks_at_all_games() -> None:
    connection = apsw.Connection(":memory:")
    migrate(connection)
    for number in range(1, 2001):
        body = msgspec.json.encode(ended())
        row = (number, "K7QP", 0, body, queries.hash_ending(number, body))
        connection.execute(
            "INSERT INTO finished (number, code, listed, body, hash) VALUES (?, ?, ?, ?, ?)", row
        )
        for seat, (person, name) in enumerate((("p1", "ann"), ("", "bot:greedy"))):
            connection.execute(
                "INSERT INTO seats (number, seat, person, name) VALUES (?, ?, ?, ?)",
                (number, seat, person, name),
            )
        tallying.place(connection, number)
    steps = 0

    def step() -> bool:
        nonlocal steps
        steps += 1
        return False

    connection.set_progress_handler(step, 1)
    wanteds = (
        Wanted("p1"),
        Wanted("p1", mine=True),
        Wanted("p1", mine=True, name="bot:greedy"),
        Wanted("p1", name="bot:greedy"),
    )
    for wanted in wanteds:
        assert len(queries.past(connection, msgspec.structs.replace(wanted, before=1500, most=1), ())) == 1
        assert steps < 1000, wanted
        steps = 0
