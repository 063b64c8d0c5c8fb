"""Words typed by people, made harmless: what stays is what anybody can see."""

import unicodedata

_CONTROL = frozenset({"Cc", "Cs"})
_UNSEEN = frozenset({"Cf", "Cn", "Co", "Zl", "Zp"})
_MARKS = frozenset({"Mn", "Me"})
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Characters that Unicode calls letters, marks or symbols, and that draw nothing."""

_MOST_MARKS = 2
"""How many combining marks a letter may carry: enough for living scripts, too few to climb over the next line."""


def is_control(letter: str) -> bool:
    """Whether `letter` is a control character (ESC, newline) or half of a pair."""
    return unicodedata.category(letter) in _CONTROL


def is_visible(letter: str) -> bool:
    """Whether `letter` draws something or is a plain blank: no control, no text direction, no zero width."""
    category = unicodedata.category(letter)
    if category in _CONTROL or category in _UNSEEN or letter in _BLANK_LETTERS:
        return False
    if category == "Zs":
        return letter == " "
    return not ("\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef")


def is_mark(letter: str) -> bool:
    """Whether `letter` is drawn on the one before."""
    return unicodedata.category(letter) in _MARKS


def clean_text(text: str, most: int) -> str | None:
    """`text` as others may see it, 1 to `most` characters; None where it holds control characters or nothing is left.

    Characters that only hide or turn others (text direction, zero width) are dropped; blanks are plain ones.
    """
    if any(is_control(letter) for letter in text):
        return None
    kept: list[str] = []
    marks = 0
    for letter in unicodedata.normalize("NFC", text):
        plain = " " if unicodedata.category(letter) == "Zs" else letter
        marks = marks + 1 if is_mark(plain) else 0
        if is_visible(plain) and marks <= _MOST_MARKS:
            kept.append(plain)
    cleaned = "".join(kept).strip()
    return cleaned if 0 < len(cleaned) <= most else None


def quotable(text: str) -> str:
    """A word that somebody sent, fit for being said back to them in a sentence."""
    return "".join(letter for letter in text if is_visible(letter))[:64]
