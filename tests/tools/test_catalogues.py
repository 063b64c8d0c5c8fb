"""Every sentence that the code has people read is in every language, and what can be typed has a word there."""

import re
from typing import Final

import pytest

from cartino_tui.i18n import Language, ascii_translator, translator_for
from tests.support.languages import OTHERS
from tools.catalogues import ROOT, check
from tools.words.keeping import LANGUAGES, marked_of, po_file, read

_AVOIDED = re.compile(
    r"\b(for good|whoever|anew|so many|nobody may|is told|of somebody who|gives way)\b", re.IGNORECASE
)


def test_the_catalogues_are_whole() -> None:
    """What fails here is mended with `make words`, and by translating what that adds."""
    assert check(ROOT) == []


def test_no_sentence_has_words_that_prose_avoids() -> None:
    language = LANGUAGES[0]
    sentences = [str(message.id) for message in read(po_file(ROOT, language), language) if message.id]
    assert [sentence for sentence in sentences if _AVOIDED.search(sentence)] == []


CONTEXT: Final = "command"
_EXPLAINED: Final = re.compile(r"(?:^|[.] )(\w+)(?: \w+)?: ")
"""`end: end your turn. row 2: a row from the left.`: what is typed stands before a colon."""


def marked(language: Language) -> list[tuple[str, str, set[str]]]:
    """Each sentence of the app's own catalogue, its context, and the files that say it."""
    each = [
        (marked_of(message), {file for file, _ in message.locations})
        for message in read(po_file(ROOT, language), language)
        if message.id
    ]
    return [(sentence.text, sentence.context, files) for sentence, files in each]


@pytest.mark.parametrize("language", OTHERS)
def test_every_word_can_be_typed_and_no_two_of_a_place_are_the_same(language: Language) -> None:
    there = [(text, files) for text, context, files in marked(language) if context == CONTEXT]
    assert there
    for translator in (translator_for(language), ascii_translator(translator_for(language))):
        for file in {file for _, files in there for file in files}:
            words = [translator.pgettext(CONTEXT, text) for text, files in there if file in files]
            assert all(re.fullmatch(r"\w+", word) for word in words), words
            assert len({word.casefold() for word in words}) == len(words), file


@pytest.mark.parametrize("language", OTHERS)
def test_what_explains_a_word_names_it_as_it_is_typed(language: Language) -> None:
    translator = translator_for(language)
    commands = {text for text, context, _ in marked(language) if context == CONTEXT}
    explained = 0
    for text, context, files in marked(language):
        heads = [head for head in _EXPLAINED.findall(text) if head in commands]
        if heads and not context and all(file.startswith("cartino_tui/") for file in files):
            said = _EXPLAINED.findall(
                translator.gettext(text).replace("\N{NO-BREAK SPACE}", " ").replace(" :", ":")
            )
            assert said == [translator.pgettext(CONTEXT, head) for head in heads], text
            explained += 1
    assert explained > 5
