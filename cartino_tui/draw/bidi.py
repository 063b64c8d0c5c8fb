"""Letters that are written from right to left, kept from turning round what stands beside them.

A terminal that knows of directions lays out a whole row by Unicode's rules (UAX 9): behind Hebrew or Arabic letters a
number goes to their left, over blanks and frames, so that a name would change places with its points, or two names
with each other. Marks of direction would hold that, but terminals drop them or give them a cell. A blank that counts as
written from left to right holds it as well, and takes the one cell that every blank takes: the braille pattern
without dots.
"""

import re
import unicodedata
from typing import Final

BLANK: Final = "\u2800"
"""Is drawn as a blank, and counts as a letter that is written from left to right."""
_RIGHT: Final = frozenset({"R", "AL", "AN"})
_TALK: Final = frozenset({"chat", "input"})
"""Roles of what people say: whole sentences, whose words stay in their own order."""

has_turning = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
).search
"""Whether there is such a letter in a text; for most of what is drawn that is all there is to find out."""


def held(chars: list[str], roles: list[str]) -> list[str]:
    """The characters of a row, by their `roles`, with such a blank behind all that would go on turning what follows.

    Words with one blank between them that are all written from right to left stay one name or sentence.
    """
    kept = list(chars)
    turns = False
    for at, char in enumerate(chars):
        direction = unicodedata.bidirectional(char)
        if direction in _RIGHT:
            turns = True
        elif direction == "L":
            turns = False
        elif turns and char == " ":
            after = next((next_at for next_at in range(at + 1, len(chars)) if chars[next_at] != " "), None)
            if after is None:
                break
            if not _go_together(chars, roles, at, after):
                kept[at] = BLANK
                turns = False
    return kept


def _go_together(chars: list[str], roles: list[str], blank: int, after: int) -> bool:
    """Whether what stands before the `blank` and what comes next, at `after`, are one text."""
    if roles[blank] == roles[after] and roles[after] in _TALK:
        return True
    beside = chars[blank - 1], chars[blank + 1]
    return all(unicodedata.bidirectional(char) in _RIGHT for char in beside)
