"""The installed games and bots: what can be played, the options of new tables, and lessons."""

from collections.abc import Mapping

from cartino_protocol.commands import Create, Lesson
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import LessonView, ResultView, RoomView, SeatView
from cartino_protocol.wire import encode_raw
from cartino_server.engine.bots import Bot
from cartino_server.engine.port import AnyGame, AnyLesson, game_info
from cartino_server.engine.replay import PUPIL_SEAT, LessonProgress, replay_lesson
from cartino_server.table.seating import Order, order_of, quick_order


class Catalog:
    """The games by name, the first being quick play's, and the bots by game and name."""

    def __init__(self, games: Mapping[str, AnyGame], bots: Mapping[tuple[str, str], Bot]) -> None:
        self.games = games
        self.bots_of = {game: tuple(name for of, name in bots if of == game) for game in games}
        """The names of each game's bots, the first choice first."""
        self.infos = tuple(game_info(game, self.bots_of[game.name]) for game in games.values())
        self._bots = bots

    def order_of(self, command: Create) -> Order | Refusal:
        """Return the table that `command` asks for, or why it can't be opened."""
        return order_of(command, self.games, self._bots)

    def quick_order(self, game: str) -> Order | Refusal:
        """Return the table that quick play opens for `game`, "" for any."""
        return quick_order(self.games, self._bots, game)

    def is_bot(self, name: str) -> bool:
        """Return whether a bot is called `name`, as shown to players or in records."""
        wanted = name.casefold().removeprefix("bot:").removeprefix("bot ").strip()
        return any(wanted == bot.casefold() for bots in self.bots_of.values() for bot in bots)


def lesson_view(games: Mapping[str, AnyGame], name: str, asked: Lesson) -> LessonView | Refusal:
    """Return the lesson step that `asked` names, for the pupil `name`, or why there is none."""
    game = games.get(asked.game)
    if game is None:
        return Refusal("unknown-game", asked.game)
    if not game.lessons:
        return Refusal("no-lesson")
    number = min(asked.number, len(game.lessons))
    lesson = game.lessons[number - 1]
    progress = replay_lesson(game, lesson, tuple(bytes(move) for move in asked.moves))
    if isinstance(progress, Refusal):
        return progress
    return LessonView(
        game=game.name,
        number=number,
        of=len(game.lessons),
        name=lesson.name,
        done=progress.done,
        tasks=len(lesson.tasks),
        room=_lesson_table(game, lesson, progress, name, len(asked.moves)),
        strayed=progress.strayed,
    )


def _lesson_table(
    game: AnyGame, lesson: AnyLesson, progress: LessonProgress, name: str, number: int
) -> RoomView:
    result = game.result(progress.state)
    return RoomView(
        code="",
        game=game.name,
        options=lesson.options,
        state="playing" if result is None else "finished",
        number=number,
        seats=(SeatView(name, "human"), *(SeatView(other, "bot") for other in lesson.others)),
        owner=None,
        you=PUPIL_SEAT,
        spectators=0,
        commitment="",
        open=False,
        turn=game.on_turn(progress.state),
        table=encode_raw(game.view(progress.state, PUPIL_SEAT)),
        result=None if result is None else ResultView(result.totals, result.winners, result.reason),
    )
