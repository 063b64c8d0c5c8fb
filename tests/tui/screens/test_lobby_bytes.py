"""What the lobby costs on the wire, through the real driver."""

import asyncio
import contextvars
import time
from functools import partial

from cartino_protocol.terminal import TerminalFacts
from cartino_tui.app import CartinoApp
from cartino_tui.terminal.textual_handler import TextualHandler
from tests.support.visit import TOYS, ScriptedLink, line, lobby, welcome

MOST_BYTES_AN_ARROW = 600
NAMES = "Bartholomew_1234 Alice_Wonderland Christopher_Rob Dmitri_Dmitrich"


class CountingTerminal:
    """A terminal that keeps what it is sent."""

    def __init__(self) -> None:
        self.facts = TerminalFacts("xterm-256color", 80, 24)
        self.sent = bytearray()

    def write(self, data: bytes) -> None:
        self.sent += data

    def pause_reading(self) -> None:
        """Nothing is typed fast here."""

    def resume_reading(self) -> None:
        """Nothing is typed fast here."""

    async def shows(self, words: str, since: int = 0) -> None:
        """Wait until `words` were sent after the first `since` bytes."""
        deadline = time.monotonic() + 30
        while words.encode() not in self.sent[since:]:
            assert time.monotonic() < deadline, f"{words} never came"
            await asyncio.sleep(0.01)


async def test_an_arrow_key_in_a_full_lobby_costs_at_most_600_bytes() -> None:
    """The first two tables of a full list, each with four long names on turn: the dearest rows there are."""
    terminal, link = CountingTerminal(), ScriptedLink()
    face = TextualHandler(terminal, partial(CartinoApp, link, game_screens=TOYS))
    running = asyncio.get_running_loop().create_task(face.run(), context=contextvars.Context())
    codes = [f"A{a}{b}Z" for a in "BCDEF" for b in "GHJKLM"]
    link.tell(
        welcome(), lobby(*(line(code, NAMES, "playing", 12, (0, 1, 2, 3)) for code in codes), people=99)
    )
    await terminal.shows(codes[0])
    costs = []
    for code in codes[1:5]:
        before = len(terminal.sent)
        face.feed(b"\x1b[B")
        await terminal.shows(code, since=before)
        costs.append(len(terminal.sent) - before)
    del costs[0]  # the first paint may still have been under way
    assert max(costs) <= MOST_BYTES_AN_ARROW, costs
    face.feed(b"q")
    assert await asyncio.wait_for(running, 30) == 0
    assert face.crash is None
