"""One session: a visitor with a terminal gets a face, one who draws at home a link, any other an answer.

The variables that a client may send of its environment, and how much of them.

The command that a client sends after the host name, as words.
"""

import asyncio
import contextvars
import re
import shlex
from collections.abc import Callable
from typing import Final

import msgspec
import structlog
from asyncssh import SSHServerChannel, SSHServerConnection, SSHServerSession

from cartino_protocol.legible import legible
from cartino_protocol.link import BROKEN_OFF
from cartino_protocol.marking import N_, NOTHING, Sentence, SentenceError, later
from cartino_protocol.terminal import USUAL, TerminalFacts, fitting
from cartino_server.metering.figures import CRASHES, CUTS
from cartino_server.ssh import asyncssh_internals
from cartino_server.ssh.authentication import LoginResult
from cartino_server.ssh.ports import (
    END_OF_INPUT,
    Face,
    Reply,
    RequestHandler,
    SessionLimits,
    Visitor,
)
from cartino_server.ssh.session_metrics import SessionMetrics
from cartino_server.ssh.subsystem import SUBSYSTEM, Subsystem

MAX_UNSENT: Final = 1 << 20
"""Bytes waiting to be sent at which a session is given up."""
MAX_QUOTED: Final = 200
"""Characters of a command that are said back to whoever typed it."""
MAX_EARLY_INPUT: Final = 4096
"""Bytes typed before there is a face that it still gets, or a packet more."""
RESIZE_DELAY: Final = 0.05
"""Seconds in which only the last of many new sizes counts."""
TERMINAL_NAME: Final = re.compile(r"[\w+.:-]{1,64}", re.ASCII)
HANGUP_TIMEOUT: Final = 5.0
"""Seconds that a face has to end after its channel has gone."""

NO_TERMINAL: Final = N_(
    "This needs a terminal; add -t (ssh -t HOST), or have it in lines: ssh HOST plain {words}"
)
CRASHED: Final = N_(
    "Something broke here and ended your session; the log has it under {id}. Please come back."
)
ANSWER_CUT: Final = later("The answer was too long and is cut here.")
UNKNOWN_OUTCOME: Final = later(
    "The server ended this before it was done: whether anything was done is unknown. Look, then ask again."
)


