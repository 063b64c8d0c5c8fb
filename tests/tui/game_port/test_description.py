from collections.abc import Mapping

from cartino_tui.draw.canvas import Row
from cartino_tui.game_port.description import fact_name, game_title
from cartino_tui.game_port.screen import Look, all_samples
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.screens.waiting_drawing import waiting_hints
from cartino_tui.widgets.help import shuffle_help
from tests.support.games import GAMES, SCREENS
from tests.support.visit import ToyScreen, toy_table


def test_every_game_that_is_played_can_be_shown_under_its_name() -> None:
    assert set(SCREENS) == set(GAMES)
    assert all(name == game_screen.name for name, game_screen in SCREENS.items())


def test_every_game_has_a_title_with_any_of_its_options() -> None:
    for name, game in GAMES.items():
        plain = game_title(SCREENS, name, {}, ENGLISH)
        for option in game.options:
            for choice in option.choices:
                assert game_title(SCREENS, name, {option.name: choice}, ENGLISH).startswith(plain.split()[0])


def test_a_game_that_is_not_installed_goes_by_its_bare_name() -> None:
    assert game_title(SCREENS, "chess", {"clock": "blitz"}, ENGLISH) == "chess"


def test_a_game_that_fails_leaves_lists_of_many_games_alone() -> None:
    class Failing(ToyScreen):
        def title_of(self, options: Mapping[str, str], translator: Translator) -> str:
            raise ZeroDivisionError

        def fact(self, fact: str, translator: Translator) -> str:
            raise ZeroDivisionError

        def sample(self, look: Look) -> tuple[Row, ...]:
            raise ZeroDivisionError

    screens = {"fail": Failing(), **SCREENS}
    assert game_title(screens, "fail", {}, ENGLISH) == "fail"
    assert fact_name(screens, "fail", "lay", ENGLISH) == "lay"
    assert fact_name(screens, "caro", "lay", ENGLISH) == "best move"
    assert all_samples(screens, Look(80, 24)) == all_samples(SCREENS, Look(80, 24))


def test_every_lesson_that_is_taught_has_its_words() -> None:
    for name, game in GAMES.items():
        said = SCREENS[name].lessons
        for lesson in game.lessons:
            assert len(said[lesson.name].tasks) == len(lesson.tasks)


def test_where_nothing_is_left_to_chance_nothing_is_said_of_it() -> None:
    caro, view = SCREENS["caro"], toy_table(state="open", you=0)
    assert shuffle_help(caro.chance_of({"begins": "opener"}), view, ENGLISH) == ()
    (part,) = shuffle_help(caro.chance_of({"begins": "lot"}), view, ENGLISH)
    assert part.heading == "Who goes first"
    assert ("x", "add text") in waiting_hints(view)
    assert ("x", "add text") not in waiting_hints(view, sure=True)
