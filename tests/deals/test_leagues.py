"""Leagues: the points lost in the dailies of some days, added up for the best half of them."""

import pytest

from cartino_protocol.deals import Daily, League, LeagueView, TurnPoints
from cartino_server.admin.commands import ChangeLeagues, parse_admin_command
from cartino_server.app.command_handler import LocalBackend
from cartino_server.commands.console import CommandError
from cartino_server.deals.deal import read_date
from cartino_server.deals.results import league_view, longest_streak, streak
from cartino_server.deals.store import Attempt, StoredLeague
from cartino_server.store.data_removal import DAY
from cartino_tui.i18n import ENGLISH
from tests.support.deals import TOMORROW, DealServer, visitor


def played(person: str, day: int, lost: float) -> tuple[int, Attempt]:
    turns = (TurnPoints(9, lost),)
    return day, Attempt(f"race-{day}", person, person, "ABCDEFGH", day, day * DAY, lost=lost, turns=turns)


def test_the_best_half_counts_and_fewer_days_come_after() -> None:
    league = StoredLeague("spring", "race", 100, 109)
    attempts = [
        *(played("ann", day, lost) for day, lost in ((100, 9.0), (101, 2.0), (102, 3.0))),
        *(played("bob", day, 1.0) for day in (100, 101)),
        played("cid", 100, 0.0),
    ]
    view = league_view(league, attempts, lambda attempt: attempt.person, 103 * DAY + 5, ("spring",))
    assert (view.days, view.over, view.counted) == (10, 3, 2)
    assert [(row.place, row.name, row.days, row.lost, row.played) for row in view.rows] == [
        (1, "bob", 2, 2.0, 2),
        (2, "ann", 2, 5.0, 3),
        (3, "cid", 1, 0.0, 1),
    ]


@pytest.mark.parametrize(
    ("days", "now", "longest"),
    [((), 0, 0), ((7,), 1, 1), ((8,), 1, 1), ((6,), 0, 1), ((3, 4, 6, 7), 2, 2), ((1, 2, 3, 7, 8), 2, 3)],
)
def test_streaks_reach_up_to_today_or_yesterday(days: tuple[int, ...], now: int, longest: int) -> None:
    assert (streak(days, 8), longest_streak(days)) == (now, longest)


async def test_a_day_counts_when_it_is_over(deals: DealServer) -> None:
    first = read_date("2026-02-03")
    assert first is not None
    await deals.person("ann")
    deals.at(TOMORROW)
    assert await deals.server.deal_results.new_league("spring", "cartino", first, first + 6)
    assert not await deals.server.deal_results.new_league("spring", "cartino", first, first + 6)
    await deals.play("ann")
    ann = await deals.person("ann")
    lost = (await deals.results(ann, Daily("cartino"))).own
    assert lost is not None
    assert (await ann.ask(League(), LeagueView)).rows == ()
    deals.at("2026-02-05T08:00:00Z")
    view = await ann.ask(League("spring"), LeagueView)
    assert [(row.name, row.lost, row.days) for row in view.rows] == [("ann", lost.lost, 1)]
    backend = LocalBackend(deals.server)
    told = await backend.answer(visitor("eve"), ["league"])
    assert "ann" in told.stdout
    assert '"rows"' in (await backend.answer(visitor("eve"), ["league", "spring", "--json"])).stdout
    assert (await ann.refused(League("autumn"))).reason == "deal-unknown"
    assert await deals.server.deal_results.drop_league("spring")
    assert (await ann.ask(League(), LeagueView)).name == ""


def test_an_admin_s_words_make_a_league() -> None:
    parsed = parse_admin_command(
        ["league", "new", "spring", "--from", "2026-03-01", "--to", "2026-05-31", "--game", "casino"],
        0,
        ENGLISH,
    )
    first = read_date("2026-03-01")
    assert first is not None
    assert parsed.command == ChangeLeagues("spring", "casino", first, first + 91)
    for words in ("league new spring", "league new spring --from 2026-03-01 --to 2026-02-01"):
        with pytest.raises(CommandError, match="first and the last day"):
            parse_admin_command(words.split(), 0, ENGLISH)
