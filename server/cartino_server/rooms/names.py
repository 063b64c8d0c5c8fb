"""What people are called: a clean name, and one that nobody would take for somebody else's."""

import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain, pairwise
from typing import Final, Literal

from cartino_protocol.legible import is_mark, is_visible
from cartino_server.rooms.lookalikes import looks, looks_of_a_word, mixes_scripts

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

_MARKUP = frozenset("[]\\")
"""Would open a tag somewhere, were a name ever read as markup."""
_TITLES: Final = (
    "admin",
    "administrator",
    "admins",
    "cartino",
    "moderator",
    "moderators",
    "sysadmin",
    "sysop",
)
"""Whoever has one of them in their name would be believed to speak for the house."""
_OF_THE_HOUSE: Final = (
    *_TITLES,
    "bot",
    "guest",
    "host",
    "house",
    "official",
    "operator",
    "root",
    "server",
    "staff",
    "support",
    "system",
)
"""So would whoever is called nothing but that."""
_BEGINNINGS: Final = ("bot:", "bot ", "guest ")
"""What bots and guests are said with."""
_ONE_BY_ONE: Final = 20
"""The number up to which each is tried for a name that is taken."""
_BY_CHANCE: Final = 1_000_000
"""The least of the random numbers after that; the greatest has as many digits."""
_CHANCES: Final = 100
"""How many of these are tried. Even with all names taken that a house keeps, ten of them are not to be expected."""
_DIGITS: Final = "0123456789"
"""They make no other name of one, where they stand around it; in it they may stand for letters."""


def clean_name(text: str) -> str | None:
    """`text` as a displayed name, or None where it can't be one (see `read_name`)."""
    name, fault = read_name(text)
    return None if fault else name


def read_name(text: str) -> tuple[str, NameFault | None]:
    """`text` as a displayed name, and what is wrong with it, if anything is.

    A name has 2 to 16 visible characters in 16 cells and at most 32 bytes, none of them hidden, of text direction or
    of markup, no guest's mark before it, is written in one script or in such as are written together, and passes
    neither for a bot's nor for the house's.
    """
    name = _normal(text)
    if not _is_well_formed(name):
        return name, "bad-name"
    if mixes_scripts(name):
        return name, "mixed-name"
    return name, "house-name" if _is_of_the_house(name) else None


def newcomers_name(text: str) -> str:
    """What somebody is called who asks to be called `text`: that, or as much of it as can be a name."""
    text = _unmarked(text)
    return clean_name(text) or clean_name(shortened(text)) or FALLBACK


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
    return name.rstrip()


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


def _is_well_formed(name: str) -> bool:
    if len(name) < SHORTEST or _cells(name) > LONGEST or _bytes(name) > MOST_BYTES:
        return False
    if not all(map(is_visible, name)):
        return False
    if any(letter in _MARKUP for letter in name) or "  " in name:
        return False
    return not (
        is_mark(name[0])
        or any(is_mark(one) and is_mark(two) for one, two in pairwise(name))
        or any(look.startswith(GUEST) for look in looks(name[0]))
    )


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split(" ")).strip()


def _cells(name: str) -> int:
    """The cells that all places on the screen have for a name; a mark counts, as a terminal may draw it beside."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in name)


def _bytes(name: str) -> int:
    return len(name.encode(errors="surrogatepass"))


def _is_of_the_house(name: str) -> bool:
    folded = name.casefold()
    if folded.startswith(_BEGINNINGS) or any(look.startswith(_BEGINNINGS) for look in looks(name)):
        return True
    # A stroke is no letter, but it looks like one.
    return any(_is_title(text) for text in (name, *looks(name)))


def _is_title(text: str) -> bool:
    parts = _parts(text)
    words = [word for part in parts for word in (part, part.strip(_DIGITS))]
    whole = "".join(parts)
    letters = "".join(letter for letter in whole if letter.isalpha())
    if _looks_of(_OF_THE_HOUSE, (text, whole, whole.strip(_DIGITS), letters)) or _looks_of(_TITLES, words):
        return True
    ends = tuple(_all_looks(_TITLES))
    return any(look.startswith(ends) or look.endswith(ends) for look in looks(whole))


def _parts(name: str) -> list[str]:
    """What of `name` are letters and digits, without the marks on them: all else makes no other name of one."""
    bare = (letter for letter in unicodedata.normalize("NFD", name) if not is_mark(letter))
    return "".join(letter if letter.isalnum() else " " for letter in bare).split()


def _looks_of(words: tuple[str, ...], texts: Iterable[str]) -> bool:
    """Whether one of `texts` would be taken for one of `words`."""
    return any(not _all_looks(words).isdisjoint(looks(text)) for text in texts)


@cache
def _all_looks(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(look for word in words for look in looks_of_a_word(word))
