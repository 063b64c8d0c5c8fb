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
    LessonText,
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


async def test_lessons_are_learnt_with_keys_alone_and_the_last_one_is_not_skipped_out_of(
    school: Server,
) -> None:
    async with a_pupil(school) as pupil:
        for number in (1, 2):
            assert f"Lesson {number} of {len(LESSONS)}" in pupil.text
            for move in wanted_moves(number):
                await pupil.make(move)
            assert "Well done." in pupil.text
            await pupil.press("enter")
        await pupil.press(*["pagedown"] * 5)
        assert "Lesson 8 of" in pupil.text
        await pupil.make(wanted_moves(8)[0])
        assert "From now on the joker is worth" in pupil.text
        await pupil.press(*["pagedown"] * 5)
        assert f"Lesson {len(LESSONS)} of" in pupil.text
        await pupil.make(wanted_moves(10)[0])
        assert "You win" in pupil.text
        assert "best turn" not in pupil.text, "there were no turns"
        await pupil.press("enter")
        assert isinstance(pupil.app.screen, LobbyScreen)
        assert "You're ready. Press p to play." in pupil.text


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
        await pupil.press("e")
        assert "Lay at least one stone" in pupil.text, "the game words its refusals"
        await pupil.press("3", "enter")
        assert "That's a different stone" in pupil.text
        assert "Not quite." in pupil.text
        await pupil.press("4")
        assert "Not quite." in pupil.text, "nothing goes on before it is taken back"
        await pupil.press("enter")
        assert "Pick K♠ by number" in pupil.text
        await pupil.make(wanted_moves(1)[0])
        assert "Well done." in pupil.text


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
        for words, told in (("K♠", ""), ("Enter lay", "Well done."), ("Enter continue", "Lesson 2 of")):
            rows = list(enumerate(pupil.screen.shown.text().splitlines()))
            x, y = [(row.index(words), y) for y, row in rows if words in row][-1]
            await pupil._pilot.click(offset=(x, y))  # type: ignore[attr-defined]
            await pupil.settle()
            assert told in pupil.text


test_visits = visits(__file__)


SIZES = ((60, 20), (80, 20), (80, 24), (91, 20), (120, 40), (200, 60))
VIEWS = tuple(moments())
LOOKS = tuple(itertools.product((ENGLISH, PSEUDO, *map(translator_for, OTHERS)), (False, True)))


def texts_of(view: LessonView, look: Look) -> list[LessonText]:
    lesson, places = CARTINO_SCREEN.lessons[view.name], CARTINO_SCREEN.lesson_places(look)
    return all_lesson_texts(lesson, view, places, look.translator)


def frames(view: LessonView, look: Look) -> list[Frame]:
    """All that is seen of this moment: the table, and the page of words where there is one."""
    lesson, translator = CARTINO_SCREEN.lessons[view.name], look.translator
    words = lesson_text(lesson, view, CARTINO_SCREEN.lesson_places(look), translator)
    where = lesson_layout(look, texts_of(view, look))
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
def test_all_that_is_to_be_said_is_whole_on_the_screen(size: tuple[int, int]) -> None:
    for number, view in enumerate(VIEWS):
        translator, ascii = LOOKS[number % len(LOOKS)]
        look = Look(*size, ascii, ascii_translator(translator) if ascii else translator)
        with drawn_whole("ann", "Alex") as faults:
            shown = frames(view, look)
        assert faults == [], f"{view.name} {view.done} {look.ascii}"
        for frame in shown:
            assert (frame.width, frame.height) == size
            assert all(sum(len(text) for text, _ in row) == size[0] for row in frame.rows)
        english = Look(*size)
        places = CARTINO_SCREEN.lesson_places(english)
        said = lesson_text(CARTINO_SCREEN.lessons[view.name], view, places, ENGLISH)
        text = " ".join(frames(view, english)[0].text().split())
        for sentence in (said.title, said.told, said.task):
            assert all(word in text for word in sentence.split()), (view.name, sentence)


@pytest.mark.parametrize("view", VIEWS[:6], ids=lambda view: f"{view.name} {view.done}")
def test_every_word_is_said_in_the_readers_language(view: LessonView) -> None:
    for size in ((60, 20), (120, 40)):
        for frame in frames(view, Look(*size, translator=PSEUDO)):
            assert plain_words(frame, "ann", "Alex", "Cartino") == []


def test_in_80_by_24_table_and_words_are_seen_together_and_stay_through_a_lesson() -> None:
    plans = {(view.name, lesson_layout(Look(80, 24), texts_of(view, Look(80, 24)))) for view in VIEWS}
    assert {plan.place for _, plan in plans} == {"above"}
    assert len(plans) == len({view.name for view in VIEWS})


def test_a_click_reaches_the_table_where_it_is() -> None:
    everything = texts_of(VIEWS[0], Look(80, 24))
    above = lesson_layout(Look(80, 24), everything)
    assert table_cell_at(above, 5, 0) == (5, 0)
    assert table_cell_at(above, 5, 1) is None
    assert table_cell_at(above, 5, above.size) is None
    assert table_cell_at(above, 5, above.size + 1) == (5, 1)
    beside = lesson_layout(Look(100, 20), everything)
    assert beside.place == "beside"
    assert table_cell_at(beside, 59, 3) == (59, 3)
    assert table_cell_at(beside, 60, 3) is None
