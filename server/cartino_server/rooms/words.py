"""The words by which guests come back: they can be read aloud and typed, and not be guessed."""

from collections.abc import Callable

_FIRST = "bdfghjklmnprstvz"
_SECOND = "aeio"
_SYLLABLES = 9
"""54 bits of chance."""


def new_word(entropy: Callable[[int], bytes]) -> str:
    """A word of nine syllables in three groups ("batiko-nuvaro-zeline")."""
    syllables = [_FIRST[byte >> 4] + _SECOND[byte >> 2 & 3] for byte in entropy(_SYLLABLES)]
    groups = ["".join(syllables[at : at + 3]) for at in range(0, _SYLLABLES, 3)]
    return "-".join(groups)


def read_word(text: str) -> str:
    """The word that a person meant by `text`: any case, blanks or dashes anywhere."""
    letters = "".join(letter for letter in text.lower() if letter.isalpha())
    return "-".join(letters[at : at + 6] for at in range(0, len(letters), 6))
