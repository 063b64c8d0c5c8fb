"""Check names: their form, scripts (UTS 39), lookalikes and reserved words.

The confusables list is read on first use, and only partly: the library's own module would hold 16 MB.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain, pairwise
from operator import itemgetter
from typing import Final, Literal, TypeVar

import msgspec

from cartino_protocol.records import BOT_MARK
from cartino_protocol.text import is_control, is_mark, is_visible
from cartino_server.store.people import strip_separators
from cartino_server.visitors import is_bot_person

T = TypeVar("T")

PACKAGE: Final = "confusable_homoglyphs"
TWINS, SCRIPTS = "confusables.json", "categories.json"

_MARK_OF_DIRECTION: Final = "\u200e"
"""Surrounds right-to-left letters in the list."""
_ANY: Final = frozenset({"COMMON", "INHERITED"})
"""Digits, signs and marks, which go with every script."""
_TOGETHER: Final = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)
"""Scripts that are written together (Japanese, Chinese, Korean): "highly restrictive" in UTS 39."""


class _Twin(msgspec.Struct, frozen=True):
    c: str


class _Ranges(msgspec.Struct, frozen=True):
    iso_15924_aliases: tuple[str, ...]
    code_points_ranges: tuple[tuple[int, int, int, int], ...]


@lru_cache(maxsize=512)
def looks(name: str) -> frozenset[str]:
    """Return one or two keys of what `name` looks like; two names that share a key look alike.

    One key is of the name as written, one of it in lower case, since some letters have a twin in one case only.
    Separators don't count.
    """
    as_written = _settled(_skeleton(name).casefold())
    return frozenset({strip_separators(as_written), strip_separators(_settled(_skeleton(name.casefold())))})


def mixes_scripts(name: str) -> bool:
    """Return whether `name` mixes scripts that aren't written together."""
    found = {script for letter in name if (script := _script(letter)) not in _ANY}
    return len(found) > 1 and not any(found <= together for together in _TOGETHER)


def _settled(text: str) -> str:
    """Fold case and twins until neither changes: a twin may be a capital, and a small letter a twin."""
    return _skeleton(_skeleton(text).casefold())


def _skeleton(text: str) -> str:
    """Return the skeleton of UTS 39, 4: texts with equal skeletons look the same."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", text).translate(_prototypes()))


def _script(letter: str) -> str:
    ranges = _scripts()
    at = bisect_right(ranges.code_points_ranges, ord(letter), key=itemgetter(0)) - 1
    _, last, script, _ = ranges.code_points_ranges[at]
    return ranges.iso_15924_aliases[script] if ord(letter) <= last else "UNKNOWN"


@cache
def _prototypes() -> Mapping[int, str]:
    """Return what each letter is compared as, for `str.translate`.

    The library lists lookalikes both ways. A letter that several look like, or a sequence of letters, is the
    prototype of the others; of two letters that only look like each other it is the first.
    """
    listed = _read(TWINS, dict[str, list[_Twin]])
    mark = _MARK_OF_DIRECTION
    twins = {letter.strip(mark): [twin.c.strip(mark) for twin in found] for letter, found in listed.items()}
    return {
        ord(letter): found[0]
        for letter, found in twins.items()
        if len(letter) == len(found) == 1
        and (len(found[0]) > 1 or len(twins[found[0]]) > 1 or found[0] < letter)
    }


@cache
def _scripts() -> _Ranges:
    return _read(SCRIPTS, _Ranges)


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
"""No name begins or ends with these: it would seem to speak for the server."""
_RESERVED_WORDS: Final = (
    *("administrateur", "administration", "bot", "bots", "guest", "guests", "host", "hosts", "house"),
    *("official", "operator", "owner", "owners", "server", "staff"),
    *("direction", "hôte", "maison", "propriétaire", "propriétaires", "serveur", "serveurs"),
    *("visiteur", "visiteurs"),
    *("besitzer", "besitzerin", "betreiber", "betreiberin", "betreibern", "betreiberinnen"),
    *("gast", "gastgeber", "gastgeberin", "haus", "hausleitung", "leitung", "spielehaus"),
)
"""No word of a name is one of these: the program uses them, in its languages, for whoever is no player."""
_RESERVED_ALONE: Final = (
    *("root", "support", "system", "deleted player"),
    *("you", "yours", "me", "myself", "everybody", "everyone", "nobody", "somebody", "someone"),
    *("vous", "toi", "moi", "personne", "quelqu'un", "tous"),
    *("du", "dich", "ich", "ihr", "niemand", "jemand", "alle"),
)
"""No name consists of just one of these: they stand for the reader or for nobody in particular."""
_DIGITS: Final = "0123456789"
"""Ignored around a name; inside one they may stand for letters."""


def is_server_name(name: str) -> bool:
    """Return whether the well-formed `name` is reserved, or looks like it."""
    words = _words(name)
    whole = "".join(words)
    letters = "".join(letter for letter in whole if letter.isalpha())
    if _looks_like(_RESERVED_ALONE, whole) or _looks_like(_RESERVED_ALONE, letters):
        return True
    # Separators don't hide a reserved word.
    if any(_looks_like((*_TITLES, *_RESERVED_WORDS), run) for run in (*_runs(words), letters)):
        return True
    ends = tuple(_all_looks(_TITLES))
    return any(look.startswith(ends) or look.endswith(ends) for look in looks(whole))


def looks_like_any(name: str, bots: tuple[str, ...]) -> bool:
    """Return whether the well-formed `name` looks like one of `bots`, with a number or without."""
    return _looks_like(bots, "".join(_words(name)))


def _words(name: str) -> list[str]:
    """Return the runs of letters and digits in `name`, without marks."""
    bare = (letter for letter in unicodedata.normalize("NFD", name) if not is_mark(letter))
    return "".join(letter if letter.isalnum() else " " for letter in bare).split()


def _runs(words: list[str]) -> Iterator[str]:
    """Return each run of adjacent words, joined."""
    for begin in range(len(words)):
        for end in range(begin + 1, len(words) + 1):
            yield "".join(words[begin:end])


def _looks_like(words: tuple[str, ...], text: str) -> bool:
    """Return whether `text`, with or without digits around it, looks like one of `words`."""
    known = _all_looks(words)
    return any(not known.isdisjoint(looks(each)) for each in {text, text.strip(_DIGITS)} - {""})


@cache
def _all_looks(words: tuple[str, ...]) -> frozenset[str]:
    bare = ("".join(_words(word)) for word in words)
    return frozenset().union(*(looks(word) | looks(word.upper()) | looks(word.title()) for word in bare))


SHORTEST, LONGEST = 2, 16
"""Characters in a name; also the most terminal cells, of which a wide letter takes two."""
MOST_BYTES = 32
"""Bytes of a name in UTF-8, to keep views small."""
FALLBACK = "player"
"""The name of people whose own can't be used."""
GUEST: Final = "~"
"""Marks the names of guests, who have no key to prove who they are."""

