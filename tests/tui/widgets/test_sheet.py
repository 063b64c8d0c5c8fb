import itertools

from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.strip import Strip

from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.widgets.sheet import MERGE_GAP, Sheet, changed_spans


class Watched(Sheet):
    """A sheet that tells which regions it asked to repaint."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[Region, ...]] = []

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> "Watched":
        self.asked.append(regions)
        super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)
        return self


class OneSheet(App[None]):
    """An app that is one sheet."""

    def __init__(self) -> None:
        super().__init__()
        self.sheet = Watched()
        self.clicks: list[tuple[int, int]] = []

    def compose(self) -> ComposeResult:
        yield self.sheet

    def on_click(self, event: events.Click) -> None:
        self.clicks.append((event.x, event.y))


def frame(width: int, height: int, *puts: tuple[int, int, str, str]) -> Frame:
    canvas = Canvas(width, height)
    for x, y, text, role in puts:
        canvas.put(x, y, text, role)
    return canvas.frame()


def text(strip: Strip) -> str:
    return "".join(segment.text for segment in strip)


async def test_a_frame_is_shown_in_the_themes_styles() -> None:
    app = OneSheet()
    async with app.run_test(size=(20, 4)):
        app.sheet.show(frame(20, 4, (2, 1, "hello", "key")))
        strip = app.sheet.render_line(1)
        assert text(strip) == "  hello" + " " * 13
        assert list(strip)[1].style == app.sheet.sheet_theme.style("key")


async def test_only_what_changed_is_repainted() -> None:
    app = OneSheet()
    async with app.run_test(size=(40, 4)):
        app.sheet.show(frame(40, 4, (0, 0, "title", "title"), (3, 2, "AH", "printed-H")))
        app.sheet.asked.clear()
        app.sheet.show(frame(40, 4, (0, 0, "title", "title"), (3, 2, "AH", "cursor-H"), (30, 2, "x", "key")))
        assert app.sheet.asked == [(Region(3, 2, 2, 1), Region(30, 2, 1, 1))]
        assert "x" in text(app.sheet.render_line(2))


async def test_the_same_frame_again_repaints_nothing() -> None:
    app = OneSheet()
    async with app.run_test(size=(20, 4)):
        app.sheet.show(frame(20, 4, (0, 0, "a", "key")))
        app.sheet.asked.clear()
        app.sheet.show(frame(20, 4, (0, 0, "a", "key")))
        assert app.sheet.asked == []


async def test_a_row_is_made_once_until_it_changes() -> None:
    app = OneSheet()
    async with app.run_test(size=(20, 4)):
        app.sheet.show(frame(20, 4, (0, 0, "a", "key")))
        first, other = app.sheet.render_line(0), app.sheet.render_line(1)
        app.sheet.show(frame(20, 4, (0, 0, "b", "key")))
        assert app.sheet.render_line(0) is not first
        assert app.sheet.render_line(1) is other


async def test_another_size_repaints_everything_and_ground_fills_what_the_frame_leaves() -> None:
    app = OneSheet()
    async with app.run_test(size=(20, 4)):
        app.sheet.show(frame(20, 4, (0, 0, "a", "key")))
        app.sheet.asked.clear()
        app.sheet.show(frame(10, 2, (0, 0, "b", "key")))
        assert app.sheet.asked == [()]
        assert text(app.sheet.render_line(0)) == "b" + " " * 19
        assert text(app.sheet.render_line(3)) == " " * 20


async def test_a_click_bubbles_with_its_cell() -> None:
    app = OneSheet()
    async with app.run_test(size=(20, 6)) as pilot:
        await pilot.click(offset=(7, 3))
        await pilot.click(offset=(7, 3), times=2)
        assert set(app.clicks) == {(7, 3)}


@given(st.text("ab", min_size=40, max_size=40), st.text("ab", min_size=40, max_size=40))
def test_the_changed_ranges_hold_every_difference_and_begin_and_end_with_one(old: str, new: str) -> None:
    ranges = list(changed_spans(((old, "key"),), ((new, "key"),)))
    differs = [x for x in range(40) if old[x] != new[x]]
    assert [x for x in differs if not any(start <= x < end for start, end in ranges)] == []
    assert all(start in differs and end - 1 in differs for start, end in ranges)
    assert all(second[0] - first[1] >= MERGE_GAP for first, second in itertools.pairwise(ranges))


def test_a_change_of_role_alone_is_a_change() -> None:
    assert list(changed_spans((("ab", "key"),), (("a", "key"), ("b", "hint")))) == [(1, 2)]
