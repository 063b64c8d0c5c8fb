"""Clocks and animations: no timer where nothing changes; the visits are in `table_timers.txt`."""

import pytest
from textual.screen import Screen

from cartino_protocol.views import TableView
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.game_port.screen import AnyScreen, Look, TableChrome
from cartino_tui.preferences import Motion as Wanted
from cartino_tui.screens import table_timers
from cartino_tui.screens.table_timers import MAX_SPECTATORS, SAVE_SELECTION_AFTER, is_animated
from cartino_tui.terminal.session_app import SessionApp
from tests.support.visit import Counter, Pick, ToyScreen, Visit, chat, lobby, toy_table
from tests.support.visit_script import visits
from tests.tui.conftest import Visiting


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


async def test_a_clock_that_nobody_looks_at_does_not_tick(visit: Visiting, timers: list[float]) -> None:
    clock = [1000.0]
    async with visit(toy_table(left={1: 30.0}), now=lambda: clock[0]) as v:
        await v.types("question_mark")
        await v.until(lambda: "Help: Toy" in v.text)
        before = len(timers)
        clock[0] += 5
        await v.hears(lobby(), toy_table(left={1: 25.0}))
        assert len(timers) == before
        await v.types("escape")
        await v.until(lambda: "0:25 left" in v.text)
        await v.until(lambda: len(timers) > before, "it ticks again")


class MovingToy(ToyScreen):
    """A toy that shows in three pictures that stones were laid."""

    def pictures(self, before: Counter, view: Counter) -> int:
        return 3 if view.laid > before.laid else 0

    def draw_picture(
        self,
        table: TableView,
        view: Counter,
        pointer: Pick,
        look: Look,
        around: TableChrome,
        before: Counter,
        picture: int,
        under: Frame | None = None,
    ) -> Frame:
        canvas = Canvas.from_frame(self.draw(table, view, pointer, look, around))
        canvas.put(0, 10, f"from {before.laid} to {view.laid}, picture {picture}", "text")
        return canvas.frame()


def picture(visit: Visit) -> str:
    return next((line for line in visit.text.splitlines() if "picture" in line), "")


def app(depth: str = "256", *, slow: bool = False) -> SessionApp[None]:
    made = SessionApp[None](depth=depth)  # type: ignore[arg-type]
    made.is_slow = slow
    return made


@pytest.mark.parametrize(
    ("made", "wanted", "watchers", "plays", "moves"),
    [
        (app(), "auto", 0, True, True),
        (app(), "off", 0, True, False),
        (app(slow=True), "auto", 0, True, False),
        (app(slow=True), "on", 0, True, True),
        (app("mono"), "auto", 0, True, False),
        (app("mono"), "on", 0, True, True),
        (app(), "on", MAX_SPECTATORS, False, True),
        (app(), "on", MAX_SPECTATORS + 1, False, False),
        (app(), "auto", MAX_SPECTATORS + 1, True, True),
    ],
)
def test_who_is_shown_motion(
    made: SessionApp[None], wanted: Wanted, watchers: int, plays: bool, moves: bool
) -> None:
    assert is_animated(made, wanted, watchers, plays=plays) is moves


async def test_those_who_look_on_share_each_picture(visit: Visiting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_timers, "PICTURE_SECONDS", 3600.0)
    drawn: list[int] = []

    class Counting(MovingToy):
        def draw_picture(self, *args: object, **kwargs: object) -> Frame:
            drawn.append(1)
            return super().draw_picture(*args, **kwargs)  # type: ignore[arg-type]

    toys: dict[str, AnyScreen] = {"toy": Counting()}
    before, after = toy_table(you=None), toy_table(you=None, number=2, laid=1)
    talk = chat()
    async with visit(before, talk, game_screens=toys) as one, visit(before, talk, game_screens=toys) as other:
        await one.hears(after)
        await other.hears(after)
        assert picture(one) == picture(other) == "from 0 to 1, picture 0"
        assert one.app.screen.shown is other.app.screen.shown  # type: ignore[attr-defined]
        assert drawn == [1]


test_visits = visits(__file__, MovingToy=MovingToy)
