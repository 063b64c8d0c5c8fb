"""When a terminal's new sizes are drawn: in turn with the input of all others, and never before a key of anybody's.

A new size costs as much as some keys, as all is laid out and drawn again, and whoever drags a window sends twenty a
second. It goes as a flood does: twenty who drag get no more of the time than one. Their own keys don't wait for it.
"""

from collections.abc import Callable
from typing import Final

from cartino_tui.driver.turns import Turn, turns_here

COST: Final = 0.008
"""Seconds of work that a new size is charged at once, though it is done later; more is charged when it is done."""


class Layouts:
    """The new sizes of one terminal, of which only the newest counts."""

    def __init__(self, source: str = "") -> None:
        """On the running loop; nothing is to be drawn. `source` as of a `Turn`."""
        self._turn = Turn(turns_here(), self._work, source)
        self._newest: Callable[[], object] | None = None

    def put(self, lay_out: Callable[[], object]) -> None:
        """Call `lay_out`, which has all drawn for a new size, when it is this terminal's turn; at once mostly.

        Whatever was put before, and still waits for that, is never called.
        """
        self._newest = lay_out
        if not self._turn.waits:
            self._work()

    @property
    def turn(self) -> Turn:
        """What the work is charged to."""
        return self._turn

    def close(self) -> None:
        """Forget what waits."""
        self._newest = None
        self._turn.leave()

    def _work(self) -> None:
        if self._newest is not None and self._turn.may(urgent=False):
            self._turn.do(self._lay_out, COST)

    def _lay_out(self) -> bool:
        lay_out, self._newest = self._newest, None
        if lay_out is not None:
            lay_out()
        return False
