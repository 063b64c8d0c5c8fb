from cartino_server.engine.registry import GAMES
from cartino_tui.games.registry import PLUGS


def test_every_game_that_is_played_can_be_shown_under_its_name() -> None:
    assert set(PLUGS) == set(GAMES)
    assert all(name == plug.name for name, plug in PLUGS.items())


def test_every_choice_of_an_option_has_words() -> None:
    for name, game in GAMES.items():
        for option in game.options:
            for choice in option.choices:
                assert choice in PLUGS[name].options_line({option.name: choice})


def test_every_lesson_that_is_taught_has_its_words() -> None:
    for name, game in GAMES.items():
        said = PLUGS[name].lessons
        for lesson in game.lessons:
            assert len(said[lesson.name].tasks) == len(lesson.tasks)
