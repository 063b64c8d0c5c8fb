"""A lesson over a line that is slow, refuses, or is lost: nothing is stuck, and nothing is done twice."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

import msgspec
import pytest

from cartino_protocol.commands import Create, Hello, Lesson, Watch
from cartino_protocol.link import ConnectionStatus
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import LessonView, Mine, Welcome
from cartino_protocol.wire import encode_raw
from cartino_tui.game_port.description import LessonWords, TaskWords
from cartino_tui.game_port.screen import AnyScreen
from cartino_tui.screens.lobby import LobbyScreen
from cartino_tui.visit import farewell
from cartino_tui.visit.routes import LocalTable, ToLesson
from tests.support.visit import LayOne, ToyScreen, Visit, line, lobby, toy_table, welcome
from tests.tui.conftest import Visiting


class TeachingScreen(ToyScreen):
    """The toy, with two lessons."""

    lessons: ClassVar[Mapping[str, LessonWords]] = MappingProxyType(
        {
            "one": LessonWords("One", "Begin.", (TaskWords("Lay 1.", "Laid.", "Not that."),)),
            "two": LessonWords("Two", "Begin again.", (TaskWords("Lay 2.", "Laid.", "Not that."),)),
        }
    )


SCHOOL: Mapping[str, AnyScreen] = {"toy": TeachingScreen()}
FIRST, SECOND = Lesson("toy"), Lesson("toy", 2)
LAID = Lesson("toy", 1, (encode_raw(LayOne(1)),))


def shown(number: int = 1, done: int = 0, *, strayed: bool = False) -> LessonView:
    laid = done or int(strayed)
    return LessonView(
        "toy", number, 2, ("one", "two")[number - 1], done, 1, toy_table(number=laid, laid=laid), strayed
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


async def test_a_server_without_lessons_says_so_and_lets_one_go(visit: Visiting) -> None:
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


def greeted(settings: dict[str, object]) -> Welcome:
    return msgspec.structs.replace(welcome(), settings=msgspec.Raw(msgspec.msgpack.encode(settings)))


def offers(v: Visit) -> bool:
    return "learn Toy (3 minutes)" in v.text


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
async def test_who_is_new_is_offered_lessons_below_the_tables(visit: Visiting, size: tuple[int, int]) -> None:
    async with visit(lobby(line("K7QP")), game_screens=SCHOOL, size=size) as v:
        assert offers(v)
        assert "K7QP" in v.text, "somebody may wait for an opponent"
        assert "►" not in v.text, "no table is selected while Enter means the lessons"
        await v.types("escape")
        assert not offers(v)
        assert "K7QP" in v.text
        assert v.status == "Lessons: press h, whenever you like."
        assert v.app.context.preferences.settings.taught, "they are asked once"


async def test_any_other_key_does_what_it_always_does_and_is_a_no_too(visit: Visiting) -> None:
    async with visit(lobby(line("K7QP"), line("B4ZT")), game_screens=SCHOOL) as v:
        await v.types("down", "w")
        assert v.link.sent[-1] == Watch("B4ZT")
        assert not offers(v)


async def test_help_and_quit_answer_nothing(visit: Visiting) -> None:
    async with visit(lobby(), game_screens=SCHOOL) as v:
        await v.types("question_mark", "escape")
        assert offers(v)


async def test_a_click_on_the_offer_takes_it(visit: Visiting) -> None:
    async with visit(lobby(), game_screens=SCHOOL) as v:
        await v.click("learn Toy")
        await v.until(lambda: v.link.sent[-1] == FIRST)


@pytest.mark.parametrize(
    ("said", "settings"),
    [
        ((), {"taught": True}),
        ((), {"game": "toy"}),
        ((Mine((line("B4ZT"),)),), {}),
    ],
)
async def test_nothing_is_offered_to_who_said_no_played_or_has_a_table(
    visit: Visiting, said: tuple[Mine, ...], settings: dict[str, object]
) -> None:
    async with visit(*said, greeting=(greeted(settings), lobby()), game_screens=SCHOOL) as v:
        assert not offers(v)


async def test_before_a_table_of_ones_own_lessons_are_offered_once(visit: Visiting) -> None:
    table, first = Create("toy", bots=("steady",)), Create("toy", bots=("easy",))
    async with visit(lobby(), intent=LocalTable(table, first), game_screens=SCHOOL) as v:
        assert offers(v)
        assert not any(isinstance(said, Create) for said in v.link.sent)
        await v.types("p")
        assert v.link.sent[-1] == first


async def test_the_table_comes_behind_the_last_lesson(visit: Visiting) -> None:
    first = Create("toy", bots=("easy",))
    async with visit(lobby(), intent=LocalTable(first, first), game_screens=SCHOOL) as v:
        await v.types("enter")
        await v.hears(shown(2, done=1))
        await v.types("enter")
        await v.until(lambda: v.link.sent[-1] == first)


async def test_who_has_played_goes_to_their_table_at_once(visit: Visiting) -> None:
    table, first = Create("toy", bots=("steady",)), Create("toy", bots=("easy",))
    intent, greeting = LocalTable(table, first), (greeted({"game": "toy"}), lobby())
    async with visit(intent=intent, greeting=greeting, game_screens=SCHOOL) as v:
        assert v.link.sent[-1] == table


async def test_esc_asks_and_the_lessons_go_on_where_they_were_left(visit: Visiting) -> None:
    async with visit(lobby(), game_screens=SCHOOL) as v:
        await v.types("enter")
        await v.hears(shown())
        await v.types("pagedown")
        await v.hears(shown(2))
        await v.types("escape")
        assert v.status == "Leave the lessons? You can go on from here later. (y/n)"
        await v.types("enter")
        assert "Lay 2." in v.text, "Enter is no answer"
        await v.types("y")
        assert v.status == "Press h to go on with the lessons, p to play."
        await v.types("h")
        assert v.link.sent[-1] == SECOND
        await v.hears(shown(2))
        assert "PgUp: earlier lessons." in v.text


async def test_after_the_last_lesson_they_begin_again_and_nothing_is_asked(visit: Visiting) -> None:
    async with visit(lobby(), game_screens=SCHOOL) as v:
        await v.types("enter")
        await v.hears(shown(2, done=1))
        await v.types("escape")
        assert v.status == "You're ready. Press p to play."
        await v.types("h")
        assert v.link.sent[-1] == FIRST


async def test_a_lesson_that_cannot_be_read_ends_the_visit_with_a_sentence(visit: Visiting) -> None:
    async with visit(intent=ToLesson(), game_screens=SCHOOL) as v:
        await begins(v)
        await v.types("1", "enter")
        after = shown(done=1)
        broken = msgspec.structs.replace(after.table, game_view=msgspec.Raw(b"\xc1"))
        v.link.tell(msgspec.structs.replace(after, table=broken))
        await v.until(lambda: v.app.return_code is not None)
    assert v.app.return_value == farewell.wrap_farewell(str(farewell.UNREADABLE.sentence), 80)
