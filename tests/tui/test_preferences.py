from typing import get_args

import pytest

from cartino_tui.games.plug import Look
from cartino_tui.preferences import Preferences, language_of
from cartino_tui.settings import Keymap


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
    assert (plain.tongue.name, plain.letters, plain.ascii, plain.look) == ("de", "de", True, "light")
    assert Preferences().look == "dark", "nobody knows its ground"


def test_what_was_chosen_counts_more() -> None:
    chosen = Preferences("de", ascii=True, ground="light")
    chosen.choose(language="fr", letters="en", characters="unicode", theme="own", deck="two")
    assert (chosen.tongue.name, chosen.letters, chosen.ascii, chosen.look) == ("fr", "en", False, "own")
    assert not chosen.four_colours
    assert Preferences().four_colours


@pytest.mark.parametrize("keymap", get_args(Keymap))
def test_whatever_was_chosen_pictures_can_be_remembered_by_the_look_of_it(keymap: str) -> None:
    chosen = Preferences("de", ascii=True)
    chosen.choose(keymap=keymap, own_keys={"up": "w", "e": "E"})

    def look() -> Look:
        return Look(80, 24, chosen.ascii, chosen.tongue, chosen.letters, chosen.keymap)

    assert {look(): "a picture"}[look()]
