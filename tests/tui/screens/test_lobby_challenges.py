"""Challenges and missed results on the screen: how they stand in the list, what the status line tells, the form."""

import msgspec
import pytest

from cartino_protocol.views import BegunGame, Left, Mine, Missed, OwnGame, PastGame, SummaryView
from tests.support.visit import line, lobby, toy_table
from tests.tui.conftest import Visiting

CHALLENGE = msgspec.structs.replace(line("K7QP", "Bo -", clock="day"), away=(0,))


def past(number: int, totals: tuple[int, int], winners: tuple[int, ...]) -> PastGame:
    name = f"K7QP-{number}"
    return PastGame(
        name, number, "toy", {"size": "big"}, ("Ann", "Bo"), totals, winners, "out", "2026-01-31T12:00:00Z"
    )


WON, LOST, LEFT_OPEN = past(3, (20, 7), (0,)), past(2, (7, 20), (1,)), past(1, (0, 0), ())
MISSED = Missed(tuple(OwnGame(game, 0) for game in (WON, LOST, LEFT_OPEN)), (BegunGame("B4ZT", ("Bo",)),))


async def test_the_list_shows_who_is_away(visit: Visiting) -> None:
    async with visit(lobby(CHALLENGE)) as v:
        [row] = [row for row in v.text.splitlines() if "K7QP" in row]
        assert "Bo (away) · free" in row
        assert row.endswith("challenge")


async def test_ones_own_stands_as_ones_own_table(visit: Visiting) -> None:
    own = msgspec.structs.replace(line("K7QP", "Ann -", clock="day"), away=(0,))
    async with visit(lobby(own), Mine((own,))) as v:
        assert "your table" in v.text


async def test_what_was_missed_is_told_until_the_next_key(visit: Visiting) -> None:
    async with visit(lobby(CHALLENGE), size=(120, 30)) as v:
        await v.hears(MISSED)
        told = " ".join(v.text.split())
        assert "While you were away: The game at B4ZT has begun, with Bo." in told
        assert "K7QP-3, Toy big: you won (Ann 20, Bo 7)." in told
        assert "K7QP-2, Toy big: you lost (Ann 7, Bo 20)." in told
        assert "K7QP-1, Toy big: nobody won (Ann 0, Bo 0)." in told
        assert "Press f for all." not in told
        await v.types("down")
        assert "While you were away" not in v.text


async def test_of_many_the_first_are_told(visit: Visiting) -> None:
    async with visit(lobby(CHALLENGE), size=(120, 30)) as v:
        await v.hears(Missed(MISSED.games * 2))
        told = " ".join(v.text.split())
        assert told.count("you won") == 1
        assert "Press f for all." in told


async def test_what_was_missed_is_still_there_after_a_table(visit: Visiting) -> None:
    async with visit(lobby(CHALLENGE), toy_table("Ann Bo", "playing"), MISSED) as v:
        await v.hears(Left("left", "K7QP"), lobby(CHALLENGE))
        assert "While you were away" in v.text


@pytest.mark.parametrize(("games", "told"), [(0, False), (2, True), (12, True)])
async def test_an_empty_lobby_shows_the_games_of_a_day(visit: Visiting, games: int, told: bool) -> None:
    finished = tuple(past(number, (20, 7), (0,)) for number in range(1, games + 1))
    async with visit(lobby(), SummaryView(finished=finished)) as v:
        assert ("Finished in the last 24 hours" in v.text) is told
        assert "No tables are open yet." in v.text


async def test_a_full_list_needs_the_rows(visit: Visiting) -> None:
    tables = [line(f"K7Q{letter}", "Bo -") for letter in "ABCDEFGHJKLMN"]
    async with visit(lobby(*tables), SummaryView(finished=(WON,))) as v:
        assert "Finished in the last 24 hours" not in v.text
        assert "K7QN" in v.text


async def test_the_form_says_that_one_may_leave(visit: Visiting) -> None:
    async with visit(lobby()) as v:
        await v.types("n")
        await v.click("one day")
        assert "A challenge: open for 14 days, even while you're away." in v.text
        await v.click("2 minutes")
        assert "A challenge" not in v.text
