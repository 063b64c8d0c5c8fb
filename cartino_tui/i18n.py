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
"""Letters that a language writes as two where it lacks them, by the language."""


class Translator:
    """One language. Equal only to itself: `tongue_of` gives the one there is of each."""

    def __init__(self, name: str, catalogue: gettext.NullTranslations) -> None:
        """The language called `name` (en, fr, de) with its `catalogue`."""
        self.name = name
        self.catalogue = catalogue

    def gettext(self, sentence: str, /, **places: object) -> str:
        """`sentence` in this language, with what stands in its `{places}`; "" stays ""."""
        if not sentence:
            return ""
        said = self.catalogue.gettext(sentence)
        return said.format(**places) if places else said

    def pgettext(self, context: str, sentence: str, /, **places: object) -> str:
        """`gettext` for a word that is another one elsewhere; `context` (a word of English) tells which it is here."""
        said = self.catalogue.pgettext(context, sentence)
        return said.format(**places) if places else said

    def ngettext(self, one: str, many: str, n: int, /, **places: object) -> str:
        """`one` or `many`, whatever this language says of `n` things; `{n}` is their number."""
        return self.catalogue.ngettext(one, many, n).format(n=n, **places)

    def render(self, sentence: LazyMessage) -> str:
        """`sentence`, and the sentences in its places, in this language."""
        places = {
            name: self.render(place) if isinstance(place, LazyMessage) else place
            for name, place in sentence.places.items()
        }
        if sentence.many:
            return self.ngettext(sentence.text, sentence.many, sentence.n, **places)
        return self.gettext(sentence.text, **places)


class _AsciiTranslations(gettext.NullTranslations):
    """A catalogue whose sentences lose their accents, or spell them out where their language does."""

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
    """`translator` for a terminal that shows ASCII alone; what stands in the places is the callers'."""
    return Translator(translator.name, _AsciiTranslations(translator))


@cache
def translator_for(language: Language) -> Translator:
    """The tongue of `language`; English where its catalogue is missing."""
    if language == "en":
        return ENGLISH
    return Translator(language, gettext.translation("messages", _LOCALE, [language], fallback=True))


ENGLISH: Final = Translator("en", gettext.NullTranslations())
"""What the sentences are written in."""
