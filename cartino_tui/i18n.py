"""Translate messages into the reader's language.

Messages are English in the code: `translator.gettext("…", name=…)`, or `N_("…")` and `lazy_gettext("…")` where the
reader's language is not known yet. Whole sentences with `{places}` are looked up, never parts. `tools/catalogues.py`
extracts them; the catalogues are in `locale/`.
"""

import gettext
from functools import cache
from pathlib import Path
from typing import Final, Literal, get_args

from cartino_protocol.text import LazyMessage
from cartino_tui.draw.text import plain

Language = Literal["en", "fr", "de"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)

_LOCALE: Final = Path(__file__).parent / "locale"

_TRANSLITERATIONS: Final = {
    "de": str.maketrans(dict(zip("äöüÄÖÜ", ("ae", "oe", "ue", "Ae", "Oe", "Ue"), strict=True)))
}
"""Letters that a language writes as two in ASCII."""


class Translator:
    """One language; `translator_for` returns the same object each time."""

    def __init__(self, name: str, catalogue: gettext.NullTranslations) -> None:
        """`name` is en, fr or de."""
        self.name = name
        self.catalogue = catalogue

    def gettext(self, sentence: str, /, **places: object) -> str:
        """Return `sentence` in this language with its `{places}` filled in; "" stays ""."""
        if not sentence:
            return ""
        said = self.catalogue.gettext(sentence)
        return said.format(**places) if places else said

    def pgettext(self, context: str, sentence: str, /, **places: object) -> str:
        """Like `gettext`, for a word with several meanings; `context`, an English word, tells which."""
        said = self.catalogue.pgettext(context, sentence)
        return said.format(**places) if places else said

    def command_words(self, *words: str) -> tuple[str, ...]:
        """Return what to type for the commands `words`, which are English: in this language, then in English."""
        return (*(self.catalogue.pgettext("command", word) for word in words), *words)

    def ngettext(self, one: str, many: str, n: int, /, **places: object) -> str:
        """Return the form of `one` and `many` that this language uses for `n` things; `{n}` is their number."""
        return self.catalogue.ngettext(one, many, n).format(n=n, **places)

    def decimal(self, number: float) -> str:
        """Return `number` with one digit after the decimal point, as this language writes it."""
        return f"{number:.1f}".replace(".", self.pgettext("decimal point", "."))

    def render(self, sentence: LazyMessage) -> str:
        """Return `sentence`, and the messages in its places, in this language."""
        places = {
            name: self.render(place) if isinstance(place, LazyMessage) else place
            for name, place in sentence.places.items()
        }
        if sentence.many:
            return self.ngettext(sentence.text, sentence.many, sentence.n, **places)
        return self.gettext(sentence.text, **places)


class _AsciiTranslations(gettext.NullTranslations):
    """A catalogue in ASCII: accents go, or are spelt out as the language does it."""

    def __init__(self, translator: Translator) -> None:
        super().__init__()
        self._whole = translator.catalogue
        self._spelt_out = _TRANSLITERATIONS.get(translator.name, {})

    def gettext(self, message: str) -> str:
        return self._flat(self._whole.gettext(message))

    def pgettext(self, context: str, message: str) -> str:
        return self._flat(self._whole.pgettext(context, message))

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self._flat(self._whole.ngettext(msgid1, msgid2, n))

    def _flat(self, said: str) -> str:
        return plain(said.translate(self._spelt_out))


@cache
def ascii_translator(translator: Translator) -> Translator:
    """Return `translator` for a terminal that shows only ASCII; what fills the places is up to the caller."""
    return Translator(translator.name, _AsciiTranslations(translator))


@cache
def translator_for(language: Language) -> Translator:
    """Return the translator of `language`; English where its catalogue is missing."""
    if language == "en":
        return ENGLISH
    return Translator(language, gettext.translation("messages", _LOCALE, [language], fallback=True))


ENGLISH: Final = Translator("en", gettext.NullTranslations())
"""The language of the code."""
