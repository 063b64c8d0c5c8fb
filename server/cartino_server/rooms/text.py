"""Words typed by people, made harmless: what stays is what anybody can see."""

import unicodedata

from cartino_protocol.hosts_words import unmarked
from cartino_protocol.legible import is_control, legible

MOST_QUOTED = 64
"""Characters of a word that is said back to whoever sent it."""


def clean_text(text: str, most: int) -> str | None:
    """`text` as others may see it, 1 to `most` characters; None where it holds control characters or nothing is left.

    Characters that only hide, turn or cover others (text direction, zero width) are dropped; blanks are plain ones, and
    nothing in it is the mark of what the host says.
    """
    if any(is_control(letter) for letter in text):
        return None
    cleaned = _visible(text)
    return cleaned if 0 < len(cleaned) <= most else None


def is_too_long(text: str, most: int) -> bool:
    """Whether nothing but its length keeps `text` from being seen by others."""
    return clean_text(text, most) is None and clean_text(text, max(len(_visible(text)), 1)) is not None


def _visible(text: str) -> str:
    return unmarked(legible(unicodedata.normalize("NFC", text))).strip()


def quotable(text: str) -> str:
    """A word that somebody sent, fit for being said back to them in a sentence."""
    return legible(text)[:MOST_QUOTED]