class Session(SSHServerSession[bytes]):
    """A session channel; to its face it is the `Terminal`."""

    def __init__(
        self,
        visitor: Visitor,
        reception: RequestHandler,
        connection: SSHServerConnection,
        verdict: asyncio.Future[LoginResult],
        limits: SessionLimits,
        changed: Callable[[], object] | None = None,
    ) -> None:
        """A session of `visitor` on `connection`, to be opened by asyncssh; nothing runs before the `verdict`.

        `changed()` is told when something begins to run here, and when it has ended.
        """
        self.environ = Environment()
        self.facts = TerminalFacts("", *USUAL, self.environ.kept, is_terminal=False)
        self.task: asyncio.Task[None] | None = None
        self.limits = limits
        self._visitor = visitor
        self._reception = reception
        self._connection = connection
        self._verdict = verdict
        self._changed = changed
        self._channel: SSHServerChannel[bytes] | None = None
        self._face: Face | None = None
        self._command = ""
        self._has_terminal = False
        self._draws_at_home = False
        self._is_asked = False
        """Whether what runs here is a command that gets one answer."""
        self._speaks = False
        """Whether what runs here speaks in lines, for which no terminal is needed."""
        self._resizing: asyncio.TimerHandle | None = None
        self._full: set[str] = set()
        self._early = bytearray()
        self._ended = False
        self._is_done = False
        self._has_begun = self._is_dismissed = False
        self.is_gone = False
        """Whether the channel is closed on both sides."""
        self._farewell = NOTHING
        self._watch = SessionMetrics()
        self._log = structlog.get_logger(__name__).bind(session=visitor.id)

    @property
    def is_open(self) -> bool:
        """Whether something runs here, or is going to, or has left bytes that the client has not taken."""
        return not self.is_gone and (not self._is_done or self.unread > 0)

    @property
    def runs(self) -> bool:
        """Whether something runs here."""
        return self.task is not None and not self.task.done()

    @property
    def unread(self) -> int:
        """Bytes that the client has not taken."""
        return 0 if self._channel is None else self._channel.get_write_buffer_size()

    # -- what the client asks for

    def connection_made(self, chan: SSHServerChannel[bytes]) -> None:
        """Take the channel."""
        self._channel = chan

    def pty_requested(self, term_type: str, term_size: tuple[int, int, int, int], term_modes: object) -> bool:
        """The client has a terminal."""
        width, height = self._fitting(*term_size[:2])
        self._has_terminal = True
        self.facts = TerminalFacts(terminal_name(term_type), width, height, self.environ.kept)
        return True

    def shell_requested(self) -> bool:
        """No command."""
        return True

    def exec_requested(self, command: str) -> bool:
        """A command."""
        self._command = command
        return True

    def subsystem_requested(self, subsystem: str) -> bool:
        """The client draws at home, or wants something that is not to be had."""
        self._draws_at_home = subsystem == SUBSYSTEM
        return self._draws_at_home

    def session_started(self) -> None:
        """All has been asked for: begin, in a context that shares nothing with another session's."""
        self._visitor = msgspec.structs.replace(self._visitor, env=self.environ.kept)
        self.task = asyncio.get_running_loop().create_task(
            self._serve(), name=f"session {self._visitor.id}", context=contextvars.Context()
        )
        self.task.add_done_callback(self._over)
        if self._changed is not None:
            self._changed()

    def _over(self, _: object) -> None:
        """Nothing runs here any more."""
        changed, self._changed = self._changed, None
        if changed is not None:
            changed()

    # -- while it runs

    def data_received(self, data: bytes, datatype: int | None) -> None:
        """The person typed."""
        self._watch.typed(len(data))
        if self._face is not None:
            self._face.feed(data)
        elif len(self._early) < MAX_EARLY_INPUT:
            self._early += data

    def eof_received(self) -> bool:
        """Nobody types any more; an answer may still be on its way."""
        self._ended = True
        if self._face is not None:
            self._end_input(self._face)
        return True

    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:
        """The terminal has another size; of many in a row only the last one counts."""
        width, height = self._fitting(width, height)
        self.facts = msgspec.structs.replace(self.facts, width=width, height=height)
        if self._resizing is None:
            self._resizing = asyncio.get_running_loop().call_later(RESIZE_DELAY, self._resized)

    def _fitting(self, width: int, height: int) -> tuple[int, int]:
        return fitting(width, height, self.limits.columns, self.limits.lines)

    def _resized(self) -> None:
        self._resizing = None
        if self._face is not None:
            self._face.resize(self.facts.width, self.facts.height)

    def pause_writing(self) -> None:
        """The client doesn't read."""
        self.fills("channel")

    def resume_writing(self) -> None:
        """The client reads again."""
        self.empties("channel")

    def fills(self, part: str) -> None:
        """One part of the way ("channel", "network") is full."""
        self._full.add(part)
        if self._face is not None and len(self._full) == 1:
            self._face.stall()

    def empties(self, part: str) -> None:
        """That part of the way is free again."""
        if part in self._full:
            self._full.remove(part)
            if self._face is not None and not self._full:
                self._face.drained()

    def connection_lost(self, exc: Exception | None) -> None:
        """The channel has gone."""
        self._channel = None
        self.is_gone = True
        if self.task is None:
            # Whoever would be told knows us; so neither waits for the collector, which seldom comes.
            self._changed = None
        self.hang_up()

    def hang_up(self) -> None:
        """End what runs, politely at first."""
        if self._resizing is not None:
            self._resizing.cancel()
            self._resizing = None
        if self.task is None or self.task.done():
            return
        if self._face is None:
            self.task.cancel()
            return
        self._face.hang_up()
        timer = asyncio.get_running_loop().call_later(HANGUP_TIMEOUT, self.task.cancel)
        self.task.add_done_callback(lambda _: timer.cancel())

    def dismiss(self, farewell: Sentence) -> None:
        """End what runs and leave the person with a sentence."""
        self._farewell = farewell
        self._is_dismissed = True
        # Cancelled before its first step it would end without a status.
        if self.task is not None and self._has_begun:
            self.task.cancel()

    # -- the terminal, to the face

    def write(self, data: bytes) -> None:
        """Send bytes; a client that lets too much pile up is given up."""
        if self._channel is None or self._channel.is_closing():
            return
        self._channel.write(data)
        self._watch.sent(len(data))
        if (
            self._channel.get_write_buffer_size() + asyncssh_internals.unsent_bytes(self._connection)
            > MAX_UNSENT
        ):
            CUTS.add("unread")
            self._log.warning("session given up: the client does not read")
            self._connection.abort()

    def pause_reading(self) -> None:
        """Take no more input."""
        if self._channel is not None:
            self._channel.pause_reading()

    def resume_reading(self) -> None:
        """Take input again."""
        if self._channel is not None:
            self._channel.resume_reading()

    # -- what is done

    async def _serve(self) -> None:
        """From the words of the command to the exit status, whatever happens between."""
        # For whatever is logged on its behalf, by whom.
        structlog.contextvars.bind_contextvars(session=self._visitor.id)
        self._log.info(
            "session begins",
            asked=self._visitor.name,
            terminal=self._has_terminal,
            at_home=self._draws_at_home,
        )
        status = 1
        self._has_begun = True
        try:
            status = await self._received()
        except asyncio.CancelledError:
            status = BROKEN_OFF
            if self._is_asked:
                self._say(UNKNOWN_OUTCOME)
        except Exception:
            CRASHES.add("session")
            self._log.exception("session crashed")
            self._say(Sentence(CRASHED, {"id": self._visitor.id}))
        finally:
            self._face = None
            self._watch.end()
            if self._farewell.text:
                self._say(self._farewell)
            self._log.info("session ends", status=status)
            # The client may open the next session before its closing of this one has been taken in.
            self._is_done = True
            if self._channel is not None:
                self._channel.exit(status)

    async def _received(self) -> int:
        if self._is_dismissed:
            raise asyncio.CancelledError
        # Other sessions of the connection wait for the same.
        verdict = await asyncio.shield(self._verdict)
        if verdict.refused.text:
            self._say(verdict.refused)
            return 1
        self._visitor = msgspec.structs.replace(self._visitor, person=verdict.person)
        if self._draws_at_home:
            self._watch.begin("native")
            return await self._show(Subsystem(self, self._reception.link(self._visitor)))
        try:
            words = split_command(self._command)
        except UnreadableCommand as error:
            self._say(error.sentence)
            return 2
        way = self._reception.way(words)
        self._watch.begin(way)
        self._is_asked = way == "answer"
        if self._is_asked:
            return self._answer(await self._reception.answer(self._visitor, words))
        self._speaks = way == "lines"
        if not self._has_terminal and not self._speaks:
            self._say(Sentence(NO_TERMINAL, {"words": legible(self._command.strip()[:MAX_QUOTED])}))
            return 2
        return await self._show(self._reception.face(self._visitor, self, words))

    async def _show(self, face: Face) -> int:
        self._face = face
        if self._full:
            face.stall()
        face.feed(bytes(self._early))
        if self._ended:
            self._end_input(face)
        status = await face.run()
        if face.crash is not None:
            CRASHES.add("session")
            self._log.error("session crashed", crash=face.crash)
            self._say(Sentence(CRASHED, {"id": self._visitor.id}))
        return status

    def _end_input(self, face: Face) -> None:
        """Nobody types any more. What was piped in may still be read to its end; a terminal has gone."""
        if self._speaks and not self._has_terminal:
            face.feed(END_OF_INPUT)
        else:
            self.hang_up()

    def _answer(self, reply: Reply) -> int:
        """Send an answer, to a terminal with its line ends; the status."""
        out, cut = _truncate(reply.stdout, self.limits.answer_bytes)
        self._put(out)
        self._put(_truncate(reply.stderr, self.limits.answer_bytes)[0], error=True)
        if cut:
            self._put("\n", error=True)
            self._say(ANSWER_CUT)
        return reply.status

    def _say(self, sentence: Sentence) -> None:
        told = self._reception.told(sentence, self.environ.kept).rstrip()
        self._put(f"{told}\n", error=True)

    def _put(self, text: str, error: bool = False) -> None:
        if self._channel is None or self._channel.is_closing() or not text:
            return
        if self._has_terminal and not self._draws_at_home:
            text = text.replace("\n", "\r\n")
            error = False
        data = text.encode("utf-8", "replace")
        self._watch.sent(len(data))
        if error:
            self._channel.write_stderr(data)
        else:
            self._channel.write(data)


