"""Interfaces between SSH sessions and the rest of the server, and the data they exchange."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, Protocol

import msgspec

from cartino_protocol.base import TerminalFacts
from cartino_protocol.link import FrameLink
from cartino_protocol.text import LazyMessage
from cartino_server.limits import SessionLimits
from cartino_server.visitors import Reply, Visitor


class AcceptedConnection(msgspec.Struct, frozen=True):
    """An accepted connection: its number in this process's life, and its source address."""

    connection: int = 0
    source: str = ""


class Terminal(Protocol):
    """The session channel as a face sees it. All calls return at once."""

    @property
    def facts(self) -> TerminalFacts:
        """What the client said about its terminal before the session began."""

    @property
    def limits(self) -> SessionLimits:
        """The limits of the session."""

    def write(self, data: bytes) -> None:
        """Send bytes; they are dropped if the channel is gone."""

    def pause_reading(self) -> None:
        """Take no more input until `resume_reading`."""

    def resume_reading(self) -> None:
        """Take input again."""


class TerminalHandler(Protocol):
    """The program that runs on a channel. All methods but `run` return at once."""

    @property
    def crash(self) -> str | None:
        """After `run`: None, or the error to log."""

    async def run(self) -> int:
        """Run to the end and return the exit code. When cancelled, leave the terminal in order."""

    def feed(self, data: bytes) -> None:
        """Handle bytes of input."""

    def resize(self, width: int, height: int) -> None:
        """Handle a new terminal size in cells."""

    def stall(self) -> None:
        """The channel is full: draw nothing until `drained`."""

    def drained(self) -> None:
        """The channel takes bytes again: draw the newest state in full."""

    def hang_up(self) -> None:
        """The channel is gone: end without drawing."""


CommandMode = Literal["screen", "lines", "answer"]
"""How a command runs: full-screen on a terminal, line by line without one, or as one answer."""

SessionKind = Literal[CommandMode, "native"]
"""How a session runs: a command mode, or "native" for a client that draws by itself."""

END_OF_INPUT: Final = b"\x04"
"""Fed to a line-based face at the end of piped input: Ctrl-D, as a terminal sends it."""


class RequestHandler(Protocol):
    """Handles sessions. `words` is the command, split as a shell does; empty for none."""

    def way(self, words: Sequence[str]) -> CommandMode:
        """Return how the command runs; no words always mean the screen."""

    def face(self, visitor: Visitor, terminal: Terminal, words: Sequence[str]) -> TerminalHandler:
        """Return a face that isn't running yet; a line-based one may have no terminal."""

    def link(self, visitor: Visitor) -> FrameLink:
        """Return the link for a native client, which speaks the protocol (subsystem `cartino`)."""

    async def answer(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """Return the answer to a command, also to an unknown one."""

    def told(self, sentence: LazyMessage, env: Mapping[str, str]) -> str:
        """Return the sentence in the language that the variables `env` ask for."""
