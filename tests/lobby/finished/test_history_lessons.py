"""Lessons over a link: the table after a pupil's moves, for anybody anywhere, and nothing of it kept."""

import msgspec
import pytest

from cartino_games.cartino.moves import EndTurn, Lay
from cartino_games.cartino.views import CartinoView
from cartino_protocol.commands import Create, Lesson
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import LessonView, TableView
from cartino_protocol.wire import encode_raw
from cartino_server.server import Server
from tests.support.game_server import QUICK, World, a_guest, new_server
from tests.support.games import GAMES, SCREENS, SPEECHES
from tests.support.race import Race


def a_school(world: World) -> Server:
    return new_server(world, QUICK, {**GAMES, "race": Race()})


def table(view: LessonView) -> CartinoView:
    return msgspec.msgpack.decode(view.table.game_view, type=CartinoView)


@pytest.mark.parametrize("game", [name for name, game in GAMES.items() if game.lessons])
async def test_a_lesson_is_shown_from_its_beginning(world: World, game: str) -> None:
    ann = await a_guest(a_school(world), "ann")
    view = await ann.ask(Lesson(game), LessonView)
    assert (view.game, view.number, view.done, view.strayed) == (game, 1, 0, False)
    assert view.of == len(GAMES[game].lessons)
    assert (view.table.you, view.table.state, view.table.turn) == (0, "playing", (0,))
    assert view.table.seats[0].name == "ann"
    assert [seat.kind for seat in view.table.seats] == ["human", *["bot"] * (len(view.table.seats) - 1)]
    assert SCREENS[game].read(view.table.game_view) == SPEECHES[game].read(view.table.game_view)


async def test_it_goes_on_with_the_moves_that_are_told(world: World) -> None:
    ann = await a_guest(a_school(world), "ann")
    lay = encode_raw(Lay("KS", "KSu"))
    view = await ann.ask(Lesson("cartino", 1, (lay,)), LessonView)
    assert (view.done, view.tasks, view.strayed, view.table.number) == (1, 1, False, 1)
    again = await ann.ask(Lesson("cartino", 1), LessonView)
    assert (again.done, table(again).board.count("#")) == (0, 0), "nothing is kept"


async def test_what_strays_is_shown_and_says_so(world: World) -> None:
    ann = await a_guest(a_school(world), "ann")
    view = await ann.ask(Lesson("cartino", 1, (encode_raw(Lay("7S", "7Su")),)), LessonView)
    assert (view.done, view.strayed) == (0, True)


async def test_the_last_lesson_ends_with_a_result(world: World) -> None:
    ann = await a_guest(a_school(world), "ann")
    view = await ann.ask(Lesson("cartino", 999, (encode_raw(Lay("QD", "QDu")),)), LessonView)
    assert view.number == view.of
    assert (view.table.state, view.table.turn) == ("finished", ())
    assert view.table.result is not None
    assert view.table.result.winners == (0,)


async def test_what_is_no_lesson_is_refused(world: World) -> None:
    ann = await a_guest(a_school(world), "ann")
    assert await ann.refused(Lesson("chess")) == Refusal("unknown-game", "chess")
    assert await ann.refused(Lesson("race")) == Refusal("no-lesson")
    assert await ann.refused(Lesson("cartino", 1, (msgspec.Raw(b"\x01"),))) == Refusal("malformed")
    assert await ann.refused(Lesson("cartino", 1, (encode_raw(EndTurn()),))) == Refusal(
        "illegal", "lay-first"
    )


async def test_it_can_be_asked_for_at_a_table_too(world: World) -> None:
    ann = await a_guest(a_school(world), "ann")
    await ann.ask(Create("race"), TableView)
    assert (await ann.ask(Lesson("cartino", 2), LessonView)).name == "level"
