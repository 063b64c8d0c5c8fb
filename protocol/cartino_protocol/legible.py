"""What anybody can see of a text that a stranger sent: nothing that steers a terminal, or turns or covers letters."""

import unicodedata
from typing import Final

_CONTROL: Final = frozenset({"Cc", "Cs"})
_UNSEEN: Final = frozenset({"Cf", "Cn", "Co", "Zl", "Zp"})
_MARKS: Final = frozenset({"Mn", "Me"})
_BLANK_LETTERS: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U00016fe4"
)
"""Characters that Unicode calls letters, marks or symbols, and that draw nothing."""

_SELECTORS: Final = (("\ufe00", "\ufe0f"), ("\U000e0100", "\U000e01ef"))
"""Choose how the letter before is drawn, and how wide."""
_HALVES: Final = (("\u1160", "\u11ff"), ("\ud7b0", "\ud7ff"))
"""Parts of Korean letters that are drawn into the one before; whole letters are what normalised text has."""
_SPRAWLING: Final = (("\u2e3a", "\u2e3b"), ("\ufdfa", "\ufdfd"), ("\U00012000", "\U0001254f"))
"""Are said to take a cell, and are drawn over many."""
_OUT: Final = (*_SELECTORS, *_HALVES, *_SPRAWLING)

MOST_MARKS: Final = 2
"""How many combining marks a letter may carry: enough for living scripts, too few to climb over the next line."""


def is_control(letter: str) -> bool:
    """Whether `letter` is a control character (ESC, newline) or half of a pair."""
    return unicodedata.category(letter) in _CONTROL


def is_visible(letter: str) -> bool:
    """Whether `letter` draws something in its own place, or is a plain blank: no control, direction or zero width."""
    if " " <= letter <= "~":
        return True
    category = unicodedata.category(letter)
    if category in _CONTROL or category in _UNSEEN or category == "Zs" or letter in _BLANK_LETTERS:
        return False
    return not any(first <= letter <= last for first, last in _OUT)


def is_mark(letter: str) -> bool:
    """Whether `letter` is drawn on the one before."""
    return unicodedata.category(letter) in _MARKS


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
        kept.append(plain if is_visible(plain) and marks <= MOST_MARKS else instead)
    return "".join(kept)
