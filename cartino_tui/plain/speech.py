"""Sentences made fit for a line: nothing a terminal obeys, and no more than ASCII where that is all there is."""

import unicodedata

from cartino_protocol.legible import legible
from cartino_tui.draw.text import plain


def speakable(text: str, *, ascii: bool) -> str:
    """`text` as one line without controls; wide letters stay, since a line has no columns to keep."""
    if ascii:
        return plain(text)
    return legible(
        "".join(" " if letter.isspace() else letter for letter in unicodedata.normalize("NFC", text))
    )
