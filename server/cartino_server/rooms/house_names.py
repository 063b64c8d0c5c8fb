"""Which names would be taken for the house's own, a bot's, or for what the screens call people without their names."""

import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Final

from cartino_protocol.legible import is_mark
from cartino_server.rooms.lookalikes import looks, looks_of_a_word

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
_OF_THE_HOUSE: Final = (
    *("administrateur", "administration", "bot", "bots", "guest", "guests", "host", "hosts", "house"),
    *("official", "operator", "owner", "owners", "server", "staff"),
    *("direction", "hôte", "maison", "visiteur", "visiteurs"),
    *("besitzer", "besitzerin", "gast", "gastgeber", "haus", "hausleitung", "leitung", "spielehaus"),
)
"""No word of a name is one of them: with them the program tells who is no player, in all its languages."""
_NOT_ALONE: Final = (
    *("root", "support", "system", "deleted player"),
    *("you", "yours", "me", "myself", "everybody", "everyone", "nobody", "somebody", "someone"),
    *("vous", "toi", "moi", "personne", "quelqu'un", "tous"),
    *("du", "dich", "ich", "ihr", "niemand", "jemand", "alle"),
)
"""Nobody is called that and nothing else: so it says of a screen's own reader, or of nobody in particular."""
_DIGITS: Final = "0123456789"
"""They make no other name of one, where they stand around it; in it they may stand for letters."""


def is_of_the_house(name: str) -> bool:
    """Whether the well-formed `name` would be taken for the house, for a bot, for anybody or for nobody."""
    words = _words(name)
    whole = "".join(words)
    letters = "".join(letter for letter in whole if letter.isalpha())
    if _looks_like(_NOT_ALONE, whole) or _looks_like(_NOT_ALONE, letters):
        return True
    # What stands between letters doesn't keep apart what is read as one word.
    if any(_looks_like((*_TITLES, *_OF_THE_HOUSE), run) for run in (*_runs(words), letters)):
        return True
    ends = tuple(_all_looks(_TITLES))
    return any(look.startswith(ends) or look.endswith(ends) for look in looks(whole))


def is_called_like(name: str, bots: tuple[str, ...]) -> bool:
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
