"""The lessons with a real server at the other end of the link; `lesson.txt` has visits to a scripted one."""

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from cartino_games.cartino.board import BOARDS
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_games.cartino.rules.lessons import LESSONS
from cartino_games.cartino.screen.pointer import CartinoPointer
from cartino_games.cartino.views import CartinoView
from cartino_protocol.views import LessonView
from cartino_server.server import Server
from cartino_server.table.link import Person
from cartino_tui.app import CartinoApp
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look, TableChrome
from cartino_tui.i18n import ENGLISH, ascii_translator, translator_for
from cartino_tui.keys import LESSON
from cartino_tui.screens.lesson import (
    LessonScreen,
    all_lesson_texts,
    draw_text_page,
    draw_with_text,
    lesson_layout,
    lesson_text,
    table_cell_at,
)
from cartino_tui.screens.lobby import LobbyScreen
from cartino_tui.screens.table import TableScreen
from cartino_tui.screens.table_state import ShownTable
from cartino_tui.visit.routes import ToLesson
from cartino_tui.widgets.help import HelpScreen
from cartino_tui.widgets.layout import translate_hints
from tests.support.cartino_table import CARTINO_SCREEN
from tests.support.game_server import World, new_server
from tests.support.games import BOTS, GAMES, SCREENS
from tests.support.languages import OTHERS
from tests.support.pseudo import PSEUDO, plain_words
from tests.support.school import moments, wanted_moves
from tests.support.visit_script import visits
from tests.support.whole import drawn_whole


class Pupil:
    """Somebody in the lessons of a server."""

    def __init__(self, app: CartinoApp, pilot: object) -> None:
        self.app = app
        self._pilot = pilot
        self.moved = 0
        """How often the cursor was."""

    @property
    def screen(self) -> LessonScreen:
        screen = self.app.screen
        assert isinstance(screen, LessonScreen)
        return screen

    @property
    def table(self) -> ShownTable:
        assert self.screen.state is not None
        return self.screen.state

    @property
    def text(self) -> str:
        screen = self.app.screen
        assert isinstance(screen, LessonScreen | LobbyScreen | HelpScreen)
        return " ".join(screen.shown.text().split())

    async def press(self, *keys: str) -> None:
        await self._pilot.press(*keys)  # type: ignore[attr-defined]
        await self.settle()

    async def settle(self) -> None:
        """Wait until no answer is due."""
        await self._pilot.pause()  # type: ignore[attr-defined]
        while self.app.context.typeahead.waiting:
            await self._pilot.pause()  # type: ignore[attr-defined]

    async def make(self, move: object) -> None:
        """Make a move with keys alone, as a person does."""
        if isinstance(move, EndTurn):
            await self.press("e")
            return
        assert isinstance(move, Lay)
        view = self.table.view
        assert isinstance(view, CartinoView)
        await self.press(str(view.hand.index(move.stone) + 1))
        board = BOARDS[view.edition]
        wanted = board.place_of(board.spot_number[move.spot])
        for _ in range(9):
            pointer = self.table.pointer
            assert isinstance(pointer, CartinoPointer)
            line, column = board.place_of(board.spot_number[pointer.spot])
            down, right = wanted[0] - line, wanted[1] - column
            if not down and not right:
                break
            self.moved += 1
            await self.press(("down" if down > 0 else "up") if down else ("right" if right > 0 else "left"))
        await self.press("enter")


@asynccontextmanager
async def a_pupil(
    server: Server, size: tuple[int, int] = (80, 24), *, learns: bool = True
) -> AsyncIterator[Pupil]:
    link = server.open_link(Person("1", "ann"))
    app: CartinoApp = CartinoApp(link, ToLesson("cartino") if learns else None, game_screens=SCREENS)
    async with app.run_test(size=size) as pilot:
        pupil = Pupil(app, pilot)
        await pupil.settle()
        yield pupil
    await server.close()


@pytest.fixture
def school(world: World) -> Server:
    return new_server(world, games=GAMES, bots={})


@pytest.fixture
def world() -> World:
    return World()


async def test_all_lessons_are_learnt_with_keys_alone(school: Server) -> None:
    async with a_pupil(school) as pupil:
        for number in range(1, len(LESSONS) + 1):
            assert f"Lesson {number} of {len(LESSONS)}" in pupil.text
            for move in wanted_moves(number):
                await pupil.make(move)
            assert "Well done." in pupil.text
            await pupil.press("enter")
        assert isinstance(pupil.app.screen, LobbyScreen)
        assert "You're ready. Press p to play." in pupil.text


async def test_the_joker_has_to_be_moved_to_where_it_is_wanted(school: Server) -> None:
    async with a_pupil(school) as pupil:
        await pupil.press(*["pagedown"] * 7)
        assert "Lesson 8 of" in pupil.text
        await pupil.make(wanted_moves(8)[0])
        assert pupil.moved > 1
        assert "From now on the joker is worth" in pupil.text


