"""Which key means what for one person: the tables of `keys` seen through the keymap that they chose.

A keymap gives some keys another meaning, everywhere alike. What such a key did before is done by another key then,
mostly its capital, and hints and help show it. Arrows, Enter and Esc always do what they do.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import msgspec

from cartino_tui.key_names import named, written
from cartino_tui.settings import Keymap as Name
from cartino_tui.settings import Settings

_VI: Final[Mapping[str, str]] = {"up": "k", "down": "j", "left": "h", "right": "l"}
_WASD: Final[Mapping[str, str]] = {"up": "w", "left": "a", "down": "s", "right": "d"}
ARROWS: Final = ("up", "down", "left", "right")
_SPARE: Final = ("semicolon", "comma", "full_stop", "minus", "plus", "asterisk", "equals_sign", "underscore")
"""Keys that do nothing anywhere, for what has no other key left."""
CAPITALS: Final = frozenset("GNTY")
"""Capitals that mean something of their own somewhere."""
_FIXED: Final = frozenset({*ARROWS, "enter", "escape", "backspace", "ctrl+l", *"0123456789"})
"""Keys that mean the same in every keymap; numbers choose among what is numbered on the screen."""


class Keymap(msgspec.Struct, frozen=True, eq=False):
    """`means`: what a key that is pressed stands for in the tables; `shows`: what is pressed for a key of theirs.

    Both by Textual's names. Keys that are not in them are what they are. Equal only to itself: `keymap_of` has one of
    each, and it is compared with every key.
    """

    means: Mapping[str, str] = MappingProxyType({})
    shows: Mapping[str, str] = MappingProxyType({})

    def meaning(self, key: str) -> str:
        """The key of the tables that `key` stands for."""
        return self.means.get(key, key)

    def key(self, meaning: str) -> str:
        """The key to press for `meaning`."""
        return self.shows.get(meaning, meaning)

    def shown(self, text: str) -> str:
        """`text`, keys as a hint shows them, with the one to press now in place of each."""
        return " ".join(self._shown(part) for part in text.split(" "))

    def all_shown(self, text: str) -> str:
        """The same for the help: all that can be pressed now, the first one first."""
        return " ".join(dict.fromkeys(each for part in text.split(" ") for each in self._all(part)))

    @property
    def arrows(self) -> str:
        """The keys that move: up, down, left, right."""
        return "".join(written(self.key(arrow)) for arrow in ARROWS)

    def _shown(self, part: str) -> str:
        key = named(part)
        return written(self.shows[key]) if key in self.shows else part

    def _all(self, part: str) -> Iterator[str]:
        yield self._shown(part)
        key = named(part)
        if key in self.shows and key not in self.means:
            yield part


AS_THEY_ARE: Final = Keymap()
"""Every key means what the tables say."""


def keymap_of(settings: Settings) -> Keymap:
    """The keymap that `settings` want."""
    if settings.keymap == "arrows":
        return AS_THEY_ARE
    return _keymap(settings.keymap, tuple(sorted(settings.own_keys.items())))


def chosen_keys(settings: Settings) -> dict[str, str]:
    """The keys that `settings` give another meaning, by that meaning: what somebody's own keymap begins with."""
    if settings.keymap == "own":
        return dict(settings.own_keys)
    return dict(_WASD) if settings.keymap == "wasd" else {}


def may_stand_for(key: str) -> bool:
    """Whether `key` may get another meaning: one character, which is no digit."""
    return key not in _FIXED and "+" not in key and len(written(key)) == 1


@lru_cache(maxsize=64)
def _keymap(name: Name, own: tuple[tuple[str, str], ...]) -> Keymap:
    if name == "vi":
        # These mean that already; so they need only be shown.
        return Keymap(shows=_VI)
    wanted = _WASD if name == "wasd" else {meaning: key for meaning, key in own if may_stand_for(key)}
    means: dict[str, str] = {}
    shows: dict[str, str] = {}
    for meaning, key in wanted.items():
        if key not in means and key != meaning:
            means[key] = meaning
            shows[meaning] = key
    for key in list(means):
        # Whoever has lost this key to another meaning gets one that nobody has.
        if key not in shows:
            capital = (key.upper(),) if key.islower() and key.upper() not in CAPITALS else ()
            spare = next((each for each in (*capital, *_SPARE) if each not in means), key)
            means[spare] = key
            shows[key] = spare
    return Keymap(means, shows)
