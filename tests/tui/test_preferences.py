from typing import get_args

import msgspec
import pytest

from cartino_protocol.commands import Create, Prefer, QuickPlay
from cartino_protocol.views import GameInfo, ResultView, TableView, Welcome
from cartino_protocol.wire import encode_raw
from cartino_server.lobby.people.preferences import merged
from cartino_tui.game_port.screen import Look
from cartino_tui.preferences import KeymapName, Preferences, Settings, decode_settings, language_of
from tests.support.visit import toy_table


@pytest.mark.parametrize(
    ("env", "language"),
    [
        ({}, "en"),
        ({"LANG": "fr_CA.UTF-8"}, "fr"),
        ({"LANG": "de"}, "de"),
        ({"LANG": "fr_FR", "LC_ALL": "C"}, "en"),
        ({"LANG": "fr_FR", "LC_MESSAGES": "de-AT"}, "de"),
        ({"LANG": "it_IT"}, "en"),
    ],
)
def test_the_environment_may_name_the_language(env: dict[str, str], language: str) -> None:
    assert language_of(env) == language


def test_what_nobody_chose_is_what_the_terminal_says() -> None:
    plain = Preferences("de", ascii=True, ground="light")
    assert (plain.translator.name, plain.letters, plain.ascii, plain.look) == ("de", "de", True, "light")
    assert Preferences().look == "felt", "nobody knows its ground"


def test_what_was_chosen_counts_more() -> None:
    chosen = Preferences("de", ascii=True, ground="light")
    chosen.choose(language="fr", letters="en", characters="unicode", theme="own", deck="two")
    assert (chosen.translator.name, chosen.letters, chosen.ascii, chosen.look) == ("fr", "en", False, "own")
    assert chosen.deck == "two"
    assert Preferences().deck == "four"


@pytest.mark.parametrize("keymap", get_args(KeymapName))
def test_whatever_was_chosen_pictures_can_be_remembered_by_the_look_of_it(keymap: str) -> None:
    chosen = Preferences("de", ascii=True)
    chosen.choose(keymap=keymap, own_keys={"up": "w", "e": "E"})

    def look() -> Look:
        return Look(80, 24, chosen.ascii, chosen.translator, chosen.letters, chosen.keymap)

    assert {look(): "a picture"}[look()]


def said(prefer: Prefer | None) -> object:
    return None if prefer is None else msgspec.msgpack.decode(bytes(prefer.settings))


def test_the_server_is_told_what_has_changed_and_once() -> None:
    wanted = Preferences()
    wanted.learn(bytes(encode_raw(Settings(theme="light", bell=False))))
    assert wanted.flush_unsent_settings() is None
    wanted.choose(theme="own")
    wanted.choose(bell=True)
    assert said(wanted.flush_unsent_settings()) == {"theme": "own", "bell": None}, (
        "nil, as if nobody had chosen it"
    )
    assert wanted.flush_unsent_settings() is None


def test_two_terminals_of_a_person_undo_nothing_of_each_other() -> None:
    one, other, kept = Preferences(), Preferences(), bytes(encode_raw(Settings(deck="two")))
    one.learn(kept)
    other.learn(kept)
    one.choose(theme="light")
    other.choose(bell=False)
    for terminal in (one, other):
        news = terminal.flush_unsent_settings()
        assert news is not None
        kept = merged(kept, bytes(news.settings)) or b""
    assert decode_settings(kept) == Settings(deck="two", theme="light", bell=False)


def test_what_a_newer_client_has_had_kept_stays() -> None:
    kept = msgspec.msgpack.encode({"theme": "light", "sounds": "owl"})
    wanted = Preferences()
    wanted.learn(kept)
    wanted.choose(**msgspec.structs.asdict(Settings()))
    news = wanted.flush_unsent_settings()
    assert news is not None
    assert msgspec.msgpack.decode(merged(kept, bytes(news.settings)) or b"") == {"sounds": "owl"}


