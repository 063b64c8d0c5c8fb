"""What is left of shared deals is deleted some days after they close, and nothing before."""

import asyncio

import pytest

from bench.parked import park
from cartino_protocol.base import game_name
from cartino_protocol.commands import Create, Replay
from cartino_protocol.deals import Daily, DealView, Duplicate, PlayDaily
from cartino_protocol.views import ReplayView, TableView
from cartino_server.deals import store
from tests.support.deals import TOMORROW, DealServer

DAILY = PlayDaily("cartino")
LATER = "2026-02-11T00:00:01Z"
"""A week after the daily's end."""


async def counts(deals: DealServer) -> tuple[int, int, int]:
    """How many deals, attempts and parked games there are."""
    count = "SELECT (SELECT count(*) FROM deals), (SELECT count(*) FROM attempts)"
    ((dealt, attempts),) = await deals.people_db.do(lambda db: db.execute(count).fetchall())
    return int(str(dealt)), int(str(attempts)), len(await deals.journal.parked())


async def test_unfinished_attempts_go_a_week_after_the_end_and_finished_ones_stay(deals: DealServer) -> None:
    await deals.know("ann", "bob", "cid")
    ended = await deals.play("ann")
    task = deals.server.services.registry.get(ended.code)
    assert task is not None
    game = game_name(ended.code, task.game)
    for name in ("bob", "new"):
        player = await deals.person(name)
        table = await player.ask(DAILY, TableView)
        await deals.home(player)
        await deals.park(table.code)
    assert await counts(deals) == (2, 3, 2)
    deals.at(TOMORROW)
    await deals.server.services.deals.cleanup.run()
    assert await counts(deals) == (2, 3, 2), "the clock may be wrong"
    deals.at(LATER)
    assert await deals.server.services.deals.cleanup.count() == 2
    await deals.server.services.deals.cleanup.run()
    assert await counts(deals) == (1, 1, 0), "the practice deal had no finished attempt"
    ann = await deals.person("ann")
    view = await ann.ask(Daily("cartino", 34), DealView)
    assert [row.name for row in view.rows] == ["ann"]
    assert (await ann.ask(Replay(game), ReplayView)).steps > 0
    await deals.restart()
    assert await counts(deals) == (1, 1, 0)


async def test_an_admin_s_date_deletes_what_closed_before_it(deals: DealServer) -> None:
    bob = await deals.person("bob")
    table = await bob.ask(DAILY, TableView)
    await deals.home(bob)
    await deals.park(table.code)
    cleanup = deals.server.services.deals.cleanup
    deals.at(TOMORROW)
    await cleanup.run(before=deals.server.services.deals.now + 10**6)
    assert await counts(deals) == (1, 1, 1), "it closes now, not before"
    deals.at("2026-02-04T09:00:00Z")
    cleanup.order(deals.server.services.deals.now)
    await asyncio.sleep(0)
    async with asyncio.timeout(20):
        while await counts(deals) != (0, 0, 0):
            await asyncio.sleep(0)


async def test_parked_games_without_an_attempt_are_deleted(deals: DealServer) -> None:
    await deals.stop()
    await park(deals.data, 4, now=deals.now)
    await deals.start()
    assert (await counts(deals))[1:] == (4, 3)
    await deals.people_db.do(lambda db: db.execute("DELETE FROM attempts WHERE number = 3"))
    await deals.server.services.deals.cleanup.run()
    assert await deals.journal.parked() == [2, 4]
    await deals.people_db.do(lambda db: db.execute("DELETE FROM attempts"))
    await deals.server.services.deals.cleanup.run()
    assert await deals.journal.parked() == [2, 4], "the people database may be missing"


async def test_the_oldest_results_go_beyond_the_most(
    deals: DealServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MAX_ATTEMPTS", 1)
    await deals.know("ann", "bob")
    await deals.play("ann")
    await deals.play("new")
    deals.at("2026-02-04T12:00:00Z")
    await deals.play("bob")
    await deals.server.services.deals.cleanup.run()
    left = await deals.people_db.do(lambda db: db.execute("SELECT name FROM attempts").fetchall())
    assert left == [("bob",)], "practice first, then the oldest"


async def test_a_match_is_deleted_with_its_unfinished_attempt(deals: DealServer) -> None:
    ann = await deals.person("ann")
    table = await ann.ask(Create("cartino", seats=2, bots=("greedy",), duplicate=True), TableView)
    code = (await ann.ask(Duplicate(table.code), DealView)).code
    await deals.home(ann)
    await deals.park(table.code)
    deals.at("2026-02-17T12:00:02Z")
    await deals.server.services.deals.cleanup.run()
    assert await counts(deals) == (0, 0, 0)
    assert (await ann.refused(Duplicate(code))).reason == "deal-unknown"
