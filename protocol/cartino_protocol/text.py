"""Text for people: translatable messages, and the removal of characters that could mislead a reader.

`N_` marks an English sentence for the catalogues. `lazy_gettext` makes a `LazyMessage`, for code that does not know the
reader's language; a `Translator` renders it. `legible` removes what steers a terminal or hides or covers letters, and
applies to every text that a stranger sent.
"""

import unicodedata
from collections.abc import Mapping
from typing import Any, Final

import msgspec


def N_(text: str) -> str:
    """`text` itself, which whoever shows it says in the reader's language."""
    return text


class LazyMessage(msgspec.Struct, frozen=True):
    """An English sentence with `{places}`, to be said in the reader's language.

    What stands in a place may be a sentence itself. With `many`, which is the sentence for more than one, it is said
    of `n` things. As a `str` it is English.
    """

    text: str
    places: Mapping[str, Any] = {}
    many: str = ""
    n: int = 0

    def __str__(self) -> str:
        """The sentence in English, for logs and records."""
        text = self.many if self.many and self.n != 1 else self.text
        places = {**self.places, "n": self.n} if self.many else self.places
        return text.format(**places) if places else text


EMPTY_MESSAGE = LazyMessage("")
"""Nothing to say."""


class LazyMessageError(Exception):
    """Something is wrong, for the reason in `sentence`, which a person is told; as a `str` it is English."""

    def __init__(self, sentence: LazyMessage) -> None:
        """It is wrong for that reason."""
        super().__init__(str(sentence))
        self.sentence = sentence


def lazy_gettext(text: str, /, **places: object) -> LazyMessage:
    """The sentence `text`, to be said later."""
    return LazyMessage(text, places)


def lazy_ngettext(one: str, many: str, n: int, /, **places: object) -> LazyMessage:
    """`one` or `many`, to be said later of `n` things; `{n}` is their number."""
    return LazyMessage(one, places, many, n)


_CONTROL_CATEGORIES: Final = frozenset({"Cc", "Cs"})
_UNSEEN_CATEGORIES: Final = frozenset({"Cf", "Cn", "Co", "Zl", "Zp"})
_MARK_CATEGORIES: Final = frozenset({"Mn", "Me"})
_BLANK_LETTERS: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U00016fe4"
)
"""Characters that Unicode calls letters, marks or symbols, and that draw nothing."""

_SELECTORS: Final = (("\ufe00", "\ufe0f"), ("\U000e0100", "\U000e01ef"))
"""Choose how the letter before is drawn, and how wide."""
_HALVES: Final = (("\u1160", "\u11ff"), ("\ud7b0", "\ud7ff"))
"""Parts of Korean letters that are drawn into the one before; whole letters are what normalised text has."""
_OVERWIDE: Final = (("\u2e3a", "\u2e3b"), ("\ufdfa", "\ufdfd"), ("\U00012000", "\U0001254f"))
"""Are said to take a cell, and are drawn over many."""
_EXCLUDED_RANGES: Final = (*_SELECTORS, *_HALVES, *_OVERWIDE)

MAX_COMBINING_MARKS: Final = 2
"""How many combining marks a letter may carry: enough for living scripts, too few to climb over the next line."""

MOST_LISTED: Final = 64
"""Characters of a word that a list shows: longer than any name, reason or kind of game that a server writes."""


def is_control(letter: str) -> bool:
    """Whether `letter` is a control character (ESC, newline) or half of a pair."""
    return unicodedata.category(letter) in _CONTROL_CATEGORIES


def is_visible(letter: str) -> bool:
    """Whether `letter` draws something in its own place, or is a plain blank: no control, direction or zero width."""
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
    """Whether `letter` is drawn on the one before."""
    return unicodedata.category(letter) in _MARK_CATEGORIES


def legible(text: str, instead: str = "") -> str:
    """`text` with `instead` in place of each character that is not to be seen, or is one mark too many on a letter.

    Blanks of all kinds are plain ones.
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
    """Return the first MOST_LISTED characters of `text` from a file, "?" in place of each that is not to be seen."""
    return legible(text[:MOST_LISTED], "?")
