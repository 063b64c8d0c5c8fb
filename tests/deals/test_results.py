"""Leagues: the points lost in the dailies of some days, added up for the best half of them."""

import apsw
import pytest

from cartino_protocol.commands import Rename
from cartino_protocol.deals import Daily, League, LeagueView
from cartino_server.deals import store
from cartino_server.deals.deal import Deal, read_date
from cartino_server.deals.results import league_view, longest_streak, streak
from cartino_server.deals.store import Attempt, LeagueScore, StoredLeague
from cartino_server.store.people import open_people
from cartino_server.store.personal_data import DAY
from tests.support.deals import NOON, TOMORROW, DealServer

SPRING = StoredLeague("spring", "race", 100, 109)


def day_of_date(text: str) -> int:
    day = read_date(text)
    assert day is not None
    return day


async def test_the_best_half_counts_and_fewer_days_come_after() -> None:
    played = {
        "ann": {100: 9.0, 101: 2.0, 102: 3.0},
        "bob": {100: 1.0, 101: 1.0},
        "cid": {100: 0.0},
        "gone:dan": {100: 0.0, 101: 0.0},
        "late": {99: 0.0, 110: 0.0},
    }

    def store_attempts(db: apsw.Connection) -> list[LeagueScore]:
        for person, days in played.items():
            for day, lost in days.items():
                deal = Deal(f"race-{day}", "race", {}, (), (day + 1) * DAY, "00", day)
                attempt = Attempt(deal.name, person, f"{person} {day}", "ABCDEFGH", day, day * DAY)
                store.begin_attempt(db, deal, attempt)
                store.end_attempt(db, deal.name, person, day * DAY + 9, 9)
                db.execute(
                    "UPDATE attempts SET lost = ? WHERE deal = ? AND person = ?", (lost, deal.name, person)
                )
        return store.league_scores(db, SPRING, 103)

    people_db = open_people(None)
    view = league_view(SPRING, await people_db.do(store_attempts), "ann", 103 * DAY + 5, ("spring",))
    await people_db.close()
    assert (view.days, view.over, view.counted) == (10, 3, 2)
    assert [(row.place, row.name, row.days, row.lost, row.played) for row in view.rows] == [
        (1, "bob 101", 2, 2.0, 2),
        (2, "ann 102", 2, 5.0, 3),
        (3, "cid 100", 1, 0.0, 1),
    ]
    assert [row.name for row in view.rows if row.you] == ["ann 102"]


@pytest.mark.parametrize(
    ("today", "state", "over"), [(99, "coming", 0), (100, "running", 0), (110, "over", 10)]
)
def test_a_league_comes_runs_and_is_over(today: int, state: str, over: int) -> None:
    view = league_view(SPRING, (), "", today * DAY, ())
    assert (view.state, view.over) == (state, over)


@pytest.mark.parametrize(
    ("days", "now", "longest"),
    [((), 0, 0), ((7,), 1, 1), ((8,), 1, 1), ((6,), 0, 1), ((3, 4, 6, 7), 2, 2), ((1, 2, 3, 7, 8), 2, 3)],
)
def test_streaks_reach_up_to_today_or_yesterday(days: tuple[int, ...], now: int, longest: int) -> None:
    assert (streak(days, 8), longest_streak(days)) == (now, longest)


async def test_a_day_counts_when_it_is_over(deals: DealServer) -> None:
    first = day_of_date("2026-02-03")
    await deals.know("ann")
    deals.at(TOMORROW)
    assert await deals.server.services.deal_results.new_league("spring", "cartino", first, first + 6)
    assert not await deals.server.services.deal_results.new_league("spring", "cartino", first, first + 6)
    await deals.play("ann")
    ann = await deals.person("ann")
    lost = (await deals.results(ann, Daily("cartino"))).own
    assert lost is not None
    assert (await ann.ask(League(), LeagueView)).rows == ()
    deals.at("2026-02-05T08:00:00Z")
    view = await ann.ask(League("spring"), LeagueView)
    assert [(row.name, row.lost, row.days) for row in view.rows] == [("ann", lost.lost, 1)]
    told = await deals.told("eve", "league")
    assert "ann" in told
    assert '"rows"' in await deals.told("eve", "league spring --json")
    assert (await ann.refused(League("autumn"))).reason == "league-unknown"
    await deals.restart()
    ann = await deals.person("ann")
    assert (await ann.ask(League("SPRING"), LeagueView)).rows == view.rows, "after a restart, in capitals too"
    assert await deals.server.services.deal_results.drop_league("spring")
    assert (await ann.ask(League(), LeagueView)).name == ""
    told = await deals.told("eve", "league")
    assert told == "There is no league here.\n"


async def test_one_that_runs_is_shown_first_and_the_others_named(deals: DealServer) -> None:
    today = day_of_date(NOON[:10])
    for name, first, last in (
        ("coming", today + 1, today + 9),
        ("past", today - 5, today - 1),
        ("year", today - 9, today + 300),
        ("Winter cup", today - 2, today),
    ):
        assert await deals.server.services.deal_results.new_league(name, "cartino", first, last)
    assert not await deals.server.services.deal_results.new_league("YEAR", "cartino", today, today)
    told = await deals.told("eve", "league")
    assert told.startswith("Winter cup, Cartino, ")
    assert "Other leagues: year, past, coming\n" in told
    told = await deals.told("eve", "league winter cup")
    assert told.startswith("Winter cup, Cartino, ")
    told = await deals.told("eve", "league past")
    assert "No day of this league has results.\nThis league is over.\n" in told
    assert "This league hasn't begun.\nBegins on 2026-02-04.\n" in await deals.told("eve", "league coming")


async def test_who_deletes_their_account_leaves_the_standings_and_who_is_renamed_stays(
    deals: DealServer,
) -> None:
    first = day_of_date(TOMORROW[:10])
    await deals.know("ann", "bob")
    assert await deals.server.services.deal_results.new_league("spring", "cartino", first, first + 6)
    for day in (4, 5):
        deals.at(f"2026-02-0{day}T12:00:00Z")
        for name in ("ann", "bob"):
            await deals.play(name)
        await deals.results(await deals.person("ann"), Daily("cartino"))
        await deals.results(await deals.person("bob"), Daily("cartino"))
    deals.at("2026-02-06T12:00:00Z")
    ann, bob = await deals.person("ann"), await deals.person("bob")
    ann.say(Rename("zoe"))
    await deals.server.services.deals.erase("SHA256:bob")
    view = await ann.ask(League("spring"), LeagueView)
    assert [(row.name, row.played, row.you) for row in view.rows] == [("zoe", 2, True)]
    assert not [row for row in (await bob.ask(League("spring"), LeagueView)).rows if row.you]
