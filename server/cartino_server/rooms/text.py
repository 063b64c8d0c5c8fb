"""Words typed by people, made harmless: what stays is what anybody can see."""

import unicodedata

from cartino_protocol.legible import is_control, legible

MOST_QUOTED = 64
"""Characters of a word that is said back to whoever sent it."""


def clean_text(text: str, most: int) -> str | None:
    """`text` as others may see it, 1 to `most` characters; None where it holds control characters or nothing is left.

    Characters that only hide, turn or cover others (text direction, zero width) are dropped; blanks are plain ones.
    """
    if any(is_control(letter) for letter in text):
        return None
    cleaned = legible(unicodedata.normalize("NFC", text)).strip()
    return cleaned if 0 < len(cleaned) <= most else None


def quotable(text: str) -> str:
    """A word that somebody sent, fit for being said back to them in a sentence."""
    return legible(text)[:MOST_QUOTED]
