"""The words that can be typed are one word each, and no two of a place are the same, in every language."""

import pytest

from cartino_games.cartino.board import BOARDS
from cartino_games.cartino.moves import Lay
from cartino_games.cartino.named import read_written
from cartino_games.cartino.speech import said_words
from cartino_games.cartino.speech.speech import CartinoSpeech
from cartino_tui.game_port.speech import normalize_typed
from cartino_tui.i18n import LANGUAGES, Language, ascii_translator, translator_for

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


@pytest.mark.parametrize(
    "typed", ["dame de cœur, moitié haute", "Dame Coeur haute", "DAME DE COEUR MOITIE HAUTE"]
)
def test_accents_may_be_left_out(typed: str) -> None:
    french = translator_for("fr")
    written = read_written(typed, BOARDS["1974"], french)
    assert written is not None
    assert (written.card, written.half) == ("QH", "u")
    assert said_words.word_of("RANGEE", french) == "row"


@pytest.mark.parametrize("typed", ["Pik-König oben", "pik konig oben", "PIK KOENIG OBEN"])
def test_umlauts_may_be_spelt_in_two_letters(typed: str) -> None:
    for german in (translator_for("de"), ascii_translator(translator_for("de"))):
        written = read_written(typed, BOARDS["1974"], german)
        assert written is not None
        assert (written.card, written.half) == ("KS", "u")


@pytest.mark.parametrize(
    ("language", "typed"),
    [("fr", "dhu"), ("fr", "QHu"), ("fr", "D H u"), ("de", "DHu"), ("de", "qhu"), ("en", "QHu")],
)
def test_a_court_card_has_the_letter_of_the_language_or_of_english(language: Language, typed: str) -> None:
    written = read_written(typed, BOARDS["1974"], translator_for(language))
    assert written is not None
    assert (written.card, written.half) == ("QH", "u")
    assert SPEECH.move(typed.replace(" ", "")) == Lay("QH", "QHu")


@pytest.mark.parametrize(("language", "shown"), [("fr", "*RSu"), ("de", "*KSu"), ("en", "*KSu")])
def test_a_move_is_shown_with_the_letters_of_the_language(language: Language, shown: str) -> None:
    assert SPEECH.shown_move("*KSu", translator_for(language)) == shown
    assert SPEECH.move(shown) == Lay("*", "KSu")