def _truncate(text: str, most: int) -> tuple[str, bool]:
    """The text as far as it may be sent, in `most` bytes, and whether something is missing."""
    data = text.encode("utf-8", "replace")
    if len(data) <= most:
        return text, False
    return data[:most].decode("utf-8", "ignore"), True


def terminal_name(term: str) -> str:
    """What a client calls its terminal, if that is a name as terminals have; "" for anything else."""
    return term if TERMINAL_NAME.fullmatch(term) else ""


VARIABLE_NAMES: Final = frozenset({"LANG", "COLORTERM", "NO_COLOR", "TZ"})
VARIABLE_PREFIX: Final = "LC_"
MAX_VARIABLES: Final = 16
MAX_VARIABLE_BYTES: Final = 128
"""Bytes of a name or of a value."""


class Environment:
    """The variables one session has sent."""

    def __init__(self) -> None:
        """None yet."""
        self.kept: dict[str, str] = {}

    def offer(self, name: bytes, value: bytes) -> bool:
        """Keep a variable if it is one of ours, short, printable and not one too many; whether it was kept."""
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
"""Words in it: reading them as options takes the square of their number."""


class UnreadableCommand(SentenceError, ValueError):
    """The command can't be read; the sentence is for the person."""


def split_command(command: str) -> list[str]:
    """The words of `command`, quotes as in a shell. Raises WordsError.

    Bytes that were no UTF-8 are lone surrogates here.
    """
    if len(command) > MAX_COMMAND:
        raise UnreadableCommand(later("That command is too long."))
    if "\0" in command or not _is_text(command):
        raise UnreadableCommand(later("That command is not plain UTF-8 text."))
    try:
        words = shlex.split(command)
    except ValueError:
        raise UnreadableCommand(later("That command has a quote without its end; try: help")) from None
    if len(words) > MAX_WORDS:
        raise UnreadableCommand(later("That command is too long."))
    return words


def _is_text(command: str) -> bool:
    try:
        command.encode()
    except UnicodeEncodeError:
        return False
    return True
