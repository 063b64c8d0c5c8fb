"""What the rules can't begin with or go on from, in words for whoever reads a record."""

from cartino_protocol.marking import Sentence, SentenceError


class Impossible(SentenceError, ValueError):
    """Seats, options, draws or an order of things that no game can have; the sentence is a clause that says why."""


def clause(error: ValueError) -> Sentence:
    """Why something can't be, to be told; a ValueError of no game's own stays in the words it has."""
    return error.sentence if isinstance(error, SentenceError) else Sentence(str(error))