async def test_the_end_of_the_last_lesson_tells_of_no_turns_that_never_were(school: Server) -> None:
    async with a_pupil(school) as pupil:
        await pupil.press(*["pagedown"] * 9)
        await pupil.make(wanted_moves(10)[0])
        assert "You win" in pupil.text
        assert "best turn" not in pupil.text


async def test_on_the_smallest_screen_too(school: Server) -> None:
    async with a_pupil(school, (60, 20)) as pupil:
        assert "Enter to the table" in pupil.text
        await pupil.press("enter")
        await pupil.make(wanted_moves(1)[0])
        assert "touches nothing" in pupil.text
        await pupil.press("space")
        assert "Well done." in pupil.text
        await pupil.press("space")
        assert "touches nothing" in pupil.text
        await pupil.press("enter")
        assert "Lesson 2" in pupil.text


async def test_a_lay_that_strays_is_explained_and_taken_back(school: Server) -> None:
    async with a_pupil(school) as pupil:
        await pupil.press("3", "enter")
        assert "That's a different stone" in pupil.text
        assert "Not quite." in pupil.text
        await pupil.press("4")
        assert "Not quite." in pupil.text, "nothing goes on before it is taken back"
        await pupil.press("enter")
        assert "Pick K♠ by number" in pupil.text
        await pupil.make(wanted_moves(1)[0])
        assert "Well done." in pupil.text


async def test_what_the_rules_forbid_is_refused_in_the_games_words(school: Server) -> None:
    async with a_pupil(school) as pupil:
        await pupil.press("e")
        assert "Lay at least one stone" in pupil.text


async def test_one_can_skip_go_back_and_leave_at_any_time(school: Server) -> None:
    async with a_pupil(school) as pupil:
        await pupil.press("pagedown", "pagedown")
        assert "Lesson 3 of" in pupil.text
        await pupil.make(wanted_moves(3)[0])
        await pupil.press("pageup")
        assert "Lesson 3 of" in pupil.text, "this one anew"
        assert "Lay K♠ directly below" in pupil.text
        await pupil.press("pageup")
        assert "Lesson 2 of" in pupil.text
        await pupil.press("5", "escape")
        assert "Lesson 2 of" in pupil.text, "Esc puts the stone back first"
        await pupil.press("escape", "y")
        assert isinstance(pupil.app.screen, LobbyScreen)


async def test_the_last_lesson_is_not_skipped_out_of(school: Server) -> None:
    async with a_pupil(school) as pupil:
        await pupil.press(*["pagedown"] * (len(LESSONS) + 3))
        assert f"Lesson {len(LESSONS)} of" in pupil.text


async def test_the_help_has_keys_and_rules(school: Server) -> None:
    async with a_pupil(school) as pupil:
        await pupil.press("question_mark")
        assert "About the game" in pupil.text
        await pupil.press("end", "pageup")
        assert "In a lesson" in pupil.text
        await pupil.press("escape")
        assert "Lesson 1 of" in pupil.text


async def test_the_lobby_leads_to_the_lessons(school: Server) -> None:
    async with a_pupil(school, learns=False) as pupil:
        assert "learn Cartino (3 minutes)" in pupil.text
        assert "h other lessons" in pupil.text
        await pupil.press("h")
        assert "Lessons: which game?" in pupil.text
        assert "type what you want to do" not in pupil.text
        assert all(SCREENS[name].title_of({}, ENGLISH) in pupil.text for name in GAMES)
        await pupil.press("enter")
        assert f"{next(iter(SCREENS.values())).title} 1974 · Lesson 1 of" in pupil.text, (
            "the game by its name"
        )
        assert pupil.app.context.preferences.settings.taught


async def test_a_first_game_is_against_the_easy_bot_with_hints(world: World) -> None:
    async with a_pupil(new_server(world, games=GAMES, bots=BOTS), learns=False) as pupil:
        await pupil.press("p")
        screen = pupil.app.screen
        assert isinstance(screen, TableScreen)
        assert [seat.name for seat in screen.table.seats] == ["ann", "beginner"]
        settings = pupil.app.context.preferences.settings
        assert (settings.hints, settings.game) == (True, "cartino")
        await pupil.press("q", "y", "p")
        screen = pupil.app.screen
        assert isinstance(screen, TableScreen)
        assert screen.table.seats[1].name == "beginner", "until it was beaten twice"


async def test_by_mouse_alone(school: Server) -> None:
    async with a_pupil(school) as pupil:
        pilot = pupil._pilot
        await pilot.click(offset=_of(pupil, "K♠", last=True))  # type: ignore[attr-defined]
        await pupil.settle()
        await pilot.click(offset=_of(pupil, "Enter lay", last=True))  # type: ignore[attr-defined]
        await pupil.settle()
        assert "Well done." in pupil.text
        await pilot.click(offset=_of(pupil, "Enter continue", last=True))  # type: ignore[attr-defined]
        await pupil.settle()
        assert "Lesson 2 of" in pupil.text


