"""What a person chose: stored field by field, read with trust in nothing, and keymaps in which all can be done."""

from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_protocol.commands import Create, Prefer, QuickPlay
from cartino_protocol.views import GameInfo, ResultView, TableView, Welcome
from cartino_protocol.wire import encode_raw
from cartino_server.lobby.people.preferences import merged
from cartino_tui import keys
from cartino_tui.game_port.screen import Look
from cartino_tui.key_table import key_from_label, key_label
from cartino_tui.keys import KeyTable
from cartino_tui.preferences import (
    ARROWS,
    RESERVED_CAPITALS,
    KeymapName,
    Preferences,
    Settings,
    decode_settings,
    is_rebindable,
    keymap_of,
    language_of,
)
from tests.support.visit import toy_table
from tests.support.visit_script import visits


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


def stored(**fields: object) -> bytes:
    return msgspec.msgpack.encode(fields)


def test_a_field_of_a_newer_client_is_let_be() -> None:
    assert decode_settings(stored(theme="light", sound="loud", more={"a": [1]})) == Settings(theme="light")


def test_a_keymap_of_an_older_client_is_the_usual_one() -> None:
    kept = stored(keymap="wasd", own_keys={"up": "z"}, bell=False)
    assert decode_settings(kept) == Settings(own_keys={"up": "z"}, bell=False)


@pytest.mark.parametrize("bad", ["violet", 7, None, [], {"x": 1}])
def test_a_bad_value_is_the_usual_one_and_the_others_hold(bad: object) -> None:
    assert decode_settings(stored(theme=bad, bell=False)) == Settings(bell=False)
    assert decode_settings(stored(bell=bad, theme="own")) == Settings(theme="own")


@pytest.mark.parametrize(
    "junk", [b"", b"\xc1", b"\x93\x01\x02\x03", b"\x81\x01\x02", b"\x81\xa1\xff\x02", b"\x91" * 5000]
)
def test_junk_is_nothing(junk: bytes) -> None:
    assert decode_settings(junk) == Settings()


@given(st.binary(max_size=200))
def test_nothing_breaks_it(junk: bytes) -> None:
    assert isinstance(decode_settings(junk), Settings)


TABLES = {name: value for name, value in vars(keys).items() if isinstance(value, KeyTable)}
VI = Settings(keymap="vi")
WASD = {"up": "w", "left": "a", "down": "s", "right": "d"}
USED = sorted(
    {key for table in TABLES.values() for row in table.rows for key in row.keys if " " not in key} | {"e"}
)
OWN = st.dictionaries(
    st.sampled_from(USED), st.sampled_from([*"abcdefghijklmnopqrstuvwxyzGNTXY", "slash", "colon", "plus"])
).map(lambda own: Settings(keymap="own", own_keys=own))


def test_the_capitals_that_mean_something_are_known() -> None:
    assert {key for key in USED if len(key) == 1 and key.isupper()} == RESERVED_CAPITALS


def test_without_one_every_key_is_what_it_is() -> None:
    keymap = keymap_of(Settings())
    assert keymap.meaning("w") == "w"
    assert keymap.shown("Esc") == "Esc"
    assert keymap.arrows == "↑↓←→"
    assert keymap is keymap_of(Settings(bell=False))


def test_letters_that_move_leave_their_own_actions_to_their_capitals() -> None:
    keymap = keymap_of(Settings(keymap="own", own_keys=WASD))
    assert [keymap.meaning(key) for key in "wsad"] == list(ARROWS)
    assert keymap.meaning("W") == "w"
    assert keymap.meaning("up") == "up"
    assert keymap.shown("w") == "W"
    assert keymap.all_shown("↑ k") == "w ↑ k"
    assert keymap.arrows == "wsad"


@pytest.mark.parametrize("name", TABLES)
def test_where_an_arrow_moves_the_key_of_vi_does_too(name: str) -> None:
    keymap = keymap_of(VI)
    for arrow in ARROWS:
        action = TABLES[name].action(arrow)
        assert action is None or TABLES[name].action(keymap.key(arrow)) == action


@given(st.one_of(st.just(VI), OWN))
def test_whatever_is_chosen_each_key_that_is_shown_does_what_it_is_shown_for(settings: Settings) -> None:
    keymap = keymap_of(settings)
    vi = settings.keymap == "vi"
    shown = {}
    for key in USED:
        pressed = keymap.key(key)
        if not vi:
            assert keymap.meaning(pressed) == key, f"{key} is lost"
        shown[key] = pressed
    assert vi or len(set(shown.values())) == len(USED)


@given(OWN)
def test_arrows_enter_and_escape_always_do_what_they_do(settings: Settings) -> None:
    keymap = keymap_of(settings)
    for key in (*ARROWS, "enter", "escape", "backspace", *"0123456789"):
        assert keymap.meaning(key) == key


def test_a_key_that_stands_for_another_is_one_character_and_no_number() -> None:
    assert is_rebindable("x")
    assert is_rebindable("slash")
    assert not any(is_rebindable(key) for key in ("up", "enter", "5", "ctrl+a", "f1", "pageup"))
    assert keymap_of(Settings(keymap="own", own_keys={"up": "5"})).meaning("5") == "5"
    assert key_from_label(key_label("slash")) == "slash"


test_visits = visits(__file__)
