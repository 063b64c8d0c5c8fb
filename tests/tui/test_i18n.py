"""Sentences are said in the reader's language, with what stands in their places."""

import gettext

from cartino_tui.i18n import ENGLISH, Translator, ascii_translator, translator_for
from cartino_tui.preferences import Preferences
from tests.support.pseudo import PSEUDO


class _Backwards(gettext.NullTranslations):
    def gettext(self, message: str) -> str:
        return f"<{message}>"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"<{msgid1 if n == 1 else msgid2}>"


def test_english_says_what_stands_there() -> None:
    assert ENGLISH.gettext("{name} is here.", name="Ann") == "Ann is here."
    assert ENGLISH.ngettext("{n} stone", "{n} stones", 1) == "1 stone"
    assert ENGLISH.ngettext("{n} stone", "{n} stones", 5) == "5 stones"
    assert ENGLISH.pgettext("card", "King") == "King"


def test_a_sentence_is_looked_up_whole_and_filled_afterwards() -> None:
    translator = Translator("xx", _Backwards())
    assert translator.gettext("{name} is here.", name="{odd}") == "<{odd} is here.>"
    assert translator.ngettext("{n} stone", "{n} stones", 2) == "<2 stones>"


def test_nothing_stays_nothing() -> None:
    """The empty sentence is what a catalogue keeps its own notes under."""
    assert translator_for("de").gettext("") == ""


def test_on_a_terminal_of_ascii_sentences_lose_their_accents_and_keep_their_places() -> None:
    flat = ascii_translator(PSEUDO)
    assert flat.gettext("{name} is away", name="Léa").startswith("Léa ")
    assert flat.gettext("{name} is away", name="Lea").isascii()
    assert flat.ngettext("{n} stone", "{n} stones", 3).startswith("3 ")
    there = Preferences("fr", ascii=True)
    assert there.translator is ascii_translator(translator_for("fr"))
    assert Preferences("en", ascii=True).translator is ENGLISH


def test_german_spells_its_umlauts_out_in_ascii_as_germans_do() -> None:
    flat = ascii_translator(translator_for("de"))
    assert flat.pgettext("card", "king") == "Koenig"
    assert flat.gettext("upper half").isascii()
    assert flat.gettext("{name} is away", name="Jörg") == "Jörg is away", "names are the callers'"
