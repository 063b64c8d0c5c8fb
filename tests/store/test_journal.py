"""The journal keeps what it is given, in order, and tells no more than it can prove."""

import asyncio
import threading
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_protocol.text import lazy_gettext
from cartino_server.store.hash_chain import verify_chain
from cartino_server.store.port import DamagedGame, Guest, HistoryQuery, JournalClosed, NewEntry, StoredGame
from cartino_server.store.queries import game_entries
from cartino_server.store.verification import open_snapshot
from tests.support.journals import add, ended, fill, opened


async def test_what_was_written_is_there_at_the_next_start(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        assert (found.kept, found.damaged, found.time) == ((), (), 0.0)
        first, second = found.journal.number("K7QP"), found.journal.number("ABCD")
        assert first < second
        await found.journal.write([NewEntry(second, b"b1")], 3.0)
        await found.journal.write(
            [NewEntry(first, b"a1"), NewEntry(second, b"b2"), NewEntry(first, b"a2")], 7.5
        )
        assert await found.journal.load_game(first) == StoredGame(first, "K7QP", (b"a1", b"a2"))
    async with opened(tmp_path) as found:
        assert found.kept == (
            StoredGame(first, "K7QP", (b"a1", b"a2")),
            StoredGame(second, "ABCD", (b"b1", b"b2")),
        )
        assert found.time == 7.5
        assert found.journal.number("WXYZ") > second
        await add(found.journal, first, b"a3", state="closed")
        await add(found.journal, second, b"b3", state="broken")
    async with opened(tmp_path) as found:
        assert (found.kept, found.damaged) == ((), ())
        assert await found.journal.load_game(first) == StoredGame(first, "K7QP", (b"a1", b"a2", b"a3"))
        assert await found.journal.load_game(99) is None


async def test_the_files_are_their_owners_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        await add(found.journal, found.journal.number("K7QP"), b"x")
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert set(modes.values()) == {0o600}
    assert {"journal.db", "journal.db-wal", "journal.heads"} <= set(modes)
    assert (tmp_path / "journal.db-wal").stat().st_size == 0


async def test_the_server_time_never_goes_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        await found.journal.write((), 9.0)
        await found.journal.write((), 4.0)
    async with opened(tmp_path) as found:
        assert found.time == 9.0


async def test_a_game_that_was_never_numbered_is_the_callers_fault_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        good = found.journal.number("K7QP")
        results = await asyncio.gather(
            add(found.journal, 77, b"?"),
            add(found.journal, good, b"x"),
            found.journal.write([NewEntry(good, b"y"), NewEntry(78, b"?")], 0.0),
            return_exceptions=True,
        )
        assert [type(result) for result in results] == [ValueError, type(None), ValueError]
        # Of the call that failed nothing was written.
        assert await found.journal.load_game(good) == StoredGame(good, "K7QP", (b"x",))
        await add(found.journal, good, b"z")
    async with opened(tmp_path) as found:
        assert found.kept == (StoredGame(good, "K7QP", (b"x", b"z")),)


async def test_a_game_ends_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        game = journal.number("K7QP")
        await journal.write([NewEntry(game, b"end", ending=ended())], 0.0)
        with pytest.raises(ValueError, match="ended before"):
            await journal.write([NewEntry(game, b"again", "closed", ended(seats=("Cleo", "Bob")))], 0.0)
        assert [past.seats for past in await journal.find_finished_games(HistoryQuery(""))] == [ended().seats]
        # The table goes on with its talk, and is closed.
        await add(journal, game, b"talk")
        await add(journal, game, b"closed", state="closed")
        assert await journal.load_game(game) == StoredGame(game, "K7QP", (b"end", b"talk", b"closed"))


async def test_a_closed_game_that_is_opened_again_is_found_at_the_next_start(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        game = found.journal.number("K7QP")
        await add(found.journal, game, b"one", state="closed")
        await add(found.journal, game, b"two")
    async with opened(tmp_path) as found:
        assert found.kept == (StoredGame(game, "K7QP", (b"one", b"two")),)


async def test_lists_show_whom_they_may(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        endings = [
            ended(),
            ended("ABCD", ("Cleo", "Ann"), ("p3", "p1"), listed=False),
            ended("ABCD", ("STRASSE", "Bob"), ("p4", "p5")),
            ended("K7QP", ("bot:a", "bot:a"), ("", ""), listed=False),
        ]
        numbers = []
        for ending in endings:
            number = journal.number(ending.code)
            numbers.append(number)
            await journal.write([NewEntry(number, b"x"), NewEntry(number, b"end", "closed", ending)], 0.0)
        one, two, three, _ = numbers

        async def shown(wanted: HistoryQuery) -> list[int]:
            return [game.number for game in await journal.find_finished_games(wanted)]

        assert await shown(HistoryQuery("")) == [three, one]
        assert await shown(HistoryQuery("", mine=True)) == []
        assert await shown(HistoryQuery("p1")) == [three, two, one]
        assert await shown(HistoryQuery("p1", mine=True)) == [two, one]
        assert await shown(HistoryQuery("p2", name="ann")) == [one]
        assert await shown(HistoryQuery("p3", name="ANN")) == [two, one]
        assert await shown(HistoryQuery("p4", name="straße")) == [three]
        assert await shown(HistoryQuery("", name="bot:a")) == []
        assert await shown(HistoryQuery("p1", before=three)) == [two, one]
        assert await shown(HistoryQuery("p1", most=1)) == [three]
        assert await journal.latest("ABCD") == three
        assert await journal.latest("WXYZ") is None
        [game] = await journal.find_finished_games(HistoryQuery("", before=two))
        assert (game.name, game.seats, game.totals) == (f"K7QP-{one}", ("Ann", "bot:greedy"), (12, 9))


async def test_a_damaged_ending_is_not_shown_and_the_next_one_is(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        for _ in range(3):
            number = found.journal.number("K7QP")
            await found.journal.write([NewEntry(number, b"end", "closed", ended())], 0.0)
    connection = apsw.Connection(str(tmp_path / "journal.db"))
    connection.execute("UPDATE finished SET body = CAST(replace(body, '12', '13') AS BLOB) WHERE number = 2")
    connection.close()
    async with opened(tmp_path) as found:
        assert [
            game.number for game in await found.journal.find_finished_games(HistoryQuery("", most=2))
        ] == [3, 1]


async def test_a_word_is_good_until_the_next_one_was_used(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal, guest = found.journal, Guest("p1", "Ann")
        await journal.store_resume_code("old", guest)
        await journal.store_resume_code("word", guest)
        assert await journal.redeem_resume_code("old", "x") is None
        assert await journal.redeem_resume_code("word", "unseen") == guest
    async with opened(tmp_path) as found:
        journal = found.journal
        # Nobody saw the next one, so there is another.
        assert await journal.redeem_resume_code("word", "seen") == guest
        assert await journal.redeem_resume_code("unseen", "x") is None
        assert await journal.redeem_resume_code("seen", "third") == guest
        assert await journal.redeem_resume_code("word", "x") is None
        assert await journal.redeem_resume_code("seen", "newest") == guest
        await journal.store_resume_code("given", guest)
        assert await journal.redeem_resume_code("seen", "x") is None
        assert await journal.redeem_resume_code("newest", "x") is None
        assert await journal.redeem_resume_code("given", "newest") == guest
    assert b"newest" not in (tmp_path / "journal.db").read_bytes()


async def test_after_its_end_every_call_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        game = journal.number("K7QP")
        last = asyncio.ensure_future(add(journal, game, b"x"))
        await asyncio.sleep(0)  # the task has asked
        await journal.close()
        await last
        for call in (
            add(journal, game, b"y"),
            journal.load_game(game),
            journal.latest("K7QP"),
            journal.find_finished_games(HistoryQuery("")),
            journal.redeem_resume_code("a", "b"),
            journal.store_resume_code("a", Guest("p", "n")),
        ):
            with pytest.raises(JournalClosed):
                await call
    assert "journal" not in {thread.name for thread in threading.enumerate()}


async def test_whoever_is_cancelled_does_not_disturb_the_others(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        games = [found.journal.number("K7QP") for _ in range(4)]
        calls = [asyncio.ensure_future(add(found.journal, game, b"x")) for game in games]
        await asyncio.sleep(0)
        calls[1].cancel()
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(result).__name__ for result in results] == [
            "NoneType",
            "CancelledError",
            "NoneType",
            "NoneType",
        ]


async def test_a_damaged_closed_game_is_never_served_as_whole(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        game = found.journal.number("K7QP")
        await add(found.journal, game, b"one", b"two", state="closed")
    connection = apsw.Connection(str(tmp_path / "journal.db"))
    connection.execute("UPDATE entries SET body = CAST('twO' AS BLOB) WHERE body = CAST('two' AS BLOB)")
    assert connection.changes() == 1
    connection.close()
    async with opened(tmp_path) as found:
        assert await found.journal.load_game(game) == DamagedGame(
            game, "K7QP", lazy_gettext("entry {seq} was altered", seq=2)
        )


PLANS = st.lists(
    st.lists(st.lists(st.tuples(st.integers(0, 3), st.binary(max_size=20)), max_size=4), max_size=6),
    max_size=6,
)


@given(PLANS)
@settings(max_examples=20, deadline=None)
def test_calls_are_written_in_the_order_of_asking(
    tmp_path_factory: pytest.TempPathFactory, plan: list[list[list[tuple[int, bytes]]]]
) -> None:
    data = tmp_path_factory.mktemp("journal")

    async def run() -> None:
        expected: dict[int, list[bytes]] = {}
        async with opened(data) as found:
            games = [found.journal.number("K7QP") for _ in range(4)]
            for together in plan:
                calls = [[NewEntry(games[game], body) for game, body in call] for call in together]
                for write in (write for call in calls for write in call):
                    expected.setdefault(write.game, []).append(write.body)
                await asyncio.gather(*(found.journal.write(call, 0.0) for call in calls))
        async with opened(data) as found:
            assert {game.game: list(game.bodies) for game in found.kept} == expected

    asyncio.run(run())


async def test_the_chain_on_disk_is_the_one_of_its_bodies(tmp_path: Path) -> None:
    bodies = await fill(tmp_path)
    with open_snapshot(tmp_path) as now:
        for game, written in bodies.items():
            entries = game_entries(now.connection, game)
            assert tuple(entry.body for entry in entries) == written
            assert verify_chain(game, "K7QP", entries).seq == len(written)
