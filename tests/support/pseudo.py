"""A language that is English with accents and 40 % longer: what is drawn in it shows which words nobody marked.

    frame = draw(table, in_pseudo(look), …)
    assert plain_words(frame, "ann", "bob") == []

Or a whole app: `speak_pseudo(monkeypatch)` before it is made, then `plain_words(visit.frame, …)`. It works for looks
that show more than ASCII; in ASCII its letters lose their accents, and only their number says something.
"""

import gettext
import math
import re
from typing import Final

import msgspec
import pytest

from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import Translator
from cartino_tui.preferences import Preferences

LONGER: Final = 1.4
"""How much longer a sentence is than the English one, at least."""

_ACCENTS: Final = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "åƀçđéƒĝĥíĵķĺɱñöþɋŕšţüṽŵẋýžÅɃÇĐÉƑĜĤÍĴĶĹⱮÑÖÞɊŔŠŢÜṼŴẊÝŽ",
)
_UNTOUCHED: Final = re.compile(r"(\{[^{}]*\}|%\(\w+\)[a-z]|%[a-z%]|`[^`]*`)")
"""Places, and what is to be typed as it stands."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_CODE: Final = re.compile(r"\b(?=[0-9A-Z]*\d)(?:[0-9A-Z]{4}|[0-9A-Z]{8})(-\d+)?\b")
"""A table's code or a game's name, where there is a digit in it."""


def pseudo(sentence: str) -> str:
    """`sentence` as it is said: its words with accents and longer, its places and its edges as they were."""
    parts = _UNTOUCHED.split(sentence)
    said = [part if at % 2 else _accented(part) for at, part in enumerate(parts)]
    wordy = [at for at in range(0, len(parts), 2) if any(map(str.isalpha, parts[at]))]
    if wordy:
        words, longer = sum(map(len, parts[::2])), sum(map(len, said[::2]))
        bare = said[wordy[-1]].rstrip()
        more = "ẍ" * max(0, math.ceil(words * LONGER) - longer)
        said[wordy[-1]] = f"{bare}{more}{said[wordy[-1]][len(bare) :]}"
    return "".join(said)


def _accented(text: str) -> str:
    return re.sub("([aeiou])", r"\1\1", text).translate(_ACCENTS)


class _Catalogue(gettext.NullTranslations):
    def gettext(self, message: str) -> str:
        return pseudo(message)

    def pgettext(self, context: str, message: str) -> str:
        return pseudo(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return pseudo(msgid1 if n == 1 else msgid2)


PSEUDO: Final = Translator("xx", _Catalogue())
"""The language itself, for whatever takes a tongue."""


def in_pseudo(look: Look) -> Look:
    """`look`, to be drawn in that language."""
    return msgspec.structs.replace(look, translator=PSEUDO)


def speak_pseudo(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a person has chosen: from now on this test's apps speak that language."""
    monkeypatch.setattr(Preferences, "translator", property(lambda self: PSEUDO))


def plain_words(shown: Frame | str, *let_through: str) -> list[str]:
    """The English words in a frame or a text, that is those without any accent, in reading order.

    Let through are codes with a digit in them, single letters, and the texts of `let_through` (names of people, words
    that somebody said, commands to type).
    """
    text = shown if isinstance(shown, str) else shown.text()
    for known in sorted(let_through, key=len, reverse=True):
        text = re.sub(rf"(?<![^\W\d_]){re.escape(known)}(?![^\W\d_])", " ", text)
    words = _WORD.findall(_CODE.sub(" ", text))
    return [word for word in words if word.isascii() and len(word) > 1]
