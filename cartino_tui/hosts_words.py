"""What whoever keeps the house has said last, for the screens: over the status line, until the next key."""

from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec

from cartino_protocol.hosts_words import MARK, Announced
from cartino_protocol.legible import legible
from cartino_tui.draw.text import clean
from cartino_tui.tongue import Tongue

TOLD_SECONDS: Final = 60.0
"""How long it stands there for somebody who types nothing."""


class HostsWords:
    """What all screens of an app show of it, whichever is in front."""

    __slots__ = ("_said",)

    def __init__(self) -> None:
        """Nothing was said."""
        self._said: Announced | None = None

    def hear(
        self,
        said: Announced,
        after: Callable[[float, Callable[[], None]], object],
        redraw: Callable[[], object],
    ) -> None:
        """The host says something new; `after(seconds, call)` calls when it was to be seen for long enough."""
        self._said = said
        after(TOLD_SECONDS, partial(self._drop, said, redraw))

    def read(self) -> None:
        """Whoever types has seen it."""
        self._said = None

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