NameFault = Literal["bad-name", "mixed-name", "house-name"]
"""Why a text is no name: its form, its scripts, or because it is reserved."""

_INNER: Final = " -_.'"
"""Separators: may stand between the letters of a name, one at a time."""
_APOSTROPHES: Final = str.maketrans("\u2018\u2019\u02bc", "'''")
"""Variants that keyboards and editors produce."""
_LETTERS: Final = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd", "Nl"})
"""Letters, their marks, and digits."""
_POSING: Final = frozenset('!"(),:;?|~*+·')
"""Punctuation that click and tone letters look like; screens use it around names."""
_ONE_BY_ONE: Final = 20
"""The highest number tried in order for a name that is taken."""
_BY_CHANCE: Final = 1_000_000
"""The lowest random number tried after that; the highest has as many digits."""
_CHANCES: Final = 100
"""Random numbers tried; even with all stored names taken, ten are enough."""


def clean_name(text: str) -> str | None:
    """Return `text` as a name, or None if it can't be one."""
    name, fault = read_name(text)
    return None if fault else name


def read_name(text: str) -> tuple[str, NameFault | None]:
    """Return `text` as a name, and what is wrong with it.

    A name has 2 to 16 characters in at most 16 cells and 32 bytes: letters, their marks and digits, and between them
    single separators. It is written in one script, or in several that are written together, and isn't reserved.
    """
    name = _normal(text)
    if not _is_well_formed(name):
        return name, "bad-name"
    if mixes_scripts(name):
        return name, "mixed-name"
    return name, "house-name" if is_server_name(name) else None


def usable_name(text: str) -> str:
    """Return the name for someone who asks for `text`: as much of it as can be a name."""
    text = unmarked(text)
    return clean_name(text) or clean_name(shortened(_fit(text))) or FALLBACK


def name_fault(text: str) -> NameFault | None:
    """Return why `text` can't be used as it is."""
    return read_name(unmarked(text))[1]


def marked_name(name: str, mark: str) -> str:
    """Return the valid `name` behind `mark`, shortened to fit."""
    return f"{mark}{shortened(name, len(mark))}"


def mark_of(person: str, guest: bool) -> str:
    """Return the mark of a person's name: a guest's, a bot account's, or "" for people with a key."""
    return GUEST if guest else BOT_MARK if is_bot_person(person) else ""


def is_guest_name(name: str) -> bool:
    """Return whether the name has a guest's mark."""
    return name.startswith(GUEST)


def shortened(text: str, spare: int = 0) -> str:
    """Shorten `text` to the length of a name, less `spare` characters of one byte."""
    name = _normal(text)[: max(0, LONGEST - spare)]
    while name and (_bytes(name) > MOST_BYTES - spare or _cells(name) > LONGEST - spare):
        name = name[:-1]
    while name and (name[-1] in _INNER or name[-1].isspace()):
        name = name[:-1]
    return name


def key_of(name: str) -> str:
    """Return a key that is equal for names that differ only in how they are typed."""
    return _normal(name).casefold()


def free_name(name: str, is_free: Callable[[str], bool], entropy: Callable[[int], bytes]) -> str:
    """Return `name`, or `name2`, `name3`, … if it isn't free, shortened to fit.

    Beyond a few the numbers are random, since someone may have taken all that can be guessed. After `_CHANCES` tries
    the last one is returned.
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


def unmarked(text: str) -> str:
    """Return `text` without the mark that a name may begin with."""
    return text.lstrip().removeprefix(BOT_MARK).lstrip(GUEST)


def _fit(text: str) -> str:
    """Drop what can't be in a name; return "" for text with control characters."""
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
    """Return whether `two` may follow `one` in a name; two separators only as in "C. M"."""
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
    """Return the terminal cells of a name; a mark counts, since some terminals draw it beside its letter."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in name)


def _bytes(name: str) -> int:
    return len(name.encode(errors="surrogatepass"))
