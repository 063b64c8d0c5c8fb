"""What the door asks of whoever runs the house: a face for a visitor with a terminal, an answer for one without.

What one connection, and one session on it, may do before it is held back, cut short or ended.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, Protocol

import msgspec

from cartino_protocol.link import FrameLink
from cartino_protocol.marking import Sentence
from cartino_protocol.terminal import TerminalFacts


class SessionLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The bounds of one connection; the defaults are those of the settings of these names.

    login_grace: seconds until somebody has to have logged in; auth_attempts: tries of it that may fail; sessions: that
    run at once on a connection; columns, lines: the largest terminal that is drawn on, in cells; input_rate,
    input_burst: bytes typed a second, and at once; key_rate: keys a second; answer_bytes: of the answer to a command;
    exempt: networks whose people have nothing to do with each other, though all come from there.
    """

    login_grace: float = 20.0
    auth_attempts: int = 6
    sessions: int = 1
    columns: int = 300
    lines: int = 120
    input_rate: int = 32_768
    input_burst: int = 65_536
    key_rate: int = 60
    answer_bytes: int = 1 << 20
    exempt: tuple[str, ...] = ()


class Visitor(msgspec.Struct, frozen=True):
    """Who came in, for one session.

    `id` names the session in the log. `person` is the same each time for the same key: the key's SHA256
    fingerprint, or that of the first of their keys; for a guest it is "guest:" and a random word, good for this
    connection. `name` is the user name they gave, without control characters, never empty. `env` holds the variables
    of their environment that they sent. `connection` is the number of their connection, `key` the fingerprint of the
    key that they came with, "" for a guest; `source` the network that they count as from, "" where it isn't counted.
    """

    id: str
    person: str
    name: str
    guest: bool
    env: dict[str, str] = {}
    connection: int = 0
    key: str = ""
    source: str = ""


class AcceptedConnection(msgspec.Struct, frozen=True):
    """A connection that was accepted: its number in this house's life, and the address it came from."""

    connection: int = 0
    source: str = ""


class Terminal(Protocol):
    """The channel, from the face's side. All calls return at once."""

    @property
    def facts(self) -> TerminalFacts:
        """What the client said of the terminal before the session began."""

    @property
    def limits(self) -> SessionLimits:
        """What may be done on it."""

    def write(self, data: bytes) -> None:
        """Send bytes; dropped when the channel is gone."""

    def pause_reading(self) -> None:
        """Take no more input until `resume_reading`."""

    def resume_reading(self) -> None:
        """Take input again."""


class Face(Protocol):
    """What runs on a channel. All but `run` return at once."""

    @property
    def crash(self) -> str | None:
        """After `run`: None, or what to log of why it ended badly."""

    async def run(self) -> int:
        """Run to the end; the exit code. When cancelled, leave the terminal in order."""

    def feed(self, data: bytes) -> None:
        """Bytes the person typed."""

    def resize(self, width: int, height: int) -> None:
        """The terminal's new size in cells."""

    def stall(self) -> None:
        """The channel is full: draw nothing more until `drained`."""

    def drained(self) -> None:
        """The channel takes bytes again; draw the newest state whole."""

    def hang_up(self) -> None:
        """The channel is gone: end without drawing."""


class Reply(msgspec.Struct, frozen=True):
    """An answer without a terminal: texts for both outputs and the exit status."""

    stdout: str = ""
    stderr: str = ""
    status: int = 0


CommandMode = Literal["screen", "lines", "answer"]
"""How a command is met: by a face on a terminal, by one that speaks in lines and needs none, or by one answer."""

SessionKind = Literal[CommandMode, "native"]
"""What a session is: met in one of these ways, or that of a visitor who draws at home."""

END_OF_INPUT: Final = b"\x04"
"""What a face that speaks in lines is fed at the end of what is piped in: a terminal sends the same for Ctrl-D."""


class RequestHandler(Protocol):
    """Who receives visitors. `words` is the command after the host name, split as a shell does; empty for none."""

    def way(self, words: Sequence[str]) -> CommandMode:
        """How the command is met. No words always want a screen."""

    def face(self, visitor: Visitor, terminal: Terminal, words: Sequence[str]) -> Face:
        """A face for a visitor, not yet running; where no terminal is needed there may be none."""

    def link(self, visitor: Visitor) -> FrameLink:
        """The house for a visitor who draws at home and speaks the protocol (the subsystem `cartino`)."""

    async def answer(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """The answer to a command that needs no terminal, an unknown one included."""

    def told(self, sentence: Sentence, env: Mapping[str, str]) -> str:
        """`sentence` in the language of somebody with the variables `env`."""
