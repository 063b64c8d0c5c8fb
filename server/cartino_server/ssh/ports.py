"""Interfaces between SSH sessions and the rest of the server, and the data they exchange."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, Protocol

import msgspec

from cartino_protocol.link import FrameLink
from cartino_protocol.text import LazyMessage
from cartino_server.limits import SessionLimits
from cartino_server.visitors import Reply, Visitor
from cartino_tui.terminal import ports as terminal_ports


class AcceptedConnection(msgspec.Struct, frozen=True):
    """An accepted connection: its number in this process's life, and its source address."""

    connection: int = 0
    source: str = ""


class Terminal(terminal_ports.Terminal, Protocol):
    """The session channel as a terminal handler sees it."""

    @property
    def limits(self) -> SessionLimits:
        """The limits of the session."""


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

    def face(
        self, visitor: Visitor, terminal: Terminal, words: Sequence[str]
    ) -> terminal_ports.TerminalHandler:
        """Return a face that isn't running yet; a line-based one may have no terminal."""

    def link(self, visitor: Visitor) -> FrameLink:
        """Return the link for a native client, which speaks the protocol (subsystem `cartino`)."""

    async def answer(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """Return the answer to a command, also to an unknown one."""

    def told(self, sentence: LazyMessage, env: Mapping[str, str]) -> str:
        """Return the sentence in the language that the variables `env` ask for."""
