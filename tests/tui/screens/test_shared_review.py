"""A review looked at together: one leads, the others follow until they step themselves, and a key follows again."""

import msgspec

from cartino_protocol.commands import Command, Lead, Replay
from cartino_protocol.views import LedReview, TableView
from cartino_tui.screens.replay.screen import ReplayScreen
from cartino_tui.screens.table import TableScreen
from tests.support.past import STEPS, PastServer, past
from tests.support.visit import Visit, chat, toy_table
from tests.tui.conftest import Visiting


def over(seat: int | None = None, step: int = 0, names: str = "Ann Bo") -> TableView:
    """The table after its game, where the player at `seat` shows a step."""
    return msgspec.structs.replace(
        toy_table(names, "finished"), led=None if seat is None else LedReview(seat, step)
    )


async def opened(v: Visit, table: TableView) -> None:
    """Open the review from the table."""
    await v.hears(table, chat())
    await v.until(lambda: isinstance(v.app.screen, TableScreen))
    await v.types("f")
    await v.until(lambda: isinstance(v.app.screen, ReplayScreen))


def at(v: Visit, step: int) -> bool:
    return f"{step + 1}/{STEPS + 1}" in v.text.splitlines()[0]


def said(v: Visit) -> list[Command]:
    return [command for command in v.link.sent if isinstance(command, Lead)]


async def test_a_follower_goes_along_until_they_step_and_f_follows_again(visit: Visiting) -> None:
    async with visit(link=PastServer([past(12)])) as v:
        await opened(v, over(1, 7))
        await v.until(lambda: at(v, 7))
        assert "following Bo" in v.text
        await v.hears(over(1, 9))
        await v.until(lambda: at(v, 9))
        await v.types("left")
        await v.until(lambda: at(v, 8))
        assert "Bo leads" in v.text
        await v.hears(over(1, 12))
        assert at(v, 8), "free"
        await v.types("f")
        await v.until(lambda: at(v, 12))
        await v.hears(over(1, 3))
        await v.until(lambda: at(v, 3))
        assert not said(v)
        await v.hears(over())
        assert "Bo" not in v.text.splitlines()[0]


async def test_who_leads_shows_each_step_that_they_see(visit: Visiting) -> None:
    async with visit(link=PastServer([past(12)])) as v:
        await opened(v, over())
        await v.types("right", "f")
        await v.until(lambda: said(v) == [Lead(1)])
        await v.hears(over(0, 1))
        assert "you lead" in v.text
        await v.types("right")
        await v.until(lambda: said(v) == [Lead(1), Lead(2)])
        await v.hears(over(0, 2))
        await v.hears(over(1, 6))
        await v.until(lambda: at(v, 6))
        assert "following Bo" in v.text, "who leads last leads"
        await v.types("f", "q")
        await v.until(lambda: said(v)[2:] == [Lead(6), Lead()])


async def test_with_nobody_else_there_is_nothing_to_lead(visit: Visiting) -> None:
    async with visit(link=PastServer([past(12)])) as v:
        await opened(v, over(names="Ann bot:greedy"))
        await v.types("f", "right")
        await v.until(lambda: at(v, 1))
        assert not said(v)
        assert "lead" not in v.text.splitlines()[-1]


async def test_a_replay_from_the_list_is_ones_own(visit: Visiting) -> None:
    async with visit(link=PastServer([past(12)])) as v:
        await v.types("f", "enter")
        await v.until(lambda: isinstance(v.app.screen, ReplayScreen))
        await v.types("f", "right")
        await v.until(lambda: at(v, 1))
        assert not said(v)
        assert Replay("K7QP-12", 1) in v.link.sent


async def test_the_table_that_plays_on_comes_to_the_front(visit: Visiting) -> None:
    async with visit(link=PastServer([past(12)])) as v:
        await opened(v, over(names="Ann bot:greedy"))
        await v.hears(over(names="Ann bot:greedy"))
        assert isinstance(v.app.screen, ReplayScreen), "the same table stays below its review"
        await v.types("o")
        await v.hears(msgspec.structs.replace(toy_table("Ann bot:greedy"), code="QQ2M"), chat())
        await v.until(lambda: isinstance(v.app.screen, TableScreen))
        assert "QQ2M" in v.text.splitlines()[0]
