"""A plain visit without a channel: a terminal of paper, and a person who types lines and reads them."""

import asyncio
import re
from collections.abc import Callable

from cartino_protocol.commands import Command, Create, Join
from cartino_protocol.link import ConnectionStatus, Link
from cartino_protocol.terminal import TerminalFacts
from cartino_protocol.views import Answer, Mine
from cartino_server.server import Server
from cartino_server.table.link import Person
from cartino_tui.plain.conversation import Conversation
from cartino_tui.plain.line_handler import PlainHandler
from cartino_tui.preferences import Preferences
from cartino_tui.visit.routes import ShellCommands, StartRoute
from tests.support.games import SPEECHES
from tests.support.visit import ScriptedLink, lobby, welcome

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


class Talk:
    """A plain visit in the lobby, with the test as the server."""

    def __init__(
        self,
        *answers: Answer | ConnectionStatus,
        intent: StartRoute | None = None,
        preferences: Preferences | None = None,
        commands: str = "ssh -t host",
    ) -> None:
        """Begin, and hear the server's greeting, its tables and `answers`."""
        self.link = ScriptedLink()
        words = ShellCommands(commands)
        self.conversation = Conversation(
            self.link.send, preferences or Preferences(), SPEECHES, intent, words, words
        )
        self.conversation.begin()
        self.hears(welcome(), lobby(), Mine(()), *answers)

    def hears(self, *said: Answer | ConnectionStatus) -> list[str]:
        """Return the lines that the server's words lead to."""
        self.conversation.take_lines()
        for each in said:
            self.conversation.handle(each)
        return self.conversation.take_lines()

    def types(self, text: str) -> list[str]:
        """Type a line; return the lines that it leads to."""
        self.conversation.enter(text)
        return self.conversation.take_lines()

    def sends(self, text: str) -> Command:
        """Type a line; return what was sent last."""
        self.types(text)
        return self.link.said[-1]


def reader(server: Server, name: str, intent: StartRoute | None = None, *, raw: bool = False) -> Reader:
    """A visit of the player `name`."""
    return Reader(lambda: server.open_link(Person(f"id-{name}", name)), intent, raw=raw)


async def two(server: Server) -> tuple[Reader, Reader]:
    """ann and bob at a table, where ann begins or bob does."""
    ann = reader(server, "ann", Create("cartino", {"edition": "1974"}))
    await ann.reads("0: back to the lobby")
    bob = reader(server, "bob", Join("AAAA"))
    await bob.reads("You hold ")
    await ann.reads("You hold ")
    return ann, bob


def on_turn(ann: Reader, bob: Reader) -> tuple[Reader, Reader]:
    """Who is on turn, then who is not."""
    return (ann, bob) if "Your turn.\n" in ann.paper.text else (bob, ann)
