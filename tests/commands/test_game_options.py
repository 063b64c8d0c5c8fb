"""Several games on the command line: each has its own options and bots, and says whose an option is."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from cartino_games.cartino.game import PACKAGE
from cartino_games.package import GamePackage
from cartino_protocol.commands import Create
from cartino_protocol.exit_status import MISUSE
from cartino_protocol.views import OptionInfo
from cartino_server.cli.commands import build_parser
from cartino_server.commands.console import CommandError
from cartino_server.commands.local_settings import settings_path
from cartino_server.commands.parser import HelpRequested
from cartino_server.commands.ssh_commands import parse_ssh_command
from tests.support.race import Race
from tests.support.two_games import RACE, RaceScreen, RaceSpeech, install, install_both


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> None:
    install_both(monkeypatch)


def wrong(words: str) -> str:
    """The sentence for words that are wrong."""
    with pytest.raises(CommandError) as error:
        build_parser(words.split()).read(words.split())
    assert error.value.code == MISUSE
    return str(error.value)


@pytest.mark.usefixtures("both")
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            "play --goal 9",
            "cartino play: --goal is an option of Race; Cartino has --edition 1974|1969, "
            "--joker-swap later|any, --bag one|apart.",
        ),
        (
            "simulate --game race --edition=1969",
            "cartino simulate: --edition is an option of Cartino; Race has --goal 3|9|0, "
            "--turns one|all|call|claim|boom.",
        ),
    ],
)
def test_an_option_of_another_game_is_refused_by_name(words: str, sentence: str) -> None:
    assert wrong(words) == sentence


@pytest.mark.usefixtures("both")
def test_a_new_table_takes_the_options_and_the_first_bot_of_its_game() -> None:
    assert parse_ssh_command(["new", "--game", "race", "--goal", "9", "--bots", "1"]) == Create(
        "race", {"goal": "9", "turns": "one"}, 2, ("steady",), open=True
    )
    with pytest.raises(CommandError, match=r"^new: --edition is an option of Cartino; Race has --goal"):
        parse_ssh_command(["new", "--game", "race", "--edition", "1974"])


@pytest.mark.usefixtures("both")
@pytest.mark.parametrize(("game", "seats"), [("cartino", "bot:greedy,bot:beginner"), ("race", "bot:steady,")])
def test_bots_of_the_game_play_unless_others_are_named(game: str, seats: str) -> None:
    values = build_parser(["simulate", "--game", game]).read(["simulate", "--game", game])
    assert values.seats.startswith(seats)
    assert build_parser(["play", "--game", game]).read(["play", "--game", game]).bot in seats


@pytest.mark.usefixtures("both")
def test_play_is_the_game_one_played_last(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert read(["play"]) == "cartino"
    path = settings_path({"XDG_CONFIG_HOME": str(tmp_path)})
    assert path is not None
    path.parent.mkdir()
    path.write_text('{"game": "race"}')
    assert read(["play"]) == "race"
    assert read(["play", "--game", "cartino"]) == "cartino"
    path.write_text('{"game": "chess"}')
    assert read(["play"]) == "cartino"


def read(words: Sequence[str]) -> str:
    game: str = build_parser(words).read(words).game
    return game


@pytest.mark.usefixtures("both")
def test_the_manual_has_the_options_of_every_game() -> None:
    with pytest.raises(HelpRequested) as asked:
        build_parser(every_game=True).read(["play", "--help"])
    told = " ".join(asked.value.text.split())
    assert "options of Cartino: --edition" in told
    assert "options of Race: --goal" in told
    cartino = "Cartino: random, beginner, learner, casual, greedy, careful, expert"
    assert f"from weak to strong: {cartino}; Race: broken, cheat, steady" in told


def test_games_that_share_an_option_take_what_either_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(Race):
        name = "other"
        title = "Other"
        options = (OptionInfo("goal", ("9", "99"), "99", "How far to go"),)

    class OtherScreen(RaceScreen):
        name = "other"

    class OtherSpeech(RaceSpeech):
        name = "other"

    install(monkeypatch, RACE, GamePackage(Other(), OtherScreen(), OtherSpeech()))
    assert build_parser(every_game=True).read(["simulate", "--goal", "99"]).goal == "99"
    assert build_parser(every_game=True).read(["simulate", "--goal", "3"]).goal == "3"
    words = ["play", "--game", "other", "--goal", "3"]
    with pytest.raises(CommandError, match="invalid choice"):
        build_parser(words).read(words)


def test_an_option_with_a_long_name_has_dashes(monkeypatch: pytest.MonkeyPatch) -> None:
    class Long(Race):
        options = (OptionInfo("how_far", ("9", "21"), "9", "How far to go"),)

    install(monkeypatch, GamePackage(Long(), RaceScreen(), RaceSpeech(), RACE.bots))
    words = ["simulate", "--how-far", "21"]
    assert build_parser(words).read(words).how_far == "21"


def test_no_option_of_a_game_takes_a_name_of_the_command_line() -> None:
    class Greedy(Race):
        options = (OptionInfo("bots", ("1", "2"), "1", "How many"),)

    with pytest.raises(ValueError, match="an option can't be called bots"):
        GamePackage(Greedy(), RaceScreen(), RaceSpeech())


def test_a_game_that_is_broken_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, PACKAGE, broken={"chess": "ImportError: no board."})
    assert (
        wrong("play --game chess")
        == "The game chess is installed but can't be played: ImportError: no board."
    )


def test_without_a_game_that_can_be_played_the_rest_of_the_command_line_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(monkeypatch, broken={"chess": "ImportError: no board"})
    assert build_parser(["doctor"]).read(["doctor"]).command == "doctor"
    with pytest.raises(CommandError, match=r"^None of the installed games can be played"):
        build_parser(["play"])
    with pytest.raises(CommandError, match=r"^None of the installed games can be played"):
        parse_ssh_command(["new"])
