"""What people are called: a clean name, and one that nobody would take for somebody else's."""

import unicodedata
from collections.abc import Callable
from itertools import chain, pairwise
from typing import Final, Literal

from cartino_protocol.legible import is_control, is_mark, is_visible
from cartino_server.rooms.house_names import is_of_the_house
from cartino_server.rooms.lookalikes import looks, mixes_scripts

SHORTEST, LONGEST = 2, 16
"""Characters in a name; at most so many cells of a terminal, too, of which a letter of a wide script takes two."""
MOST_BYTES = 32
"""Bytes of a name in UTF-8, so that a table full of long names still is a small view."""
FALLBACK = "player"
"""What somebody is called whose own name can't be used."""
GUEST: Final = "~"
"""Stands before a guest's name, and before nobody else's: whoever has no key may be anybody."""

NameFault = Literal["bad-name", "mixed-name", "house-name"]
"""Why a text is no name: its form, its scripts, or that it is the house's or a bot's."""

_INNER: Final = " -_.'"
"""May stand between the letters of a name, one at a time: whatever else is on the screen is no name's."""
_APOSTROPHES: Final = str.maketrans("\u2018\u2019\u02bc", "'''")
"""What keyboards and editors make of one."""
_LETTERS: Final = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd", "Nl"})
"""What a name is written with: letters, the marks on them, digits."""
_POSING: Final = frozenset('!"(),:;?|~*·')
"""What some letters look like that stand for a click or a tone; screens and lines use it around names."""
_ONE_BY_ONE: Final = 20
"""The number up to which each is tried for a name that is taken."""
_BY_CHANCE: Final = 1_000_000
"""The least of the random numbers after that; the greatest has as many digits."""
_CHANCES: Final = 100
"""How many of these are tried. Even with all names taken that a house keeps, ten of them are not to be expected."""


def clean_name(text: str) -> str | None:
    """`text` as a displayed name, or None where it can't be one (see `read_name`)."""
    name, fault = read_name(text)
    return None if fault else name


def read_name(text: str) -> tuple[str, NameFault | None]:
    """`text` as a displayed name, and what is wrong with it, if anything is.

    A name has 2 to 16 characters in 16 cells and at most 32 bytes: letters, their marks and digits, and between them
    single blanks or signs of a few kinds. It is written in one script or in such as are written together, and passes
    neither for a bot's nor for the house's.
    """
    name = _normal(text)
    if not _is_well_formed(name):
        return name, "bad-name"
    if mixes_scripts(name):
        return name, "mixed-name"
    return name, "house-name" if is_of_the_house(name) else None


def newcomers_name(text: str) -> str:
    """What somebody is called who asks to be called `text`: that, or as much of it as can be a name."""
    text = _unmarked(text)
    return clean_name(text) or clean_name(shortened(_fit(text))) or FALLBACK


def newcomers_fault(text: str) -> NameFault | None:
    """Why somebody who asks to be called `text` is called otherwise, or shorter; None where they are called so."""
    return read_name(_unmarked(text))[1]


def guests_name(name: str) -> str:
    """The clean `name` with a guest's mark before it; no longer than a name may be."""
    return f"{GUEST}{shortened(name, 1)}"


def is_guests_name(name: str) -> bool:
    """Whether the name of somebody here is a guest's."""
    return name.startswith(GUEST)


def shortened(text: str, spare: int = 0) -> str:
    """As much of `text` as is no longer than a name, with room left for `spare` more characters of one byte."""
    name = _normal(text)[: max(0, LONGEST - spare)]
    while name and (_bytes(name) > MOST_BYTES - spare or _cells(name) > LONGEST - spare):
        name = name[:-1]
    while name and (name[-1] in _INNER or name[-1].isspace()):
        name = name[:-1]
    return name


def key_of(name: str) -> str:
    """What two names have in common that are the same, however they are typed."""
    return _normal(name).casefold()


def free_name(name: str, is_free: Callable[[str], bool], entropy: Callable[[int], bytes]) -> str:
    """`name`, or `name2`, `name3`, … where it isn't free; never longer than a name may be.

    Beyond a few the numbers are made of `entropy`, which gives so many random bytes: somebody may have taken whatever
    could be foretold, for others to be held up by. Where that is of no use either, which no chance can bring about, the
    last of them has to do.
    """
    if is_free(name):
        return name
    candidate = name
    by_chance = (_BY_CHANCE + int.from_bytes(entropy(8)) % (9 * _BY_CHANCE) for _ in range(_CHANCES))
    for number in chain(range(2, _ONE_BY_ONE + 1), by_chance):
        candidate = f"{shortened(name, len(str(number)))}{number}"
        if is_free(candidate):
            break
    return candidate


def _unmarked(text: str) -> str:
    return text.lstrip().lstrip(GUEST)


def _fit(text: str) -> str:
    """What of `text` may stand in a name, where it may; nothing of what steers a terminal."""
    if any(map(is_control, text)):
        return ""
    name = "".join(each if _is_letter(each) or each in _INNER else " " for each in _normal(text))
    return "".join(two for one, two in pairwise(f" {name}") if one not in _INNER or _may_follow(one, two))


def _is_well_formed(name: str) -> bool:
    if len(name) < SHORTEST or _cells(name) > LONGEST or _bytes(name) > MOST_BYTES:
        return False
    if not all(_is_letter(letter) or letter in _INNER for letter in name):
        return False
    if name[0] in _INNER or name[-1] in _INNER or is_mark(name[0]):
        return False
    return all(_may_follow(one, two) for one, two in pairwise(name))


def _may_follow(one: str, two: str) -> bool:
    """Whether `two` may stand behind `one` in a name: "C. M" has two that are no letters."""
    if is_mark(two):
        return one not in _INNER and not is_mark(one)
    return one not in _INNER or two not in _INNER or one + two == ". "


def _is_letter(char: str) -> bool:
    if char.isascii():
        return char.isalnum()
    return unicodedata.category(char) in _LETTERS and is_visible(char) and not looks(char) & _POSING


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_APOSTROPHES).strip()


def _cells(name: str) -> int:
    """The cells that all places on the screen have for a name; a mark counts, as a terminal may draw it beside."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in name)


def _bytes(name: str) -> int:
    return len(name.encode(errors="surrogatepass"))
