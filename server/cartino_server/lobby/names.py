"""Check names: their form, scripts (UTS 39), lookalikes and reserved words.

The confusables list is read when the first name is compared, and only what is needed of it is kept: the library's own
module would hold 16 MB.
"""

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import chain, pairwise
from typing import Final, Literal, TypeVar

import msgspec

from cartino_protocol.text import is_control, is_mark, is_visible
from cartino_server.store.people import strip_separators

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
    return frozenset({strip_separators(as_written), strip_separators(_settled(_skeleton(name.casefold())))})


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
"""Nobody's name begins or ends so: whoever's does would be believed to speak for the house."""
_RESERVED_WORDS: Final = (
    *("administrateur", "administration", "bot", "bots", "guest", "guests", "host", "hosts", "house"),
    *("official", "operator", "owner", "owners", "server", "staff"),
    *("direction", "hôte", "maison", "visiteur", "visiteurs"),
    *("besitzer", "besitzerin", "gast", "gastgeber", "haus", "hausleitung", "leitung", "spielehaus"),
)
"""No word of a name is one of them: with them the program tells who is no player, in all its languages."""
_RESERVED_ALONE: Final = (
    *("root", "support", "system", "deleted player"),
    *("you", "yours", "me", "myself", "everybody", "everyone", "nobody", "somebody", "someone"),
    *("vous", "toi", "moi", "personne", "quelqu'un", "tous"),
    *("du", "dich", "ich", "ihr", "niemand", "jemand", "alle"),
)
"""Nobody is called that and nothing else: so it says of a screen's own reader, or of nobody in particular."""
_DIGITS: Final = "0123456789"
"""They make no other name of one, where they stand around it; in it they may stand for letters."""


def is_server_name(name: str) -> bool:
    """Whether the well-formed `name` would be taken for the house, for a bot, for anybody or for nobody."""
    words = _words(name)
    whole = "".join(words)
    letters = "".join(letter for letter in whole if letter.isalpha())
    if _looks_like(_RESERVED_ALONE, whole) or _looks_like(_RESERVED_ALONE, letters):
        return True
    # What stands between letters doesn't keep apart what is read as one word.
    if any(_looks_like((*_TITLES, *_RESERVED_WORDS), run) for run in (*_runs(words), letters)):
        return True
    ends = tuple(_all_looks(_TITLES))
    return any(look.startswith(ends) or look.endswith(ends) for look in looks(whole))


def looks_like_any(name: str, bots: tuple[str, ...]) -> bool:
    """Whether the well-formed `name` would be taken for one of `bots`; of several alike, all but one have a number."""
    return _looks_like(bots, "".join(_words(name)))


def _words(name: str) -> list[str]:
    """What of `name` are letters and digits, without the marks on them: all else makes no other name of one."""
    bare = (letter for letter in unicodedata.normalize("NFD", name) if not is_mark(letter))
    return "".join(letter if letter.isalnum() else " " for letter in bare).split()


def _runs(words: list[str]) -> Iterator[str]:
    """Each word, and each few that stand side by side, written together."""
    for begin in range(len(words)):
        for end in range(begin + 1, len(words) + 1):
            yield "".join(words[begin:end])


def _looks_like(words: tuple[str, ...], text: str) -> bool:
    """Whether `text`, or what of it stands between digits, would be taken for one of `words`."""
    known = _all_looks(words)
    return any(not known.isdisjoint(looks(each)) for each in {text, text.strip(_DIGITS)} - {""})


@cache
def _all_looks(words: tuple[str, ...]) -> frozenset[str]:
    bare = ("".join(_words(word)) for word in words)
    return frozenset(look for word in bare for look in looks_of_a_word(word))


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
    return name, "house-name" if is_server_name(name) else None


def usable_name(text: str) -> str:
    """What somebody is called who asks to be called `text`: that, or as much of it as can be a name."""
    text = _unmarked(text)
    return clean_name(text) or clean_name(shortened(_fit(text))) or FALLBACK


def name_fault(text: str) -> NameFault | None:
    """Why somebody who asks to be called `text` is called otherwise, or shorter; None where they are called so."""
    return read_name(_unmarked(text))[1]


def guest_name(name: str) -> str:
    """The clean `name` with a guest's mark before it; no longer than a name may be."""
    return f"{GUEST}{shortened(name, 1)}"


def is_guest_name(name: str) -> bool:
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