def test_what_the_server_was_not_told_yet_holds_over_what_it_has() -> None:
    wanted = Preferences()
    wanted.choose(theme="light")
    wanted.learn(bytes(encode_raw(Settings(theme="own", bell=False))))
    assert wanted.settings == Settings(theme="light", bell=False)
    assert said(wanted.flush_unsent_settings()) == {"theme": "light"}


def test_a_server_that_has_nothing_any_more_is_told_all() -> None:
    wanted = Preferences()
    wanted.learn(bytes(encode_raw(Settings(theme="light", own_keys={"end": "x"}))))
    wanted.mark_all_unsent()
    assert said(wanted.flush_unsent_settings()) == {"theme": "light", "own_keys": {"end": "x"}}


LEVELS = {"cartino": ("beginner", "learner", "greedy")}
GREETING = Welcome(
    3,
    "Ann",
    guest=False,
    games=(GameInfo("cartino", "Cartino", (2, 4), (), ("greedy", "beginner", "learner")),),
)


def a_game(commitment: str, rival: str, winners: tuple[int, ...]) -> tuple[TableView, TableView]:
    """A table for two while it is played at, and when it is over."""
    running = msgspec.structs.replace(toy_table(f"Ann {rival}", game="cartino"), commitment=commitment)
    result = ResultView((10, 5), winners, "out")
    return running, msgspec.structs.replace(running, state="finished", result=result)


def play(chosen: Preferences, commitment: str, rival: str, winners: tuple[int, ...] = (0,)) -> str:
    """Return what is said at the end of a game; it is said once, however often the result is shown."""
    running, over = a_game(commitment, rival, winners)
    chosen.remember_game(running)
    assert chosen.count_win(running) == ""
    told = chosen.count_win(over)
    assert chosen.count_win(over) == "", "it counts once"
    return told


def test_quick_play_is_against_the_next_bot_after_two_wins() -> None:
    chosen = Preferences()
    assert chosen.quick_play(GREETING, LEVELS) == Create("cartino", seats=2, bots=("beginner",))
    assert play(chosen, "a", "bot:beginner") == ""
    assert chosen.quick_play(GREETING, LEVELS) == QuickPlay("cartino", "beginner")
    assert play(chosen, "b", "bot:beginner", winners=(1,)) == "", "a defeat takes nothing away"
    assert play(chosen, "c", "bot:beginner") == "beginner"
    assert chosen.quick_play(GREETING, LEVELS) == QuickPlay("cartino", "learner")
    assert play(chosen, "d", "bot:beginner") == "", "told once"
    for commitment in "ef":
        play(chosen, commitment, "bot:learner")
    for commitment in "gh":
        play(chosen, commitment, "bot:greedy")
    assert chosen.quick_play(GREETING, LEVELS) == QuickPlay("cartino", "greedy"), "the strongest one stays"
    assert set(chosen.settings.wins.values()) == {2}, "no more is counted than is needed"


def test_only_games_against_a_bot_alone_that_were_played_here_count() -> None:
    chosen = Preferences()
    running, over = a_game("a", "bot:beginner", (0,))
    assert chosen.count_win(over) == "", "its end alone was seen"
    for others in ("Bo", "bot:beginner Bo", "bot:beginner bot:beginner"):
        for commitment in "bcd":
            assert play(chosen, commitment + others, others) == ""
    watched = msgspec.structs.replace(running, you=None)
    assert chosen.count_win(watched) == ""
    assert chosen.settings.wins == {}


def test_without_levels_the_server_chooses_the_bot() -> None:
    chosen = Preferences()
    assert chosen.quick_play(GREETING, {}) == QuickPlay()
    play(chosen, "a", "bot:greedy")
    assert chosen.quick_play(GREETING, {}) == QuickPlay("cartino")
    assert chosen.quick_play(None, LEVELS) == QuickPlay()
