"""Tables of key bindings, and the names of keys as Textual and people write them."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

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
"""Keys that Textual calls otherwise than Unicode calls their character."""
_KEYS_BY_LABEL: Final[Mapping[str, str]] = {
    shown: key for key, shown in (*_LABELS.items(), *_SYMBOL_LABELS.items())
}


def key_label(key: str) -> str:
    """What people call a key that Textual calls `key`: its character, `↑`, `Enter`."""
    found = _LABELS.get(key) or _SYMBOL_LABELS.get(key)
    if found is not None or len(key) == 1:
        return found or key
    try:
        return unicodedata.lookup(key.replace("_", " "))
    except KeyError:
        return key.upper() if key[0] == "f" and key[1:].isdigit() else key


def key_from_label(shown: str) -> str:
    """What Textual calls the key that people read as `shown`; `shown` where that is no key."""
    if shown[:1] == "F" and shown[1:].isdigit():
        return shown.lower()
    if shown in _KEYS_BY_LABEL or len(shown) != 1 or shown.isalnum():
        return _KEYS_BY_LABEL.get(shown, shown)
    return unicodedata.name(shown, shown).lower().replace(" ", "_").replace("-", "_")


class KeyRow(msgspec.Struct, frozen=True):
    """What some keys do: `action` for the code, `shown` and `what` for the hint line, `help` for the help screen.

    `what` and `help` are English; whoever draws says them. A key with a blank in it is none that anybody can press: it
    stands for the keys that are `shown`, one after the other, for whoever chooses the row by other means.
    """

    action: str
    keys: tuple[str, ...]
    shown: str
    what: str
    help: str = ""

    @property
    def all_shown(self) -> str:
        """All its keys as people read them, the one of the hint line first: `↑ k`."""
        digits = len(self.keys) > 9
        others = (key_label(key) for key in self.keys if not (digits and key.isdigit()) and " " not in key)
        return " ".join(dict.fromkeys((*self.shown.split(), *others)))


class KeyTable:
    """The keys of one screen."""

    def __init__(self, *rows: KeyRow) -> None:
        """A table of `rows`. Raises ValueError where a key or an action stands twice."""
        self.rows = rows
        self._by_action = {row.action: row for row in rows}
        self._by_key = {key: row.action for row in rows for key in row.keys}
        if len(self._by_action) != len(rows) or len(self._by_key) != sum(len(row.keys) for row in rows):
            raise ValueError("a key or an action stands twice")

    def action(self, key: str) -> str | None:
        """What `key` does, or None."""
        return self._by_key.get(key)

    def key(self, shown: str) -> str | None:
        """The first key of the row that the hint line shows as `shown`: what a click on the hint presses."""
        return next((row.keys[0] for row in self.rows if row.shown == shown), None)

    def hints(self, *actions: str) -> tuple[tuple[str, str], ...]:
        """The (key, what it does) of `actions`, for the hint line."""
        return tuple((self._by_action[action].shown, self._by_action[action].what) for action in actions)

    def explain(self, hints: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Those of `hints` as (key, what it does), for the part of the help that is about just now."""
        rows = {row.shown: row for row in self.rows}
        for shown, _ in hints:
            yield shown, rows[shown].help or rows[shown].what

    def help(self) -> Iterator[tuple[str, str]]:
        """Every row as (its keys, what they do), for the help screen."""
        for row in self.rows:
            yield row.all_shown, row.help or row.what
