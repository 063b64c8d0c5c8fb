"""What people are called: a clean name, and one that nobody else in the house has."""

import unicodedata
from collections.abc import Container
from itertools import pairwise

from cartino_server.rooms.text import is_mark, is_visible

SHORTEST, LONGEST = 2, 16
FALLBACK = "guest"
"""What somebody is called whose own name can't be used."""

_MARKUP = frozenset("[]\\")
"""Would open a tag somewhere, were a name ever read as markup."""


def clean_name(text: str) -> str | None:
    """`text` as a displayed name, or None where it can't be one.

    A name has 2 to 16 visible characters, none of them hidden, of text direction or of markup, and doesn't
    pass for a bot's.
    """
    name = " ".join(unicodedata.normalize("NFKC", text).split(" ")).strip()
    if not SHORTEST <= len(name) <= LONGEST or not all(map(is_visible, name)):
        return None
    if any(letter in _MARKUP for letter in name) or "  " in name:
        return None
    if is_mark(name[0]) or any(is_mark(one) and is_mark(two) for one, two in pairwise(name)):
        return None
    return None if _passes_for_a_bot(name) else name


def key_of(name: str) -> str:
    """What two names have in common that people would take for one."""
    return name.casefold()


def free_name(name: str, taken: Container[str]) -> str:
    """`name`, or `name2`, `name3`, … where its key is in `taken` (keys of names); never longer than a name may be."""
    candidate, count = name, 1
    while key_of(candidate) in taken:
        count += 1
        candidate = f"{name[: LONGEST - len(str(count))].rstrip()}{count}"
    return candidate


def _passes_for_a_bot(name: str) -> bool:
    folded = name.casefold()
    return folded == "bot" or folded.startswith(("bot:", "bot "))
