"""Whether a terminal draws suits and lines one cell wide: nothing but the terminal itself knows.

Unicode calls their width ambiguous, and terminals set up for East Asian text draw them in two cells. So some are
drawn, and the terminal is asked where its cursor stands now.
"""

import asyncio
import re
from typing import Final

from cartino_tui.driver.terminal import Terminal

QUESTION: Final = "\r│♠\x1b[6n\r\x1b[K".encode()
"""Draw two characters, ask, and wipe them away: one piece, so that nothing waits for the answer to be tidy."""
PATIENCE: Final = 0.5
"""Seconds for the answer; a terminal that gives none is taken for one like most."""
NARROW: Final = 3
"""The column of the cursor, counted from 1, when both characters took one cell."""

_ANSWER: Final = re.compile(rb"\x1b\[\d{1,5};(\d{1,5})R")


class Probe:
    """One question to one terminal. Whoever gets the terminal's bytes lets the probe `look` at them meanwhile."""

    def __init__(self) -> None:
        """A question on the running loop, not yet asked."""
        self._column: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def is_narrow(self, terminal: Terminal) -> bool:
        """Ask `terminal`; whether it draws the characters one cell wide, True where no answer comes in time."""
        terminal.write(QUESTION)
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._column == NARROW
        except TimeoutError:
            return True

    def look(self, typed: bytearray) -> None:
        """Take the answer out of what came, once all of it has come; the rest are keys."""
        answer = None if self._column.done() else _ANSWER.search(typed)
        if answer is not None:
            self._column.set_result(int(answer[1]))
            del typed[answer.start() : answer.end()]

    def give_up(self) -> None:
        """The terminal is gone."""
        if not self._column.done():
            self._column.set_result(NARROW)
