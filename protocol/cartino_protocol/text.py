"""Text for people: translatable messages, and the removal of misleading characters.

`N_` marks an English sentence for the catalogues. `lazy_gettext` makes a `LazyMessage`, for code that does not know the
reader's language; a `Translator` renders it. `legible` applies to every text that a stranger sent.
"""

import unicodedata
from collections.abc import Mapping
from typing import Any, Final

import msgspec


def N_(text: str) -> str:
    """Return `text`; marks it for translation where it is shown."""
    return text


class LazyMessage(msgspec.Struct, frozen=True):
    """An English sentence with `{places}`, rendered in the reader's language.

    Places may hold messages. With `many`, the plural, it counts `n` things. As a `str` it is English.
    """

    text: str
    places: Mapping[str, Any] = {}
    many: str = ""
    n: int = 0

    def __str__(self) -> str:
        """Return the sentence in English, for logs and records."""
        text = self.many if self.many and self.n != 1 else self.text
        places = {**self.places, "n": self.n} if self.many else self.places
        return text.format(**places) if places else text


EMPTY_MESSAGE = LazyMessage("")


class LazyMessageError(Exception):
    """An error whose `sentence` is for people; as a `str` it is English."""

    def __init__(self, sentence: LazyMessage) -> None:
        """Create the error."""
        super().__init__(str(sentence))
        self.sentence = sentence


def lazy_gettext(text: str, /, **places: object) -> LazyMessage:
    """Return the message `text`."""
    return LazyMessage(text, places)


def lazy_ngettext(one: str, many: str, n: int, /, **places: object) -> LazyMessage:
    """Return the message `one` or `many` for `n` things; `{n}` is their number."""
    return LazyMessage(one, places, many, n)


_CONTROL_CATEGORIES: Final = frozenset({"Cc", "Cs"})
_UNSEEN_CATEGORIES: Final = frozenset({"Cf", "Cn", "Co", "Zl", "Zp"})
_MARK_CATEGORIES: Final = frozenset({"Mn", "Me"})
_BLANK_LETTERS: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U00016fe4"
)
"""Letters, marks and symbols in Unicode that draw nothing."""

_SELECTORS: Final = (("\ufe00", "\ufe0f"), ("\U000e0100", "\U000e01ef"))
"""Variation selectors, which change how and how wide the letter before is drawn."""
_HALVES: Final = (("\u1160", "\u11ff"), ("\ud7b0", "\ud7ff"))
"""Parts of Korean letters; normalised text has whole ones."""
_OVERWIDE: Final = (("\u2e3a", "\u2e3b"), ("\ufdfa", "\ufdfd"), ("\U00012000", "\U0001254f"))
"""Single-cell characters that are drawn over many."""
_EXCLUDED_RANGES: Final = (*_SELECTORS, *_HALVES, *_OVERWIDE)

MAX_COMBINING_MARKS: Final = 2
"""Combining marks per letter: enough for living scripts, too few to cover other lines."""

MOST_LISTED: Final = 64
"""Characters of a word in a list: longer than any that a server writes."""


def is_control(letter: str) -> bool:
    """Return whether `letter` is a control character or a lone surrogate."""
    return unicodedata.category(letter) in _CONTROL_CATEGORIES


def is_visible(letter: str) -> bool:
    """Return whether `letter` draws something in its own place, or is a plain blank."""
    if " " <= letter <= "~":
        return True
    category = unicodedata.category(letter)
    if (
        category in _CONTROL_CATEGORIES
        or category in _UNSEEN_CATEGORIES
        or category == "Zs"
        or letter in _BLANK_LETTERS
    ):
        return False
    return not any(first <= letter <= last for first, last in _EXCLUDED_RANGES)


def is_mark(letter: str) -> bool:
    """Return whether `letter` is drawn on the one before."""
    return unicodedata.category(letter) in _MARK_CATEGORIES


def legible(text: str, instead: str = "") -> str:
    """Return `text` with `instead` for each invisible character and each mark beyond the limit.

    All blanks become plain.
    """
    if text.isascii() and text.isprintable():
        return text
    kept: list[str] = []
    marks = 0
    for letter in text:
        plain = " " if unicodedata.category(letter) == "Zs" else letter
        marks = marks + 1 if is_mark(plain) else 0
        kept.append(plain if is_visible(plain) and marks <= MAX_COMBINING_MARKS else instead)
    return "".join(kept)


def listable(text: str) -> str:
    """Return the first MOST_LISTED characters of `text` from a file, "?" for each invisible one."""
    return legible(text[:MOST_LISTED], "?")
