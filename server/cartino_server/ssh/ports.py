"""What a session asks for (terminal, environment, command) and the interface of the program that handles it."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Final, Literal, Protocol

import msgspec

from cartino_protocol import terminal
from cartino_protocol.link import FrameLink
from cartino_protocol.terminal import TerminalHandler
from cartino_protocol.text import LazyMessage, LazyMessageError, lazy_gettext
from cartino_server.limits import SessionLimits
from cartino_server.visitors import Reply, Visitor


class AcceptedConnection(msgspec.Struct, frozen=True):
    """An accepted connection: its number in this process's life, and its source address."""

    connection: int = 0
    source: str = ""


class TerminalChannel(terminal.Terminal, Protocol):
    """The session channel as a terminal handler sees it."""

    @property
    def limits(self) -> SessionLimits:
        """The limits of the session."""


CommandMode = Literal["screen", "lines", "answer", "either"]
"""How a command runs: full-screen on a terminal, line by line without one, or as one answer.

"either": full-screen on a terminal, as one answer without one.
"""

SessionKind = Literal[CommandMode, "native"]
"""How a session runs: a command mode, or "native" for a client that draws by itself."""

END_OF_INPUT: Final = b"\x04"
"""Fed to a line-based handler at the end of piped input: Ctrl-D, as a terminal sends it."""


class RequestHandler(Protocol):
    """Handles sessions. `words` is the command, split as a shell does; empty for none."""

    def mode(self, words: Sequence[str]) -> CommandMode:
        """Return how the command runs; no words always mean the screen."""

    def handler(self, visitor: Visitor, terminal: TerminalChannel, words: Sequence[str]) -> TerminalHandler:
        """Return a handler that isn't running yet; a line-based one may have no terminal."""

    def link(self, visitor: Visitor) -> FrameLink:
        """Return the link for a native client, which speaks the protocol (subsystem `cartino`)."""

    async def run_command(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """Return the answer to a command, also to an unknown one."""

    def translate(self, sentence: LazyMessage, env: Mapping[str, str]) -> str:
        """Return the sentence in the language that the variables `env` ask for."""


TERMINAL_NAME: Final = re.compile(r"[\w+.:-]{1,64}", re.ASCII)


def terminal_name(term: str) -> str:
    """Return the client's terminal type if it looks like one, otherwise ""."""
    return term if TERMINAL_NAME.fullmatch(term) else ""


VARIABLE_NAMES: Final = frozenset({"LANG", "COLORTERM", "NO_COLOR", "TZ"})
VARIABLE_PREFIX: Final = "LC_"
MAX_VARIABLES: Final = 16
MAX_VARIABLE_BYTES: Final = 128
"""Longest variable name or value, in bytes."""


class Environment:
    """The environment variables that a session received."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def offer(self, name: bytes, value: bytes) -> bool:
        """Keep an allowed variable that is short and printable; return whether it was kept."""
        if len(name) > MAX_VARIABLE_BYTES or len(value) > MAX_VARIABLE_BYTES:
            return False
        try:
            key, text = name.decode("ascii"), value.decode()
        except UnicodeDecodeError:
            return False
        if key not in VARIABLE_NAMES and not key.startswith(VARIABLE_PREFIX):
            return False
        if not text.isprintable() or (key not in self.kept and len(self.kept) >= MAX_VARIABLES):
            return False
        self.kept[key] = text
        return True


MAX_COMMAND: int = 4096
"""Characters in a command."""
MAX_WORDS: int = 512
"""Words in a command; parsing them as options takes quadratic time."""


class UnreadableCommand(LazyMessageError, ValueError):
    """The command can't be parsed; the sentence is for the person who typed it."""


def split_command(command: str) -> list[str]:
    """Split a command into words as a shell does. Raises UnreadableCommand.

    Bytes that are not UTF-8 are lone surrogates here.
    """
    if len(command) > MAX_COMMAND:
        raise UnreadableCommand(lazy_gettext("That command is too long."))
    if "\0" in command or command.encode("utf-8", "replace").decode() != command:
        raise UnreadableCommand(lazy_gettext("That command isn't plain UTF-8 text."))
    try:
        words = shlex.split(command)
    except ValueError:
        raise UnreadableCommand(lazy_gettext("That command has an unclosed quote; try: help")) from None
    if len(words) > MAX_WORDS:
        raise UnreadableCommand(lazy_gettext("That command is too long."))
    return words
