"""What whoever keeps the house has said last, for the screens: over the status line, until the next key."""

from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec

from cartino_protocol.hosts_words import MARK, Announced
from cartino_protocol.legible import legible
from cartino_tui.draw.text import clean
from cartino_tui.known import Known
from cartino_tui.tongue import Tongue

TOLD_SECONDS: Final = 60.0
"""How long it stands there for somebody who types nothing."""
KEPT: Final = 5
"""Words that can be read again where all is that was said."""


class Word(msgspec.Struct, frozen=True):
    """What was `said` when somebody stood at the table `code`, "" for none, behind the line `after` of its talk."""

    said: Announced
    code: str
    after: int


class HostsWords:
    """What all screens of an app show of it, whichever is in front."""

    __slots__ = ("_kept", "_said")

    def __init__(self) -> None:
        """Nothing was said."""
        self._said: Announced | None = None
        self._kept: tuple[Word, ...] = ()

    def hear(
        self,
        said: Announced,
        known: Known,
        after: Callable[[float, Callable[[], None]], object],
        redraw: Callable[[], object],
    ) -> None:
        """The host says something new to somebody who knows `known`.

        `after(seconds, call)` calls when it was to be seen for long enough.
        """
        self._said = said
        word = Word(said, "" if known.room is None else known.room.code, _newest(known))
        # Whoever goes on talking while they are muted is told the same reason each time.
        self._kept = (*(each for each in self._kept if each.said != said), word)[-KEPT:]
        after(TOLD_SECONDS, partial(self._drop, said, redraw))

    def read(self) -> None:
        """Whoever types has seen it."""
        self._said = None

    def kept(self, code: str, tongue: Tongue) -> list[tuple[int, str]]:
        """What was said last, fit for drawing, each behind the number of the line of `code` that it stands below.

        0 for what was said before somebody came to that table.
        """
        return [
            (each.after if each.code == code else 0, clean(line_of(each.said, tongue))) for each in self._kept
        ]

    def told(self, tongue: Tongue) -> str:
        """The sentence in `tongue` behind the host's mark, fit for drawing; "" for none."""
        return "" if self._said is None else clean(f"{MARK} {tongue.tell(self._said.words())}")

    def _drop(self, said: Announced, redraw: Callable[[], object]) -> None:
        if self._said is said:
            self._said = None
            redraw()


def line_of(said: Announced, tongue: Tongue) -> str:
    """`said` as a line in `tongue` behind the host's mark, fit for a terminal whatever house it came from."""
    safe = msgspec.structs.replace(said, text=printable(said.text), until=printable(said.until))
    return f"{MARK} {tongue.tell(safe.words())}"


def printable(text: str) -> str:
    """`text` without what a terminal obeys, and what turns or covers letters."""
    return legible(text)


def _newest(known: Known) -> int:
    """The number of the last line of talk, or notice, that somebody has heard of."""
    heard = () if known.heard is None else (known.heard.lines, known.heard.notices)
    return max((each[-1].n for each in heard if each), default=0)
