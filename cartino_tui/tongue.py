"""The language that a person reads: sentences are written in English and said in theirs.

A sentence stands in the code as `tongue.say("…", name=…)`, or, where nobody knows yet who reads it, as `N_("…")` to be
said later or as `later("…", name=…)`, which is a `Sentence` to `tell`. What is looked up is the whole sentence with
its `{places}`, never a piece of one. The catalogues are in `locale/`; `tools/catalogues.py` finds the sentences in the
code.
"""

import gettext
from functools import cache
from pathlib import Path
from typing import Final, Literal, get_args

from cartino_protocol.marking import Sentence
from cartino_tui.draw.text import plain

Language = Literal["en", "fr", "de"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)

_LOCALE: Final = Path(__file__).parent / "locale"

_SPELT_OUT: Final = {
    "de": str.maketrans(dict(zip("äöüÄÖÜ", ("ae", "oe", "ue", "Ae", "Oe", "Ue"), strict=True)))
}
"""Letters that a language writes as two where it lacks them, by the language."""


class Tongue:
    """One language. Equal only to itself: `tongue_of` gives the one there is of each."""

    def __init__(self, name: str, catalogue: gettext.NullTranslations) -> None:
        """The language called `name` (en, fr, de) with its `catalogue`."""
        self.name = name
        self.catalogue = catalogue

    def say(self, sentence: str, /, **places: object) -> str:
        """`sentence` in this language, with what stands in its `{places}`; "" stays ""."""
        if not sentence:
            return ""
        said = self.catalogue.gettext(sentence)
        return said.format(**places) if places else said

    def say_in(self, context: str, sentence: str, /, **places: object) -> str:
        """`say` for a word that is another one elsewhere; `context` (a word of English) tells which it is here."""
        said = self.catalogue.pgettext(context, sentence)
        return said.format(**places) if places else said

    def count(self, one: str, many: str, n: int, /, **places: object) -> str:
        """`one` or `many`, whatever this language says of `n` things; `{n}` is their number."""
        return self.catalogue.ngettext(one, many, n).format(n=n, **places)

    def tell(self, sentence: Sentence) -> str:
        """`sentence`, and the sentences in its places, in this language."""
        places = {
            name: self.tell(place) if isinstance(place, Sentence) else place
            for name, place in sentence.places.items()
        }
        if sentence.many:
            return self.count(sentence.text, sentence.many, sentence.n, **places)
        return self.say(sentence.text, **places)


class _InAscii(gettext.NullTranslations):
    """A catalogue whose sentences lose their accents, or spell them out where their language does."""

    def __init__(self, tongue: Tongue) -> None:
        super().__init__()
        self._whole = tongue.catalogue
        self._spelt_out = _SPELT_OUT.get(tongue.name, {})

    def gettext(self, message: str) -> str:
        return self._flat(self._whole.gettext(message))

    def pgettext(self, context: str, message: str) -> str:
        return self._flat(self._whole.pgettext(context, message))

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self._flat(self._whole.ngettext(msgid1, msgid2, n))

    def _flat(self, said: str) -> str:
        return plain(said.translate(self._spelt_out))


@cache
def in_ascii(tongue: Tongue) -> Tongue:
    """`tongue` for a terminal that shows ASCII alone; what stands in the places is the callers'."""
    return Tongue(tongue.name, _InAscii(tongue))


@cache
def tongue_of(language: Language) -> Tongue:
    """The tongue of `language`; English where its catalogue is missing."""
    if language == "en":
        return ENGLISH
    return Tongue(language, gettext.translation("messages", _LOCALE, [language], fallback=True))


ENGLISH: Final = Tongue("en", gettext.NullTranslations())
"""What the sentences are written in."""
