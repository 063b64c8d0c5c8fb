"""What nobody but a terminal itself knows: whether it draws suits and lines one cell wide, and on which ground.

Unicode calls their width ambiguous, and terminals set up for East Asian text draw them in two cells. So some are
drawn, and the terminal is asked where its cursor stands now. It answers questions in their order, so the one for its
ground stands before: when the cursor's place is told, nothing more is to come, and nobody waits any longer for it.
"""

import asyncio
import re
from typing import Final, NamedTuple

from cartino_tui.draw.theme import Ground
from cartino_tui.driver import ground
from cartino_tui.driver.terminal import Terminal

QUESTION: Final = ground.QUESTION + "\r│♠\x1b[6n\r\x1b[K".encode()
"""Ask, draw two characters, ask, and wipe them away: one piece, so that nothing waits for the answer to be tidy."""
PATIENCE: Final = 0.5
"""Seconds for the answer; a terminal that gives none is taken for one like most."""
NARROW: Final = 3
"""The column of the cursor, counted from 1, when both characters took one cell."""

_ANSWER: Final = re.compile(rb"\x1b\[\d{1,5};(\d{1,5})R")


class Told(NamedTuple):
    """What a terminal told: whether the characters are one cell wide, and its ground, None where it told nothing.

    `answered`: it told where its cursor is.
    """

    narrow: bool = True
    ground: Ground | None = None
    answered: bool = False


class Probe:
    """One question to one terminal. Whoever gets the terminal's bytes lets the probe `look` at them meanwhile."""

    def __init__(self) -> None:
        """A question on the running loop, not yet asked."""
        self._told: asyncio.Future[Told] = asyncio.get_running_loop().create_future()

    async def ask(self, terminal: Terminal) -> Told:
        """Ask `terminal`; what it is taken for where no answer comes in time: narrow, its ground unknown."""
        terminal.write(QUESTION)
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._told
        except TimeoutError:
            return Told()

    def look(self, typed: bytearray) -> None:
        """Take the answers out of what came, once all of them have come; the rest are keys."""
        answer = None if self._told.done() else _ANSWER.search(typed)
        if answer is not None:
            narrow = int(answer[1]) == NARROW
            del typed[answer.start() : answer.end()]
            self._told.set_result(Told(narrow, ground.take_answer(typed), answered=True))

    def give_up(self) -> None:
        """The terminal is gone."""
        if not self._told.done():
            self._told.set_result(Told())
