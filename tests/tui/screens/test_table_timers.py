"""The clocks of a table on its screen: drawn anew when they read otherwise, and no timer where nothing changes."""

import pytest
from textual.screen import Screen

from cartino_protocol.link import ConnectionStatus
from cartino_protocol.views import ClaimView, TableView
from cartino_tui.screens.table_timers import SAVE_SELECTION_AFTER
from tests.support.visit import lobby, toy_table
from tests.tui.conftest import Visiting

WARNING = "10 seconds left, then a substitute bot plays this turn."


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def timers(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The delays of all timers that screens have asked for."""
    asked: list[float] = []
    set_timer = Screen.set_timer

    def counted(screen: Screen[None], delay: float, *args: object, **more: object) -> object:
        asked.append(delay)
        return set_timer(screen, delay, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Screen, "set_timer", counted)
    return asked


@pytest.mark.parametrize(
    "view",
    [
        toy_table(),
        toy_table(left={0: 20.0}, paused=True),
        toy_table(state="finished"),
        toy_table("Ann -", "open", clock="60s"),
        toy_table(left={0: 0.0}),
    ],
)
async def test_a_table_where_no_clock_runs_asks_for_no_timer(
    visit: Visiting, timers: list[float], view: TableView
) -> None:
    async with visit(view) as v:
        await v.types("1", "2", "question_mark", "escape")
        await v.hears(view)
        # One that waits whether a stone stays in hand is no clock, and over at once.
        assert set(timers) <= {SAVE_SELECTION_AFTER}


async def test_the_clock_goes_on_by_itself(visit: Visiting, timers: list[float]) -> None:
    clock = Clock()
    async with visit(toy_table(left={1: 60.05}), now=clock) as v:
        assert "1:01 left" in v.text
        clock.now += 0.5
        await v.until(lambda: "1:00 left" in v.text, "the timer of the first twentieth of a second")
        assert len(timers) >= 2
        assert timers[-1] == pytest.approx(0.56)


async def test_above_two_minutes_it_is_drawn_once_a_minute(visit: Visiting, timers: list[float]) -> None:
    async with visit(toy_table(left={1: 83400.0}), now=Clock()) as v:
        assert "23 h 10 min left" in v.text
        assert timers == [pytest.approx(60.01)] * len(timers) != []


async def test_the_frame_of_one_second_is_not_that_of_another(visit: Visiting) -> None:
    """Frames are shared by what they are drawn from, and the seconds shown are a part of that."""
    clock, view = Clock(), toy_table(left={1: 30.0})
    async with visit(view, now=clock) as v:
        assert "0:30 left" in v.text
        clock.now += 7
        await v.types("1")
        assert "0:23 left" in v.text


async def test_ten_seconds_before_the_end_of_ones_turn_that_is_said_once(visit: Visiting) -> None:
    clock = Clock()
    async with visit(toy_table(left={0: 11.05}), now=clock) as v:
        assert v.status == ""
        clock.now += 15
        await v.types("1")
        assert "0:11 left" in v.text, "the server may have stood still"
        assert v.status == ""
        await v.hears(toy_table(left={0: 10.0}))
        assert v.status == WARNING
        assert "!0:10 left" in v.text
        await v.types("1")
        assert v.status == ""
        clock.now += 1
        await v.hears(toy_table(number=2, left={0: 8.5}))
        assert v.status == "", "once a turn is enough"
        await v.hears(toy_table(number=3, left={1: 30.0}), toy_table(number=4, left={0: 5.0}))
        assert v.status == "5 seconds left, then a substitute bot plays this turn.", (
            "the next turn is another"
        )


async def test_after_a_stall_the_server_corrects_the_clock(visit: Visiting) -> None:
    clock = Clock()
    async with visit(toy_table(left={0: 29.0}), now=clock) as v:
        clock.now += 26
        await v.types("1")
        assert "0:11 left" in v.text
        await v.hears(toy_table(left={0: 28.0}))
        assert "0:28 left" in v.text


async def test_without_a_connection_no_clock_is_shown(visit: Visiting) -> None:
    async with visit(toy_table(left={0: 9.0}), now=Clock()) as v:
        assert "!0:09 left" in v.text
        await v.hears(ConnectionStatus("lost", 5.0))
        assert "0:09 left" not in v.text


async def test_the_time_to_answer_is_shown_and_no_substitute_is_announced(visit: Visiting) -> None:
    claim = ClaimView((0,), 9.5, stops=True)
    async with visit(toy_table(left={0: 9.5}, claim=claim), now=Clock()) as v:
        assert "!0:10 left" in v.text
        assert v.status == ""
        await v.hears(toy_table(number=2, left={0: 8.5}, claim=ClaimView((1,), 3.0)))
        assert v.status == "9 seconds left, then a substitute bot plays this turn."


@pytest.mark.parametrize("view", [toy_table(left={1: 4.0}), toy_table(you=None, left={0: 4.0})])
async def test_the_end_of_somebody_elses_turn_is_no_sentence(visit: Visiting, view: TableView) -> None:
    async with visit(view, now=Clock()) as v:
        assert "!0:04 left" in v.text
        assert v.status == ""


async def test_a_clock_that_nobody_looks_at_does_not_tick(visit: Visiting, timers: list[float]) -> None:
    clock = Clock()
    async with visit(toy_table(left={1: 30.0}), now=clock) as v:
        await v.types("question_mark")
        await v.until(lambda: "Help: Toy" in v.text)
        before = len(timers)
        clock.now += 5
        await v.hears(lobby(), toy_table(left={1: 25.0}))
        assert len(timers) == before
        await v.types("escape")
        await v.until(lambda: "0:25 left" in v.text)
        await v.until(lambda: len(timers) > before, "it ticks again")
