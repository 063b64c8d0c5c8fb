"""Sentences made fit for a line: nothing a terminal obeys, and no more than ASCII where that is all there is."""

import unicodedata
from typing import Final

from cartino_tui.draw.text import plain

_DROPPED: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def speakable(text: str, *, ascii: bool) -> str:
    """`text` as one line without controls; wide letters stay, since a line has no columns to keep."""
    if ascii:
        return plain(text)
    kept = (" " if letter.isspace() else letter for letter in unicodedata.normalize("NFC", text))
    return "".join(letter for letter in kept if unicodedata.category(letter) not in _DROPPED)
