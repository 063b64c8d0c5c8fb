"""The lessons with a real server at the other end of the link; `lesson.txt` has visits to a scripted one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from cartino_games.cartino.board import BOARDS
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_games.cartino.rules.lessons import LESSONS
from cartino_games.cartino.screen.pointer import CartinoPointer
from cartino_games.cartino.views import CartinoView
from cartino_server.server import Server
from cartino_server.table.link import Person
from cartino_tui.app import CartinoApp
from cartino_tui.i18n import ENGLISH
from cartino_tui.screens.lesson import LessonScreen
from cartino_tui.screens.lobby import LobbyScreen
from cartino_tui.screens.table import TableScreen
from cartino_tui.screens.table_state import ShownTable
from cartino_tui.visit.routes import ToLesson
from cartino_tui.widgets.help import HelpScreen
from tests.support.game_server import World, new_server
from tests.support.games import BOTS, GAMES, SCREENS
from tests.support.school import wanted_moves
from tests.support.visit_script import visits


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
