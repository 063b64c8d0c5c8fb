"""Keys by their place on the keyboard, for layouts that send other characters than the key tables name.

A letter of another script stands for the Latin letter at its place on a US keyboard, a key of AZERTY's top row for the
digit on it. This is only for keys that mean nothing else, and never while text is typed.
"""

import unicodedata
from collections.abc import Iterator
from typing import Final

from cartino_tui.key_table import key_from_label

_LETTERS: Final = (
    # Russian, Ukrainian, Belarusian.
    ("йцукенгшщзфывапролдячсмитьіў", "qwertyuiopasdfghjklzxcvbnmso"),
    # Greek, which has no letter on Q.
    ("ςερτυθιοπασδφγηξκλζχψωβνμ", "wertyuiopasdfghjklzxcvbnm"),
    # Hebrew, which has no letter on Q and W.
    ("קראטוןםפשדגכעיחלךזסבהנמצ", "ertyuiopasdfghjklzxcvbnm"),
    # Arabic and Persian.
    ("ضصثقفغعهخحدشسيبلاتنمطئءؤرىةزظیذپ", "qwertyuiopnasdfghjklxzxcvnmczdbm"),
    # Georgian.
    ("ქწერტყუიოპასდფგჰჯკლზხცვბნმ", "qwertyuiopasdfghjklzxcvbnm"),
)
"""Letters of each script, and those at their places on a US keyboard."""
_AZERTY_ROW: Final = ("&é\"'(-§è_!çà", "123456678890")
"""French and Belgian: without shift, the row of digits has these."""


def _places() -> Iterator[tuple[str, str]]:
    for script, latin in (*_LETTERS, _AZERTY_ROW):
        for char, place in zip(script, latin, strict=True):
            yield key_from_label(char), place
            if char.upper() != char and place.isalpha():
                yield char.upper(), place.upper()


_PLACES: Final = dict(_places())


def key_by_place(key: str) -> str:
    """Return the key of the tables at the place of Textual's `key`; `key` itself if there is none."""
    found = _PLACES.get(key)
    if found is not None or len(key) != 1 or key.isascii():
        return found or key
    # Digits of other scripts, and the wide letters of East Asian input methods.
    if key.isdecimal():
        return str(unicodedata.decimal(key))
    return unicodedata.normalize("NFKC", key) if unicodedata.east_asian_width(key) == "F" else key
