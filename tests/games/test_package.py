"""The parts of every installed game fit together: bots, screen, speech, and lessons with their words."""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

import msgspec
import pytest

from cartino_engine.port import AnyGame, AnyLesson, LessonTask, Step
from cartino_engine.replay import PUPIL_SEAT, LessonProgress, replay_lesson
from cartino_games.caro.views import CaroLay
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_protocol.wire import encode_raw
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import LANGUAGES, Language, translator_for
from tests.support.games import BOTS, GAMES, SCREENS, SPEECHES


def test_every_part_stands_under_its_games_and_its_own_name() -> None:
    assert {(bot.game, bot.name): bot for bot in BOTS.values()} == BOTS
    assert set(SPEECHES) == set(SCREENS) == set(GAMES)
    assert all(speech.name == name for name, speech in SPEECHES.items())


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_bot_for_quick_play_and_one_that_plays_anything(game: str) -> None:
    assert {name for of, name in BOTS if of == game} >= {"greedy", "random"}


LESSONS = pytest.mark.parametrize(
    ("game", "lesson"),
    [
        pytest.param(game, each, id=f"{game.name} {each.name}")
        for game in GAMES.values()
        for each in game.lessons
    ],
)
Claim = Callable[[AnyGame, Any, LessonTask[Any], Any], bool]
"""Whether a sentence is true of a move that strays: the game, the state before it, the task, the move."""


def always(game: AnyGame, state: Any, task: LessonTask[Any], move: Any) -> bool:
    return True


def scores(game: AnyGame, state: Any, move: Any) -> int:
    step = game.apply(state, PUPIL_SEAT, move)
    assert isinstance(step, Step)
    return game.totals(step.state)[PUPIL_SEAT] - game.totals(state)[PUPIL_SEAT]


def grey_for_17(game: AnyGame, state: Any, task: LessonTask[Any], move: Any) -> bool:
    (wanted,) = task.wanted
    return wanted.colour == "G" and scores(game, state, wanted) == 17


def not_grey_by_red(game: AnyGame, state: Any, task: LessonTask[Any], move: Any) -> bool:
    return move.colour != "G" or scores(game, state, move) < 16


def not_it(stone: str, half: str = "") -> Claim:
    """The move isn't that stone, or not on that half."""

    def check(game: AnyGame, state: Any, task: LessonTask[Any], move: Any) -> bool:
        return not isinstance(move, Lay) or move.stone != stone or (half != "" and move.spot != stone + half)

    return check


CLAIMS: dict[str, Claim] = {
    "": always,
    "Legal, but not what this step asks for.": always,
    "This step asks for grey between the two reds: 17 points.": grey_for_17,
    "Choose grey and lay it next to red.": not_grey_by_red,
    "Call it first: once you lay a caro, the move stands.": lambda game, state, task, move: isinstance(
        move, CaroLay
    ),
    "That's a different stone. Try {KS}.": not_it("KS"),
    "Legal, but this step asks for {KS} on the upper half.": not_it("KS", "u"),
    "Legal, but this step asks for {KS} on the lower half.": not_it("KS", "l"),
    "You could lay that too, but in this step the turn ends with three stones.": lambda game, state, task, move: (
        isinstance(move, Lay)
    ),
    "Lay all five before you end the turn.": lambda game, state, task, move: isinstance(move, EndTurn),
}


def meant(move: Any) -> list[object]:
    """What a move is, in whatever order its cards are named."""
    return [sorted(each) if isinstance(each, tuple) else each for each in msgspec.structs.astuple(move)]


def after(game: AnyGame, lesson: AnyLesson, moves: Sequence[Any]) -> LessonProgress:
    progress = replay_lesson(game, lesson, [bytes(encode_raw(move)) for move in moves])
    assert isinstance(progress, LessonProgress), progress
    return progress


@LESSONS
def test_a_lesson_is_finished_by_what_it_wants_and_says_what_is_true_of_other_moves(
    game: AnyGame, lesson: AnyLesson
) -> None:
    assert game.read_options(lesson.options) == lesson.options
    assert game.on_turn(lesson.start) == (PUPIL_SEAT,)
    words = SCREENS[game.name].lessons[lesson.name].tasks
    way: list[Any] = []
    for done, (task, said) in enumerate(zip(lesson.tasks, words, strict=True)):
        state = after(game, lesson, way).state
        wanted = [move for move in task.wanted if game.check(state, PUPIL_SEAT, move) is None]
        for move in wanted:
            progress = after(game, lesson, [*way, move])
            assert (progress.done, progress.strayed) == (done + 1, False), move
        for move in islice(game.legal(state, PUPIL_SEAT), 500):
            if meant(move) in map(meant, task.wanted):
                continue
            progress = after(game, lesson, [*way, move])
            assert (progress.done, progress.strayed) == (done, True), move
            assert CLAIMS[said.astray](game, state, task, move), f"{said.astray!r} of {move}"
        way.append(wanted[0])


@pytest.mark.parametrize("language", LANGUAGES)
@LESSONS
def test_the_words_of_a_lesson_have_all_their_places_filled(
    game: AnyGame, lesson: AnyLesson, language: Language
) -> None:
    screen, translator = SCREENS[game.name], translator_for(language)
    assert list(screen.lessons) == [each.name for each in game.lessons]
    assert len(screen.lessons) >= 6
    words, places = screen.lessons[lesson.name], screen.lesson_places(Look(80, 24, letters=language))
    for text in (
        words.title,
        words.begin,
        *(text for task in words.tasks for text in msgspec.structs.astuple(task)),
    ):
        assert "{" not in translator.gettext(text, **places)
    assert all((words.title, words.begin, *(task.task and task.learnt for task in words.tasks)))


def test_five_stones_score_what_the_lesson_says() -> None:
    game = GAMES["cartino"]
    lesson = next(each for each in game.lessons if each.name == "five")
    best: dict[tuple[str, ...], int] = {}

    def lay(state: Any, ranks: tuple[str, ...]) -> None:
        if len(ranks) == 5:
            best[ranks] = max(best.get(ranks, 0), game.totals(state)[PUPIL_SEAT])
            return
        for move in game.legal(state, PUPIL_SEAT):
            step = game.apply(state, PUPIL_SEAT, move) if isinstance(move, Lay) else None
            if isinstance(move, Lay) and isinstance(step, Step):
                lay(step.state, (*ranks, move.stone[:-1]))

    lay(lesson.start, ())
    assert max(best, key=lambda ranks: best[ranks]) == ("A", "K", "Q", "J", "10")
    assert max(best.values()) == 19 + 10
