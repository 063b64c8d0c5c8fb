"""The course of a game over a replay: a chart with a cursor, and the way to any turn by its number."""

import pytest

from cartino_protocol.commands import Course, Replay
from cartino_protocol.views import CourseTurn
from cartino_tui.screens.replay.screen import ReplayScreen
from cartino_tui.screens.replay.totals import TotalsScreen, turn_of
from tests.support.people import PeopleServer
from tests.support.visit import Visit
from tests.tui.conftest import Visiting


async def replayed(v: Visit, *keys: str) -> None:
    """Open the newest game, type `keys`, and wait for all the answers."""
    await v.types("f", "enter")
    await v.until(lambda: isinstance(v.app.screen, ReplayScreen))
    await v.types(*keys)
    await v.until(lambda: v.link.all_heard and not v.app.context.typeahead.waiting)
    await v.pilot.pause()


async def test_the_course_is_asked_for_once_and_leads_to_a_turn(visit: Visiting) -> None:
    async with visit(link=PeopleServer()) as v:
        await replayed(v, "c")
        assert isinstance(v.app.screen, TotalsScreen)
        assert v.link.sent[-1] == Course("K7QP-12")
        assert "turn 1 of 12" in v.text.splitlines()[0]
        assert "Turn 1, Ann: 1 point." in v.text
        await v.types("right", "right", "enter")
        await v.until(lambda: isinstance(v.app.screen, ReplayScreen))
        await v.until(lambda: v.link.sent[-1] == Replay("K7QP-12", 6))
        await v.until(lambda: "turn 3" in v.text)
        await v.types("c")
        await v.until(lambda: "turn 3 of 12" in v.text)
        assert sum(isinstance(said, Course) for said in v.link.sent) == 1


@pytest.mark.parametrize(
    ("keys", "turn"),
    [
        (("end",), 12),
        (("end", "left"), 11),
        (("pagedown",), 11),
        (("pagedown", "pageup", "down"), 2),
        (("7", "enter"), 7),
        (("1", "2", "enter"), 12),
        (("t", "4", "enter", "home"), 1),
    ],
)
async def test_every_way_to_a_turn(visit: Visiting, keys: tuple[str, ...], turn: int) -> None:
    async with visit(link=PeopleServer()) as v:
        await replayed(v, "c", *keys)
        assert f"turn {turn} of 12" in v.text.splitlines()[0]
        await v.types("q")
        await v.until(lambda: isinstance(v.app.screen, ReplayScreen))


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


async def test_a_turn_is_typed_in_the_replay(visit: Visiting) -> None:
    async with visit(link=PeopleServer()) as v:
        await replayed(v, "5")
        assert "Turn, 1 to 12" in v.text
        await v.types("enter")
        await v.until(lambda: v.link.sent[-1] == Replay("K7QP-12", 10))
        await v.types("t", "9", "9", "enter")
        await v.until(lambda: "The turns are numbered from 1 to 12." in v.text)


async def test_a_game_without_a_turn_has_no_course(visit: Visiting) -> None:
    async with visit(link=PeopleServer(turns=())) as v:
        await replayed(v, "c")
        assert isinstance(v.app.screen, ReplayScreen)
        assert "Nobody took a turn in this game." in v.text


def test_the_turn_of_a_step() -> None:
    turns = (CourseTurn(0, 2, (1,)), CourseTurn(0, 5, (2,)))
    assert [turn_of(turns, step) for step in range(8)] == [0, 0, 0, 1, 1, 1, 1, 1]
