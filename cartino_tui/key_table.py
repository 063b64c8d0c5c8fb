"""Tables of key bindings, and keys as Textual, the tables and people's keyboards name them.

On layouts that send other characters than the tables name, a letter of another script stands for the Latin letter at
its place on a US keyboard, a key of AZERTY's top row for the digit on it. This is only for keys that mean nothing
else, and never while text is typed.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

import msgspec

from cartino_tui.i18n import Translator

_LABELS: Final[Mapping[str, str]] = {
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "enter": "Enter",
    "escape": "Esc",
    "backspace": "Backspace",
    "tab": "Tab",
    "space": "Space",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "delete": "Del",
    "insert": "Ins",
    "ctrl+l": "Ctrl-L",
}
_SYMBOL_LABELS: Final[Mapping[str, str]] = {
    "slash": "/",
    "backslash": "\\",
    "at": "@",
    "minus": "-",
    "plus": "+",
    "underscore": "_",
    "less_than_sign": "<",
    "greater_than_sign": ">",
}
"""Keys whose Textual name differs from their Unicode name."""
_KEYS_BY_LABEL: Final[Mapping[str, str]] = {
    shown: key for key, shown in (*_LABELS.items(), *_SYMBOL_LABELS.items())
}


def key_label(key: str) -> str:
    """Return the label of Textual's key `key` in the tables: its character, `↑`, `Enter`."""
    found = _LABELS.get(key) or _SYMBOL_LABELS.get(key)
    if found is not None or len(key) == 1:
        return found or key
    try:
        return unicodedata.lookup(key.replace("_", " "))
    except KeyError:
        return key.upper() if key[0] == "f" and key[1:].isdigit() else key


def key_from_label(shown: str) -> str:
    """Return Textual's name of the key labelled `shown`; `shown` itself if there is none."""
    if shown[:1] == "F" and shown[1:].isdigit():
        return shown.lower()
    if shown in _KEYS_BY_LABEL or len(shown) != 1 or shown.isalnum():
        return _KEYS_BY_LABEL.get(shown, shown)
    return unicodedata.name(shown, shown).lower().replace(" ", "_").replace("-", "_")


_ASCII_ARROWS: Final = str.maketrans("↑↓←→", "^v<>")


def key_name(shown: str, translator: Translator, *, ascii: bool = False) -> str:
    """Return the labels `shown` as the keyboards of the reader's language have them: `Enter` as `Entrée`."""
    names = _key_names(translator)
    named = " ".join(names.get(label, label) for label in shown.split(" "))
    return named.translate(_ASCII_ARROWS) if ascii else named


@lru_cache(maxsize=16)
def _key_names(translator: Translator) -> Mapping[str, str]:
    pgettext = translator.pgettext
    return {
        "Enter": pgettext("key", "Enter"),
        "Esc": pgettext("key", "Esc"),
        "Backspace": pgettext("key", "Backspace"),
        "Tab": pgettext("key", "Tab"),
        "Space": pgettext("key", "Space"),
        "PgUp": pgettext("key", "PgUp"),
        "PgDn": pgettext("key", "PgDn"),
        "Home": pgettext("key", "Home"),
        "End": pgettext("key", "End"),
        "Del": pgettext("key", "Del"),
        "Ins": pgettext("key", "Ins"),
        "Ctrl-L": pgettext("key", "Ctrl-L"),
    }


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


class KeyRow(msgspec.Struct, frozen=True):
    """What some keys do: `action` for the code, `shown` and `what` for hints, `help` for the help, in English.

    A key with a blank in it is a sequence that can only be chosen from the menu.
    """

    action: str
    keys: tuple[str, ...]
    shown: str
    what: str
    help: str = ""

    @property
    def all_shown(self) -> str:
        """All labels, the one of the hints first: `↑ k`."""
        digits = len(self.keys) > 9
        others = (key_label(key) for key in self.keys if not (digits and key.isdigit()) and " " not in key)
        return " ".join(dict.fromkeys((*self.shown.split(), *others)))


class KeyTable:
    """The keys of one screen."""

    def __init__(self, *rows: KeyRow) -> None:
        """Create the table. Raises ValueError if a key or an action occurs twice."""
        self.rows = rows
        self._by_action = {row.action: row for row in rows}
        self._by_key = {key: row.action for row in rows for key in row.keys}
        if len(self._by_action) != len(rows) or len(self._by_key) != sum(len(row.keys) for row in rows):
            raise ValueError("a key or an action stands twice")

    def action(self, key: str) -> str | None:
        """Return the action of `key`, or None."""
        return self._by_key.get(key)

    def key(self, shown: str) -> str | None:
        """Return the first key of the row that hints show as `shown`: a click presses it."""
        return next((row.keys[0] for row in self.rows if row.shown == shown), None)

    def hints(self, *actions: str) -> tuple[tuple[str, str], ...]:
        """Return (key, what it does) of `actions` for the hints."""
        return tuple((self._by_action[action].shown, self._by_action[action].what) for action in actions)

    def explain(self, hints: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Yield (key, help) of `hints` for the help on what works now."""
        rows = {row.shown: row for row in self.rows}
        for shown, _ in hints:
            yield shown, rows[shown].help or rows[shown].what

    def help(self) -> Iterator[tuple[str, str]]:
        """Yield (keys, help) of every row for the help."""
        for row in self.rows:
            yield row.all_shown, row.help or row.what
