"""A plain visit without a channel: a terminal of paper, and a person who types lines and reads them."""

import asyncio
import re
from collections.abc import Callable

from cartino_protocol.link import Link
from cartino_protocol.terminal import TerminalFacts
from cartino_tui.plain.conversation import Conversation
from cartino_tui.plain.line_handler import PlainHandler
from cartino_tui.preferences import Preferences
from cartino_tui.visit.routes import ShellCommands, StartRoute
from tests.support.games import SPEECHES

TIME_LIMIT = 30.0


class Paper:
    """A terminal that keeps what it is sent."""

    def __init__(self, *, is_terminal: bool = False, term: str = "dumb") -> None:
        self.facts = TerminalFacts(term, 80, 24, is_terminal=is_terminal)
        self.sent = bytearray()
        self.paused = False

    def write(self, data: bytes) -> None:
        self.sent += data

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False

    @property
    def text(self) -> str:
        return self.sent.decode()


class Reader:
    """A person at a `PlainHandler`. `unread` is what came since they last waited for something."""

    def __init__(
        self,
        open_link: Callable[[], Link],
        intent: StartRoute | None = None,
        *,
        raw: bool = False,
        preferences: Preferences | None = None,
        listener: str = "ssh -t host",
    ) -> None:
        self.paper = Paper(is_terminal=raw)
        self.conversation: Conversation | None = None
        words = ShellCommands(listener)

        def speaker(send: Callable[..., None]) -> Conversation:
            self.conversation = Conversation(
                send, preferences or Preferences(), SPEECHES, intent, words, words
            )
            return self.conversation

        self.face = PlainHandler(self.paper, open_link, speaker)
        self.running = asyncio.create_task(self.face.run())
        self._read = 0

    @property
    def unread(self) -> str:
        return self.paper.text[self._read :]

    def types(self, *lines: str) -> None:
        """Type whole lines in one burst."""
        self.face.feed("".join(f"{line}\n" for line in lines).encode())

    async def reads(self, pattern: str) -> str:
        """Wait for `pattern` in what was not read yet; that is read then, up to the end of its line."""
        async with asyncio.timeout(TIME_LIMIT):
            while (found := re.search(pattern + r".*\n", self.unread)) is None:
                assert not self.running.done(), f"the visit has ended: {self.paper.text!r} {self.face.crash}"
                await asyncio.sleep(0.001)
        self._read += found.end()
        return found[0]

    async def ends(self) -> int:
        """Wait for the end of the visit."""
        status = await asyncio.wait_for(self.running, TIME_LIMIT)
        assert self.face.crash is None, self.face.crash
        return status
