"""Which names people would take for each other, and which mix scripts, by Unicode's own lists (UTS 39).

The lists are those of confusable-homoglyphs. Its own module keeps them with all their names in 16 MB for ever; here
they are read when the first name is compared, and what is needed of them stays.
"""

import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final, TypeVar

import msgspec

from cartino_server.parting import unparted

T = TypeVar("T")

PACKAGE: Final = "confusable_homoglyphs"
TWINS, SCRIPTS = "confusables.json", "categories.json"

_MARK_OF_DIRECTION: Final = "\u200e"
"""Stands around right-to-left letters in the list, for people who read it."""
_ANY: Final = frozenset({"COMMON", "INHERITED"})
"""What goes with every script: digits, signs, marks."""
_TOGETHER: Final = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)
"""Scripts that are written together (Japanese, Chinese, Korean): the level "highly restrictive" of UTS 39."""


class _Twin(msgspec.Struct, frozen=True):
    c: str


class _Ranges(msgspec.Struct, frozen=True):
    iso_15924_aliases: tuple[str, ...]
    code_points_ranges: tuple[tuple[int, int, int, int], ...]


def looks(name: str) -> frozenset[str]:
    """What `name` looks like, in one or two ways: two names that share one would be taken for each other.

    As it is written, and as it would be in small letters: some letters have a twin in one of them only. Blanks, dots,
    dashes and the like make no other name of one.
    """
    as_written = _settled(_skeleton(name).casefold())
    return frozenset({unparted(as_written), unparted(_settled(_skeleton(name.casefold())))})


def looks_of_a_word(word: str) -> frozenset[str]:
    """What `word` looks like however it is written: in small letters, in capitals, or with one before."""
    return looks(word) | looks(word.upper()) | looks(word.title())


def mixes_scripts(name: str) -> bool:
    """Whether `name` is of scripts that nobody writes together."""
    found = {script for letter in name if (script := _script(letter)) not in _ANY}
    return len(found) > 1 and not any(found <= together for together in _TOGETHER)


def _settled(text: str) -> str:
    """Small letters that are nobody's twin: a twin may be a capital, and a small letter a twin."""
    return _skeleton(_skeleton(text).casefold())


def _skeleton(text: str) -> str:
    """UTS 39, 4: two texts with the same one look the same."""
    known = _prototypes()
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFD", "".join(known.get(letter, letter) for letter in decomposed))


def _script(letter: str) -> str:
    ranges = _scripts()
    low, high = 0, len(ranges.code_points_ranges)
    while low < high:
        middle = (low + high) // 2
        first, last, script, _ = ranges.code_points_ranges[middle]
        if ord(letter) < first:
            high = middle
        elif ord(letter) > last:
            low = middle + 1
        else:
            return ranges.iso_15924_aliases[script]
    return "UNKNOWN"


@cache
def _prototypes() -> Mapping[str, str]:
    """What each letter that is a twin of another is compared as.

    The library tells who looks like whom, both ways. Whom several look like, or what is several letters, is what the
    others are compared as; of two that have but each other it is the first.
    """
    listed = _read(TWINS, dict[str, list[_Twin]])
    twins = {_bare(letter): [_bare(twin.c) for twin in found] for letter, found in listed.items()}
    return {
        letter: found[0]
        for letter, found in twins.items()
        if len(letter) == len(found) == 1
        and (len(found[0]) > 1 or len(twins[found[0]]) > 1 or found[0] < letter)
    }


@cache
def _scripts() -> _Ranges:
    return _read(SCRIPTS, _Ranges)


def _bare(text: str) -> str:
    return text.strip(_MARK_OF_DIRECTION)


def _read(name: str, kind: type[T]) -> T:
    return msgspec.json.decode(files(PACKAGE).joinpath(name).read_bytes(), type=kind)
