"""The course of a game over a replay: a chart with a cursor, and the way to any turn by its number."""

from cartino_protocol.commands import Replay
from cartino_protocol.views import CourseTurn
from cartino_tui.screens.replay.screen import ReplayScreen
from cartino_tui.screens.replay.totals import turn_of
from tests.support.people import PeopleServer
from tests.support.visit import Visit
from tests.support.visit_script import visits
from tests.tui.conftest import Visiting


async def replayed(v: Visit, *keys: str) -> None:
    """Open the newest game, type `keys`, and wait for all the answers."""
    await v.types("f", "enter")
    await v.until(lambda: isinstance(v.app.screen, ReplayScreen))
    await v.types(*keys)
    await v.until(lambda: v.link.all_heard and not v.app.context.typeahead.waiting)
    await v.pilot.pause()


async def test_a_click_in_the_chart_chooses_the_turn_that_stands_there(visit: Visiting) -> None:
    async with visit(link=PeopleServer()) as v:
        await replayed(v, "c", "7", "enter")
        row, column = next((y, line.index("▲")) for y, line in enumerate(v.text.splitlines()) if "▲" in line)
        await v.types("home")
        assert "turn 1 of 12" in v.text
        await v.pilot.click(offset=(column, row - 3))
        await v.until(lambda: "turn 7 of 12" in v.text)
        await v.pilot.click(offset=(column, row - 3))
        await v.until(lambda: isinstance(v.app.screen, ReplayScreen))
        await v.until(lambda: v.link.sent[-1] == Replay("K7QP-12", 14))


def test_the_turn_of_a_step() -> None:
    turns = (CourseTurn(0, 2, (1,)), CourseTurn(0, 5, (2,)))
    assert [turn_of(turns, step) for step in range(8)] == [0, 0, 0, 1, 1, 1, 1, 1]


test_visits = visits(__file__)
