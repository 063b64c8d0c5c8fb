"""A lesson over a line that is slow, refuses, or is lost: nothing is stuck, and nothing is done twice."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from cartino_protocol.commands import Hello, Lesson
from cartino_protocol.link import ConnectionStatus
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import LessonView, Mine
from cartino_protocol.wire import encode_raw
from cartino_tui.game_port.description import LessonWords, TaskWords
from cartino_tui.game_port.screen import AnyScreen
from cartino_tui.screens.lobby import LobbyScreen
from cartino_tui.visit.routes import ToLesson
from tests.support.visit import LayOne, ToyPlug, Visit, line, lobby, room, welcome
from tests.tui.conftest import Visiting


class TeachingPlug(ToyPlug):
    """The toy, with two lessons."""

    lessons: ClassVar[Mapping[str, LessonWords]] = MappingProxyType(
        {
            "one": LessonWords("One", "Begin.", (TaskWords("Lay 1.", "Laid.", "Not that."),)),
            "two": LessonWords("Two", "Begin again.", (TaskWords("Lay 2.", "Laid.", "Not that."),)),
        }
    )


SCHOOL: Mapping[str, AnyScreen] = {"toy": TeachingPlug()}
FIRST, SECOND = Lesson("toy"), Lesson("toy", 2)
LAID = Lesson("toy", 1, (encode_raw(LayOne(1)),))


def shown(number: int = 1, done: int = 0, *, strayed: bool = False) -> LessonView:
    laid = done or int(strayed)
    return LessonView(
        "toy", number, 2, ("one", "two")[number - 1], done, 1, room(number=laid, laid=laid), strayed
    )


async def asks(visit: Visit, *lessons: Lesson) -> None:
    """The app has asked for `lessons`, in this order, since it came."""

    def asked() -> list[Lesson]:
        return [said for said in visit.link.sent if isinstance(said, Lesson)]

    await visit.until(lambda: len(asked()) >= len(lessons), f"it asks for {lessons}")
    assert asked() == list(lessons)


async def begins(visit: Visit) -> None:
    await asks(visit, FIRST)
    await visit.hears(shown())
    assert "Lay 1." in visit.text


async def test_what_is_typed_ahead_waits_for_the_lesson(visit: Visiting) -> None:
    async with visit(intent=ToLesson(), game_screens=SCHOOL) as v:
        await asks(v, FIRST)
        await v.types("1", "enter", "enter")
        await v.hears(shown())
        await asks(v, FIRST, LAID)
        await v.hears(shown(done=1))
        await asks(v, FIRST, LAID, SECOND)


async def test_what_strays_is_taken_back_without_asking(visit: Visiting) -> None:
    async with visit(intent=ToLesson(), game_screens=SCHOOL) as v:
        await begins(v)
        await v.types("1", "enter")
        await v.hears(shown(strayed=True))
        assert "Not that." in v.text
        await v.types("enter")
        assert "Lay 1." in v.text
        await v.types("1", "enter")
        await asks(v, FIRST, LAID, LAID)


async def test_a_refused_move_is_none(visit: Visiting) -> None:
    async with visit(intent=ToLesson(), game_screens=SCHOOL) as v:
        await begins(v)
        await v.types("1", "enter")
        await v.hears(Refusal("illegal", "own-cell", "Lesson"))
        assert v.status == "The toy forbids own-cell."
        await v.types("1", "enter")
        await asks(v, FIRST, LAID, LAID)


async def test_a_house_without_lessons_says_so_and_lets_one_go(visit: Visiting) -> None:
    async with visit(intent=ToLesson(), game_screens=SCHOOL) as v:
        await asks(v, FIRST)
        await v.hears(Refusal("no-lesson", to="Lesson"))
        assert v.status == "There are no lessons for that game here. Its rules are in the help."
        await v.types("enter")
        await asks(v, FIRST, FIRST)
        await v.hears(Refusal("no-lesson", to="Lesson"))
        await v.types("q")
        assert isinstance(v.app.screen, LobbyScreen)


async def test_an_app_without_lessons_says_so(visit: Visiting) -> None:
    async with visit(intent=ToLesson()) as v:
        assert v.status == "There are no lessons here. Press ? for the rules."


async def test_a_lesson_goes_on_behind_a_lost_line(visit: Visiting) -> None:
    async with visit(intent=ToLesson(), game_screens=SCHOOL) as v:
        await begins(v)
        await v.types("1", "enter")
        await v.hears(ConnectionStatus("lost", 4.0))
        await v.hears(ConnectionStatus("trying"), ConnectionStatus("back"))
        assert sum(isinstance(said, Hello) for said in v.link.said) == 2
        await v.hears(welcome(), lobby())
        assert "Lay 1." in v.text
        assert v.status == Refusal("no-line").sentence()
        await v.types("1", "enter")
        await asks(v, FIRST, LAID, LAID)
        await v.hears(shown(done=1))
        assert "Laid." in v.text


async def test_who_has_a_table_that_waits_for_its_game_is_told_so(visit: Visiting) -> None:
    async with visit(lobby(line("K7QP")), Mine((), (("B4ZT", "chess"),)), game_screens=SCHOOL) as v:
        assert v.status == "Your table B4ZT is kept, but chess can't be played here now. Ask the host."


async def test_who_is_new_is_invited_until_they_have_been_there(visit: Visiting) -> None:
    async with visit(lobby(line("K7QP")), game_screens=SCHOOL) as v:
        assert v.status == "New here? Press h to learn a game in three minutes."
        await v.types("h")
        await v.hears(shown())
        await v.types("q")
        assert v.status == ""
