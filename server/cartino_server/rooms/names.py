"""What people are called: a clean name, and one that nobody else in the house has."""

import unicodedata
from collections.abc import Container
from itertools import pairwise

from cartino_server.rooms.text import is_mark, is_visible

SHORTEST, LONGEST = 2, 16
"""Characters in a name; at most so many cells of a terminal, too, of which a letter of a wide script takes two."""
MOST_BYTES = 32
"""Bytes of a name in UTF-8, so that a table full of long names still is a small view."""
FALLBACK = "guest"
"""What somebody is called whose own name can't be used."""

_MARKUP = frozenset("[]\\")
"""Would open a tag somewhere, were a name ever read as markup."""


def clean_name(text: str) -> str | None:
    """`text` as a displayed name, or None where it can't be one.

    A name has 2 to 16 visible characters in 16 cells and at most 32 bytes, none of them hidden, of text direction or
    of markup, and doesn't pass for a bot's.
    """
    name = _normal(text)
    if len(name) < SHORTEST or _cells(name) > LONGEST or _bytes(name) > MOST_BYTES:
        return None
    if not all(map(is_visible, name)):
        return None
    if any(letter in _MARKUP for letter in name) or "  " in name:
        return None
    if is_mark(name[0]) or any(is_mark(one) and is_mark(two) for one, two in pairwise(name)):
        return None
    return None if _passes_for_a_bot(name) else name


def shortened(text: str, spare: int = 0) -> str:
    """As much of `text` as is no longer than a name, with room left for `spare` more characters of one byte."""
    name = _normal(text)[: LONGEST - spare]
    while _bytes(name) > MOST_BYTES - spare or _cells(name) > LONGEST - spare:
        name = name[:-1]
    return name.rstrip()


def key_of(name: str) -> str:
    """What two names have in common that people would take for one."""
    return name.casefold()


def free_name(name: str, taken: Container[str]) -> str:
    """`name`, or `name2`, `name3`, … where its key is in `taken` (keys of names); never longer than a name may be."""
    candidate, count = name, 1
    while key_of(candidate) in taken:
        count += 1
        candidate = f"{shortened(name, len(str(count)))}{count}"
    return candidate


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split(" ")).strip()


def _cells(name: str) -> int:
    """The cells that all places on the screen have for a name; a mark counts, as a terminal may draw it beside."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in name)


def _bytes(name: str) -> int:
    return len(name.encode(errors="surrogatepass"))


def _passes_for_a_bot(name: str) -> bool:
    folded = name.casefold()
    return folded == "bot" or folded.startswith(("bot:", "bot "))
