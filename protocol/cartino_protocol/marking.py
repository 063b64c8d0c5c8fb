"""Marks sentences that people read where they stand, so that the catalogues of other languages find them.

`N_` marks one as it is. `later` makes a `Sentence` of it, with what stands in its places: for whoever knows what is to
be said and not in which language. Whoever does says it (`Tongue.tell`).
"""

from collections.abc import Mapping
from typing import Any

import msgspec


def N_(text: str) -> str:
    """`text` itself, which whoever shows it says in the reader's language."""
    return text


class Sentence(msgspec.Struct, frozen=True):
    """An English sentence with `{places}`, to be said in the reader's language.

    What stands in a place may be a sentence itself. With `many`, which is the sentence for more than one, it is said
    of `n` things. As a `str` it is English.
    """

    text: str
    places: Mapping[str, Any] = {}
    many: str = ""
    n: int = 0

    def __str__(self) -> str:
        """The sentence in English, for logs and records."""
        text = self.many if self.many and self.n != 1 else self.text
        places = {**self.places, "n": self.n} if self.many else self.places
        return text.format(**places) if places else text


NOTHING = Sentence("")
"""Nothing to say."""


class SentenceError(Exception):
    """Something is wrong, for the reason in `sentence`, which a person is told; as a `str` it is English."""

    def __init__(self, sentence: Sentence) -> None:
        """It is wrong for that reason."""
        super().__init__(str(sentence))
        self.sentence = sentence


def later(text: str, /, **places: object) -> Sentence:
    """The sentence `text`, to be said later."""
    return Sentence(text, places)


def later_count(one: str, many: str, n: int, /, **places: object) -> Sentence:
    """`one` or `many`, to be said later of `n` things; `{n}` is their number."""
    return Sentence(one, places, many, n)
