"""When motion is shown at a table, and how it ends: by itself, by a key, by what happens next."""

import pytest

from cartino_protocol.views import TableView
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.game_port.screen import AnyScreen, Look, TableChrome
from cartino_tui.preferences import Motion as Wanted
from cartino_tui.screens import table_timers
from cartino_tui.screens.table import TableScreen
from cartino_tui.screens.table_timers import MAX_SPECTATORS, is_animated
from cartino_tui.terminal.session_app import SessionApp
from tests.support.visit import Counter, Pick, ToyScreen, Visit, chat, toy_table
from tests.tui.conftest import Visiting

FOR_EVER = 3600.0


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


TOYS: dict[str, AnyScreen] = {"toy": MovingToy()}


def moves(visit: Visit) -> bool:
    screen = visit.app.screen
    assert isinstance(screen, TableScreen)
    return screen._animation.before is not None


def waits(visit: Visit) -> bool:
    """Whether a timer is set for the next picture."""
    screen = visit.app.screen
    assert isinstance(screen, TableScreen)
    return screen._animation._next is not None


def picture(visit: Visit) -> str:
    return next((line for line in visit.text.splitlines() if "picture" in line), "")


async def test_what_happened_moves_and_then_nothing_waits_any_more(
    visit: Visiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_timers, "PICTURE_SECONDS", 0.0)
    async with visit(toy_table(), game_screens=TOYS) as v:
        screen = v.app.screen
        assert isinstance(screen, TableScreen)
        seen: list[str] = []
        redraw = screen.redraw

        def noted() -> None:
            redraw()
            seen.append(picture(v))

        screen._animation._drawn = noted
        await v.hears(toy_table(number=2, laid=1))
        await v.until(lambda: not moves(v))
        assert seen == ["from 0 to 1, picture 1", "from 0 to 1, picture 2", ""]
        assert "laid 1" in v.text
        assert not waits(v)


async def test_a_key_ends_it_at_once_and_is_taken(visit: Visiting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_timers, "PICTURE_SECONDS", FOR_EVER)
    async with visit(toy_table(), game_screens=TOYS) as v:
        await v.hears(toy_table(number=2, laid=1))
        assert picture(v) == "from 0 to 1, picture 0"
        await v.types("2")
        assert picture(v) == ""
        assert "laid 1 picked 2" in v.text
        assert not waits(v)


async def test_a_key_that_has_to_wait_ends_it_all_the_same(
    visit: Visiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_timers, "PICTURE_SECONDS", FOR_EVER)
    async with visit(toy_table(), game_screens=TOYS) as v:
        await v.types("1", "enter")
        await v.hears(toy_table(number=2, laid=1))
        await v.types("2", "enter")
        await v.hears(toy_table(number=2, laid=2))  # no answer to that: the number is the same
        assert picture(v) == "from 1 to 2, picture 0"
        await v.types("3")
        assert v.app.context.typeahead.waiting
        assert picture(v) == ""


async def test_a_click_ends_it(visit: Visiting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_timers, "PICTURE_SECONDS", FOR_EVER)
    async with visit(toy_table(), game_screens=TOYS) as v:
        await v.hears(toy_table(number=2, laid=1))
        await v.pilot.click(offset=(4, 4))
        assert "laid 1 picked 4" in v.text
        assert picture(v) == ""


async def test_what_happens_next_ends_it_and_may_move_itself(
    visit: Visiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_timers, "PICTURE_SECONDS", FOR_EVER)
    async with visit(toy_table(), game_screens=TOYS) as v:
        await v.hears(toy_table(number=2, laid=1))
        await v.hears(toy_table(number=3, laid=2))
        assert picture(v) == "from 1 to 2, picture 0"
        await v.hears(toy_table(number=3, laid=2, watchers=("eve",)))
        assert picture(v) == ""
        assert not waits(v)


async def test_talk_does_not_end_it(visit: Visiting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_timers, "PICTURE_SECONDS", FOR_EVER)
    async with visit(toy_table(), game_screens=TOYS) as v:
        await v.hears(toy_table(number=2, laid=1), chat(("Bo", "hm")))
        assert picture(v) == "from 0 to 1, picture 0"
        assert "Bo: hm" in v.text


async def test_who_wants_none_has_the_last_picture_at_once(visit: Visiting) -> None:
    async with visit(toy_table(), game_screens=TOYS) as v:
        v.app.context.preferences.choose(motion="off")
        await v.hears(toy_table(number=2, laid=1))
        assert "laid 1" in v.text
        assert not moves(v)
        assert not waits(v)


async def test_nothing_moves_under_another_screen(visit: Visiting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_timers, "PICTURE_SECONDS", FOR_EVER)
    async with visit(toy_table(), game_screens=TOYS) as v:
        table = v.app.screen
        assert isinstance(table, TableScreen)
        await v.hears(toy_table(number=2, laid=1))
        await v.types("question_mark")
        assert v.app.screen is not table
        assert table._animation._next is None
        await v.hears(toy_table(number=3, laid=2))
        assert table._animation.before is None
        await v.types("escape")
        assert "laid 2" in v.text
        assert picture(v) == ""


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
    monkeypatch.setattr(table_timers, "PICTURE_SECONDS", FOR_EVER)
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
