"""A server's game that is not installed here: it is listed by its title, shown and played all the same."""

from collections.abc import Callable

import pytest

from cartino_crazy_eights import CrazyEights
from cartino_engine.port import Step, game_info
from cartino_games.kit.declared.package import foreign_screen, foreign_speech
from cartino_protocol.commands import Act, Command
from cartino_protocol.declared import Choose
from cartino_protocol.views import Answer, GameInfo, Welcome
from cartino_protocol.wire import VERSION, encode_raw
from cartino_tui.game_port.description import GameCatalog
from cartino_tui.game_port.speech import AnySpeech
from cartino_tui.plain.conversation import Conversation
from cartino_tui.preferences import Preferences
from tests.support.declared import of_eights, position
from tests.support.visit import TOYS, line, lobby
from tests.tui.conftest import Visiting

GAME = CrazyEights()
START = of_eights(("7C 8H", "KS"), "9D 7D")
WELCOME = Welcome(VERSION, "Ann", False, (game_info(GAME, ("random",)),))


async def test_a_foreign_game_is_shown_and_played(visit: Visiting) -> None:
    game_screens = GameCatalog(TOYS, foreign_screen)
    greeting = WELCOME, lobby(line("B2C3", game="crazy-eights"))
    async with visit(game_screens=game_screens, greeting=greeting) as v:
        assert "Crazy Eights" in v.text
        await v.hears(position(GAME, START, 0))
        assert "Ann's hand" in v.text
        await v.types("1")
        assert v.link.sent == [Act(1, encode_raw(Choose("7C")))]
        after = GAME.apply(START, 0, Choose("7C"))
        assert isinstance(after, Step)
        await v.hears(position(GAME, after.state, 0, number=2))
        assert "Ann plays 7♣." in v.text


def conversation(*answers: Answer) -> tuple[Conversation, list[Command]]:
    said: list[Command] = []
    speeches: GameCatalog[AnySpeech] = GameCatalog({}, foreign_speech)
    here = Conversation(said.append, Preferences(), speeches)
    for answer in answers:
        here.handle(answer)
    return here, said


def test_a_foreign_game_is_told_and_played_in_lines() -> None:
    here, said = conversation(WELCOME, lobby(), position(GAME, START, 0))
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
