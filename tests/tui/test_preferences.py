import pytest

from cartino_tui.preferences import Preferences, language_of


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
