"""The words that can be typed are one word each, and no two of a place are the same, in every language."""

import pytest

from cartino_games.cartino.moves import Lay
from cartino_games.cartino.speech.speech import CartinoSpeech
from cartino_tui.game_port.speech import normalize_typed
from cartino_tui.i18n import LANGUAGES, Language, translator_for

EVERYWHERE = ("help", "back")
OF_CARTINO = ("end", "why", "hand", "board", "row", "card", "scores", "moves", "turn")
SPEECH = CartinoSpeech()
AT_A_TABLE = (
    *("say", "talk", "who", "invite", "cut", "shuffle", "rules", "code", "pause", "rematch"),
    *("leave", "ignore", "unignore", "ignored", "report", "hint"),
    *OF_CARTINO,
    *EVERYWHERE,
)
IN_THE_LOBBY = (
    *("play", "list", "new", "code", "word", "name", "history", "settings", "ratings", "profile"),
    "who",
    *("join", "watch", "decline", "leave", "ignore", "unignore", "ignored", "learn", "rules"),
    *EVERYWHERE,
)


IN_A_LESSON = ("next", "previous", "leave", *OF_CARTINO, *EVERYWHERE)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "words",
    [AT_A_TABLE, IN_THE_LOBBY, IN_A_LESSON],
    ids=["at a table", "in the lobby", "in a lesson"],
)
def test_words_are_told_apart(language: Language, words: tuple[str, ...]) -> None:
    translator = translator_for(language)
    said = [normalize_typed(translator.pgettext("command", word)) for word in words]
    assert all(word and len(word.split()) == 1 for word in said)
    assert sorted(said) == sorted(set(said))
    # An English word is understood everywhere, so no other may mean something else.
    for english, translated in zip(words, said, strict=True):
        assert translated not in set(words) - {english}


@pytest.mark.parametrize(("language", "shown"), [("fr", "*RSu"), ("de", "*KSu"), ("en", "*KSu")])
def test_a_move_is_shown_with_the_letters_of_the_language(language: Language, shown: str) -> None:
    assert SPEECH.shown_move("*KSu", translator_for(language)) == shown
    assert SPEECH.move(shown) == Lay("*", "KSu")
