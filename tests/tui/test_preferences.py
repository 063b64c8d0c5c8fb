from typing import get_args

import msgspec
import pytest

from cartino_protocol.commands import Prefer
from cartino_protocol.wire import encode_raw
from cartino_server.lobby.preferences import merged
from cartino_tui.game_port.screen import Look
from cartino_tui.preferences import KeymapName, Preferences, Settings, decode_settings, language_of


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
    assert wanted.news() is None
    wanted.choose(theme="own")
    wanted.choose(bell=True)
    assert said(wanted.news()) == {"theme": "own", "bell": None}, "nil, as if nobody had chosen it"
    assert wanted.news() is None


def test_two_terminals_of_a_person_undo_nothing_of_each_other() -> None:
    one, other, kept = Preferences(), Preferences(), bytes(encode_raw(Settings(deck="two")))
    one.learn(kept)
    other.learn(kept)
    one.choose(theme="light")
    other.choose(bell=False)
    for terminal in (one, other):
        news = terminal.news()
        assert news is not None
        kept = merged(kept, bytes(news.settings)) or b""
    assert decode_settings(kept) == Settings(deck="two", theme="light", bell=False)


def test_what_a_newer_client_has_had_kept_stays() -> None:
    kept = msgspec.msgpack.encode({"theme": "light", "sounds": "owl"})
    wanted = Preferences()
    wanted.learn(kept)
    wanted.choose(**msgspec.structs.asdict(Settings()))
    news = wanted.news()
    assert news is not None
    assert msgspec.msgpack.decode(merged(kept, bytes(news.settings)) or b"") == {"sounds": "owl"}


def test_what_the_server_was_not_told_yet_holds_over_what_it_has() -> None:
    wanted = Preferences()
    wanted.choose(theme="light")
    wanted.learn(bytes(encode_raw(Settings(theme="own", bell=False))))
    assert wanted.settings == Settings(theme="light", bell=False)
    assert said(wanted.news()) == {"theme": "light"}


def test_a_server_that_has_nothing_any_more_is_told_all() -> None:
    wanted = Preferences()
    wanted.learn(bytes(encode_raw(Settings(theme="light", own_keys={"end": "x"}))))
    wanted.mark_all_unsent()
    assert said(wanted.news()) == {"theme": "light", "own_keys": {"end": "x"}}
