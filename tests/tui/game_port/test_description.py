"""Games under their names and titles, and a server's game that is not installed here."""

from collections.abc import Callable, Mapping

import pytest

from cartino_crazy_eights import CrazyEights
from cartino_engine.port import Step, game_info
from cartino_games.kit.declared.package import foreign_screen, foreign_speech
from cartino_protocol.commands import Act, Command
from cartino_protocol.declared import Choose
from cartino_protocol.views import Answer, GameInfo, Welcome
from cartino_protocol.wire import VERSION, encode_raw
from cartino_tui.draw.canvas import Row
from cartino_tui.game_port.description import GameCatalog, fact_name, game_title
from cartino_tui.game_port.screen import Look, all_samples
from cartino_tui.game_port.speech import AnySpeech
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.plain.conversation import Conversation
from cartino_tui.preferences import Preferences
from cartino_tui.screens.waiting_drawing import waiting_hints
from cartino_tui.widgets.help import shuffle_help
from tests.support.declared import of_eights, position
from tests.support.games import GAMES, SCREENS
from tests.support.visit import TOYS, ToyScreen, line, lobby, toy_table
from tests.tui.conftest import Visiting


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


EIGHTS = CrazyEights()
START = of_eights(("7C 8H", "KS"), "9D 7D")
WELCOME = Welcome(VERSION, "Ann", False, (game_info(EIGHTS, ("random",)),))


async def test_a_foreign_game_is_shown_and_played(visit: Visiting) -> None:
    game_screens = GameCatalog(TOYS, foreign_screen)
    greeting = WELCOME, lobby(line("B2C3", game="crazy-eights"))
    async with visit(game_screens=game_screens, greeting=greeting) as v:
        assert "Crazy Eights" in v.text
        await v.hears(position(EIGHTS, START, 0))
        assert "Ann's hand" in v.text
        await v.types("1")
        assert v.link.sent == [Act(1, encode_raw(Choose("7C")))]
        after = EIGHTS.apply(START, 0, Choose("7C"))
        assert isinstance(after, Step)
        await v.hears(position(EIGHTS, after.state, 0, number=2))
        assert "Ann plays 7♣." in v.text


def conversation(*answers: Answer) -> tuple[Conversation, list[Command]]:
    said: list[Command] = []
    speeches: GameCatalog[AnySpeech] = GameCatalog({}, foreign_speech)
    here = Conversation(said.append, Preferences(), speeches)
    for answer in answers:
        here.handle(answer)
    return here, said


def test_a_foreign_game_is_told_and_played_in_lines() -> None:
    here, said = conversation(WELCOME, lobby(), position(EIGHTS, START, 0))
    told = "\n".join(here.take_lines())
    assert "Table K7QP, Crazy Eights." in told
    assert "1: Play the 7 of clubs (7C)" in told
    assert "the rules" not in told, "nobody here knows them"
    here.enter("7c")
    assert said[-1] == Act(1, encode_raw(Choose("7C")))


def test_a_title_that_would_steer_the_terminal_does_not() -> None:
    shown = foreign_screen(GameInfo("evil", "E\x1b[2Jvil\n", (2, 2), ()))
    assert shown.title == "E[2Jvil "


@pytest.mark.parametrize("make", [foreign_screen, foreign_speech])
def test_what_is_installed_is_never_replaced(make: Callable[[GameInfo], object]) -> None:
    own = object()
    shown = GameCatalog({"crazy-eights": own}, make)
    shown.learn(WELCOME.games)
    assert shown["crazy-eights"] is own
    assert len(shown) == 1
