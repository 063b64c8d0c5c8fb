"""What keys are called: by Textual, whose names the key tables have, and by people."""

import unicodedata
from collections.abc import Mapping
from typing import Final

_WRITTEN: Final[Mapping[str, str]] = {
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
_UNLIKE_UNICODE: Final[Mapping[str, str]] = {
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
_READ: Final[Mapping[str, str]] = {shown: key for key, shown in (*_WRITTEN.items(), *_UNLIKE_UNICODE.items())}


def written(key: str) -> str:
    """What people call a key that Textual calls `key`: its character, `↑`, `Enter`."""
    found = _WRITTEN.get(key) or _UNLIKE_UNICODE.get(key)
    if found is not None or len(key) == 1:
        return found or key
    try:
        return unicodedata.lookup(key.replace("_", " "))
    except KeyError:
        return key.upper() if key[0] == "f" and key[1:].isdigit() else key


def named(shown: str) -> str:
    """What Textual calls the key that people read as `shown`; `shown` where that is no key."""
    if shown[:1] == "F" and shown[1:].isdigit():
        return shown.lower()
    if shown in _READ or len(shown) != 1 or shown.isalnum():
        return _READ.get(shown, shown)
    return unicodedata.name(shown, shown).lower().replace(" ", "_").replace("-", "_")
