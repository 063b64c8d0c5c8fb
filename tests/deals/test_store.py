"""What becomes of attempts when people rename or delete themselves, when games are damaged, and when many play."""

import asyncio
import sqlite3

from cartino_protocol.commands import Rename
from cartino_protocol.deals import Daily, DealView, PlayDaily, Today, TodayView
from cartino_protocol.views import TableView, Welcome
from cartino_server.commands.context import shell_reader
from cartino_server.store.database import JOURNAL_FILE
from cartino_tui.pages.deals import DEAL_PAGE
from cartino_tui.pages.page import page_text
from tests.support.deals import TOMORROW, DealServer

DAILY = PlayDaily("cartino")
PLAYERS = 4


async def test_a_renamed_player_is_shown_by_the_new_name(deals: DealServer) -> None:
    await deals.play("ann")
    ann = await deals.person("ann")
    await ann.ask(Rename("anna"), Welcome, lambda welcome: welcome.name == "anna")
    deals.at(TOMORROW)
    view = await ann.ask(Daily("cartino", 34), DealView)
    assert [row.name for row in view.rows] == ["anna"]


async def test_a_deleted_account_keeps_its_result_and_no_second_try(deals: DealServer) -> None:
    await deals.know("ann")
    await deals.play("ann")
    ann = await deals.person("ann")
    await deals.results(ann, Daily("cartino"))
    assert (await deals.run("ann", "account delete --yes ann")).status == 0
    again = await deals.person("ann")
    assert (await again.refused(DAILY)).reason == "played-once"
    assert await again.ask(Today(), TodayView) == TodayView()
    view = await again.ask(Daily("cartino"), DealView)
    assert (view.practice, view.barred) == (False, "played-once"), "the other deal is no second try either"
    told = page_text(DEAL_PAGE, view, shell_reader())
    assert "Already played with this key, before its account was deleted." in told
    assert "Not played yet" not in told
    deals.at(TOMORROW)
    view = await again.ask(Daily("cartino", 34), DealView)
    assert view.own is None
    assert [row.name for row in view.rows] == ["deleted player"]
    stored = await deals.people_db.do(lambda db: db.execute("SELECT person FROM attempts").fetchall())
    assert "ann" not in str(stored)


async def test_a_damaged_attempt_costs_one_sentence(deals: DealServer) -> None:
    ann = await deals.person("ann")
    await ann.ask(DAILY, TableView)
    await deals.finish(ann, most=2)
    await deals.stop()
    with sqlite3.connect(deals.data / JOURNAL_FILE) as journal:
        journal.execute("UPDATE entries SET body = x'00' WHERE place = (SELECT min(place) FROM entries)")
    journal.close()
    await deals.start()
    ann, bob = await deals.person("ann"), await deals.person("bob")
    assert (await ann.refused(DAILY)).reason in {"set-aside", "unknown-code"}
    assert (await bob.ask(DAILY, TableView)).you == 0
    view = await ann.ask(Daily("cartino"), DealView)
    assert view.own is not None
    assert view.own.state == "playing"


async def test_many_play_at_once(deals: DealServer) -> None:
    people = [await deals.person(f"player{number}") for number in range(PLAYERS)]
    tables = await asyncio.gather(*(person.ask(DAILY, TableView) for person in people))
    assert len({table.code for table in tables}) == PLAYERS
    assert len({table.commitment for table in tables}) == 1
    await asyncio.gather(*(deals.finish(person) for person in people))
    totals = {
        person.table.result.totals for person in people if person.table is not None and person.table.result
    }
    assert len(totals) == 1, "the same moves meet the same replies"
    view = await deals.results(people[0], Daily("cartino"))
    assert len(view.rows) == PLAYERS
    assert len({row.lost for row in view.rows}) == 1