def _of(pupil: Pupil, words: str, *, last: bool = False) -> tuple[int, int]:
    """A cell where `words` stand: the first such row of the screen, or the last."""
    rows = pupil.screen.shown.text().splitlines()
    found = [(row.index(words), y) for y, row in enumerate(rows) if words in row]
    return found[-1 if last else 0]


test_visits = visits(__file__)


SIZES = (
    (60, 20),
    (61, 23),
    (80, 20),
    (80, 24),
    (91, 20),
    (100, 21),
    (120, 30),
    (120, 40),
    (160, 50),
    (200, 60),
)
VIEWS = tuple(moments())


def looks(size: tuple[int, int]) -> list[Look]:
    return [
        Look(*size, ascii, ascii_translator(translator) if ascii else translator)
        for translator, ascii in itertools.product(
            (ENGLISH, PSEUDO, *map(translator_for, OTHERS)), (False, True)
        )
    ]


def frames(view: LessonView, look: Look) -> list[Frame]:
    """All that is seen of this moment: the table, and the page of words where there is one."""
    lesson, places, translator = (
        CARTINO_SCREEN.lessons[view.name],
        CARTINO_SCREEN.lesson_places(look),
        look.translator,
    )
    words = lesson_text(lesson, view, places, translator)
    where = lesson_layout(look, all_lesson_texts(lesson, view, places, translator))
    table = CARTINO_SCREEN.read(view.table.game_view)
    hints = translate_hints(LESSON.hints("later", "help", "leave"), look)
    title = translator.gettext(
        "{game} · Lesson {n} of {all}", game="Cartino 1974", n=view.number, all=view.of
    )
    around = TableChrome(title, hints=hints, alone=view.strayed)
    frame = CARTINO_SCREEN.draw(view.table, table, CARTINO_SCREEN.fresh(), where.table, around)
    if where.place == "before":
        return [draw_text_page(words, title, look, "", hints), frame]
    return [draw_with_text(frame, words, where, look)]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_nothing_is_cut_at_any_size(size: tuple[int, int]) -> None:
    for number, view in enumerate(VIEWS):
        look = looks(size)[number % 8]
        with drawn_whole("ann", "Alex") as faults:
            shown = frames(view, look)
        assert faults == [], f"{view.name} {view.done} {look.ascii}"
        for frame in shown:
            assert (frame.width, frame.height) == size
            assert all(sum(len(text) for text, _ in row) == size[0] for row in frame.rows)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_all_that_is_to_be_said_is_on_the_screen(size: tuple[int, int]) -> None:
    for view in VIEWS:
        look = Look(*size)
        said = lesson_text(
            CARTINO_SCREEN.lessons[view.name], view, CARTINO_SCREEN.lesson_places(look), ENGLISH
        )
        text = " ".join(frames(view, look)[0].text().split())
        for sentence in (said.title, said.told, said.task):
            assert all(word in text for word in sentence.split()), (view.name, sentence)


@pytest.mark.parametrize("view", VIEWS[:6], ids=lambda view: f"{view.name} {view.done}")
def test_every_word_is_said_in_the_readers_language(view: LessonView) -> None:
    for size in ((60, 20), (120, 40)):
        for frame in frames(view, Look(*size, translator=PSEUDO)):
            assert plain_words(frame, "ann", "Alex", "Cartino") == []


def test_in_80_by_24_table_and_words_are_seen_together() -> None:
    look = Look(80, 24)
    for view in VIEWS:
        lesson, places = CARTINO_SCREEN.lessons[view.name], CARTINO_SCREEN.lesson_places(look)
        assert lesson_layout(look, all_lesson_texts(lesson, view, places, ENGLISH)).place == "above", (
            view.name
        )


def test_the_table_stays_where_it_is_through_a_lesson() -> None:
    look, lesson = Look(80, 24), CARTINO_SCREEN.lessons["turn"]
    plans = {
        lesson_layout(look, all_lesson_texts(lesson, view, CARTINO_SCREEN.lesson_places(look), ENGLISH))
        for view in VIEWS
        if view.name == "turn"
    }
    assert len(plans) == 1


def test_a_click_is_told_to_the_table_where_it_is() -> None:
    view, look = VIEWS[0], Look(80, 24)
    everything = all_lesson_texts(
        CARTINO_SCREEN.lessons[view.name], view, CARTINO_SCREEN.lesson_places(look), ENGLISH
    )
    above = lesson_layout(look, everything)
    assert table_cell_at(above, 5, 0) == (5, 0)
    assert table_cell_at(above, 5, 1) is None
    assert table_cell_at(above, 5, above.size) is None
    assert table_cell_at(above, 5, above.size + 1) == (5, 1)
    beside = lesson_layout(Look(100, 20), everything)
    assert beside.place == "beside"
    assert table_cell_at(beside, 59, 3) == (59, 3)
    assert table_cell_at(beside, 60, 3) is None
