"""One SSH session: run the app on a terminal, a link for native clients, or answer a command."""

import asyncio
import contextvars
from collections.abc import Callable
from typing import Final

import msgspec
import structlog
from asyncssh import SSHServerChannel, SSHServerConnection, SSHServerSession

from cartino_protocol.link import BROKEN_OFF
from cartino_protocol.terminal import DEFAULT_SIZE, TerminalFacts, TerminalHandler, clamp_size
from cartino_protocol.text import EMPTY_MESSAGE, N_, LazyMessage, lazy_gettext, legible
from cartino_server.limits import SessionLimits
from cartino_server.metrics.definitions import (
    CRASHES,
    KEY_TO_FRAME,
    LIMITS_ENFORCED,
    RECEIVED_BYTES,
    REGISTRY,
    SENT_BYTES,
    SESSIONS,
    SESSIONS_STARTED,
)
from cartino_server.ssh import asyncssh_internals
from cartino_server.ssh.ports import (
    END_OF_INPUT,
    CommandMode,
    Environment,
    RequestHandler,
    SessionKind,
    UnreadableCommand,
    split_command,
    terminal_name,
)
from cartino_server.ssh.subsystem import SUBSYSTEM, Subsystem
from cartino_server.visitors import LoginResult, Reply, Visitor

MAX_UNSENT: Final = 1 << 20
"""Unsent bytes at which a session is aborted."""
MAX_QUOTED: Final = 200
"""Characters of a command that an error message quotes."""
MAX_EARLY_INPUT: Final = 4096
"""Bytes of input kept until a handler runs; the last packet may exceed it."""
RESIZE_DELAY: Final = 0.05
"""Seconds in which only the last of several new sizes counts."""
HANGUP_TIMEOUT: Final = 5.0
"""Seconds that a handler has to end after its channel is gone."""

NO_TERMINAL: Final = N_(
    "This needs a terminal. Add -t (ssh -t HOST), or use plain mode: ssh HOST plain {words}"
)
CRASHED: Final = N_(
    "Something went wrong and ended your session; the log has it under {id}. Please connect again."
)
ANSWER_CUT: Final = lazy_gettext("The output was too long and is cut off here.")
UNKNOWN_OUTCOME: Final = lazy_gettext(
    "The server interrupted this command, so it isn't known whether anything was done. Check, then try again."
)


MAX_TURNS: Final = 12
"""Loop turns in which a key press may cause a frame of its own.

It takes one to handle the key, one to send the frame, and some inside Textual. Later frames had another cause or
needed an answer from the server.
"""


class SessionMetrics:
    """Measures one session; does almost nothing while metrics are off."""

    __slots__ = ("_kind", "_since", "_turns")

    def __init__(self) -> None:
        self._kind: SessionKind | None = None
        self._since = 0.0
        self._turns = 0

    def begin(self, kind: SessionKind) -> None:
        """Count the start of a session of this kind."""
        self._kind = kind
        SESSIONS.change(1, kind)
        SESSIONS_STARTED.add(kind)

    def end(self) -> None:
        """Count the end of the session."""
        self._since = 0.0
        if self._kind is not None:
            SESSIONS.change(-1, self._kind)
            self._kind = None

    def typed(self, count: int) -> None:
        """Count received bytes. Call it before they are handled."""
        if not REGISTRY.on:
            return
        RECEIVED_BYTES.add(by=count)
        if self._kind == "screen" and not self._since:
            self._since, self._turns = KEY_TO_FRAME.begin(), MAX_TURNS
            asyncio.get_running_loop().call_soon(self._turn)

    def sent(self, count: int) -> None:
        """Count sent bytes, and end the measurement of a key press."""
        if not REGISTRY.on:
            return
        SENT_BYTES.add(by=count)
        if self._since:
            KEY_TO_FRAME.end(self._since)
            self._since = 0.0

    def _turn(self) -> None:
        """Wait another turn, or stop measuring: the key caused no frame."""
        self._turns -= 1
        if self._since and self._turns:
            asyncio.get_running_loop().call_soon(self._turn)
        else:
            self._since = 0.0


class Session(SSHServerSession[bytes]):
    """A session channel; the `Terminal` of its handler."""

    def __init__(
        self,
        visitor: Visitor,
        requests: RequestHandler,
        connection: SSHServerConnection,
        login: asyncio.Future[LoginResult],
        limits: SessionLimits,
        changed: Callable[[], object] | None = None,
    ) -> None:
        """A session of `visitor` that runs once `login` is done; `changed()` is called when it begins and ends."""
        self.environ = Environment()
        self.facts = TerminalFacts("", *DEFAULT_SIZE, self.environ.kept, is_terminal=False)
        self.task: asyncio.Task[None] | None = None
        self.limits = limits
        self._visitor = visitor
        self._requests = requests
        self._connection = connection
        self._login = login
        self._on_change = changed
        self._channel: SSHServerChannel[bytes] | None = None
        self._handler: TerminalHandler | None = None
        self._command = ""
        self._has_terminal = False
        self._is_native = False
        self._mode: CommandMode | None = None
        """How the command runs."""
        self._resizing: asyncio.TimerHandle | None = None
        self._full: set[str] = set()
        self._early = bytearray()
        self._input_ended = False
        self._is_done = False
        self._has_begun = self._is_dismissed = False
        self.is_gone = False
        """Whether the channel is closed on both sides."""
        self._farewell = EMPTY_MESSAGE
        self._metrics = SessionMetrics()
        self._log = structlog.get_logger(__name__).bind(session=visitor.id)

    @property
    def is_open(self) -> bool:
        """Whether something runs or will run, or the client has unread output."""
        return not self.is_gone and (not self._is_done or self.unread > 0)

    @property
    def runs(self) -> bool:
        """Whether something runs here."""
        return self.task is not None and not self.task.done()

    @property
    def unread(self) -> int:
        """Bytes that the client hasn't read."""
        return 0 if self._channel is None else self._channel.get_write_buffer_size()

    def connection_made(self, chan: SSHServerChannel[bytes]) -> None:
        """Store the channel."""
        self._channel = chan

    def pty_requested(self, term_type: str, term_size: tuple[int, int, int, int], term_modes: object) -> bool:
        """Accept a terminal."""
        width, height = self._fitting(*term_size[:2])
        self._has_terminal = True
        self.facts = TerminalFacts(terminal_name(term_type), width, height, self.environ.kept)
        return True

    def shell_requested(self) -> bool:
        """Accept a session without a command."""
        return True

    def exec_requested(self, command: str) -> bool:
        """Accept a command."""
        self._command = command
        return True

    def subsystem_requested(self, subsystem: str) -> bool:
        """Accept the subsystem for native clients and no other."""
        self._is_native = subsystem == SUBSYSTEM
        return self._is_native

    def session_started(self) -> None:
        """Start the task of this session, in a context of its own."""
        self._visitor = msgspec.structs.replace(self._visitor, env=self.environ.kept)
        self.task = asyncio.get_running_loop().create_task(
            self._serve(), name=f"session {self._visitor.id}", context=contextvars.Context()
        )
        self.task.add_done_callback(self._task_done)
        if self._on_change is not None:
            self._on_change()

    def _task_done(self, _: object) -> None:
        changed, self._on_change = self._on_change, None
        if changed is not None:
            changed()

    def data_received(self, data: bytes, datatype: int | None) -> None:
        """Pass input to the handler, or keep it until one runs."""
        self._metrics.typed(len(data))
        if self._handler is not None:
            self._handler.feed(data)
        elif len(self._early) < MAX_EARLY_INPUT:
            self._early += data

    def eof_received(self) -> bool:
        """End the input; keep the channel open for output."""
        self._input_ended = True
        if self._handler is not None:
            self._end_input(self._handler)
        return True

    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:
        """Pass on a new size after a short delay, so that only the last of several counts."""
        width, height = self._fitting(width, height)
        self.facts = msgspec.structs.replace(self.facts, width=width, height=height)
        if self._resizing is None:
            self._resizing = asyncio.get_running_loop().call_later(RESIZE_DELAY, self._resized)

    def _fitting(self, width: int, height: int) -> tuple[int, int]:
        return clamp_size(width, height, self.limits.columns, self.limits.lines)

    def _resized(self) -> None:
        self._resizing = None
        if self._handler is not None:
            self._handler.resize(self.facts.width, self.facts.height)

    def pause_writing(self) -> None:
        """Stop drawing: the channel is full."""
        self.fills("channel")

    def resume_writing(self) -> None:
        """Draw again: the channel has drained."""
        self.empties("channel")

    def fills(self, part: str) -> None:
        """Stop drawing: `part` ("channel" or "network") is full."""
        self._full.add(part)
        if self._handler is not None and len(self._full) == 1:
            self._handler.stall()

    def empties(self, part: str) -> None:
        """Draw again, once no part is full."""
        if part in self._full:
            self._full.remove(part)
            if self._handler is not None and not self._full:
                self._handler.drained()

    def connection_lost(self, exc: Exception | None) -> None:
        """End what runs: the channel is gone."""
        self._channel = None
        self.is_gone = True
        if self.task is None:
            # The callback refers to this session; break the cycle.
            self._on_change = None
        self.hang_up()

    def hang_up(self) -> None:
        """Ask the handler to end, and cancel it after `HANGUP_TIMEOUT`."""
        if self._resizing is not None:
            self._resizing.cancel()
            self._resizing = None
        if self.task is None or self.task.done():
            return
        if self._handler is None:
            self.task.cancel()
            return
        self._handler.hang_up()
        timer = asyncio.get_running_loop().call_later(HANGUP_TIMEOUT, self.task.cancel)
        self.task.add_done_callback(lambda _: timer.cancel())

    def dismiss(self, farewell: LazyMessage) -> None:
        """End what runs and show `farewell`."""
        self._farewell = farewell
        self._is_dismissed = True
        # A task cancelled before its first step would end without an exit status.
        if self.task is not None and self._has_begun:
            self.task.cancel()

    def write(self, data: bytes) -> None:
        """Send bytes; abort the connection if too many are unsent."""
        if self._channel is None or self._channel.is_closing():
            return
        self._channel.write(data)
        self._metrics.sent(len(data))
        if (
            self._channel.get_write_buffer_size() + asyncssh_internals.unsent_bytes(self._connection)
            > MAX_UNSENT
        ):
            LIMITS_ENFORCED.add("unread")
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

    async def _serve(self) -> None:
        """Run the session from its command to its exit status, whatever fails in between."""
        # Add the session to every log line written on its behalf.
        structlog.contextvars.bind_contextvars(session=self._visitor.id)
        self._log.info(
            "session begins",
            asked=self._visitor.name,
            terminal=self._has_terminal,
            native=self._is_native,
        )
        status = 1
        self._has_begun = True
        try:
            status = await self._run()
        except asyncio.CancelledError:
            status = BROKEN_OFF
            if self._mode == "answer":
                self._say(UNKNOWN_OUTCOME)
        except Exception:
            CRASHES.add("session")
            self._log.exception("session crashed")
            self._say(LazyMessage(CRASHED, {"id": self._visitor.id}))
        finally:
            self._handler = None
            self._metrics.end()
            if self._farewell.text:
                self._say(self._farewell)
            self._log.info("session ends", status=status)
            # The client may open its next session before this one is closed on its side.
            self._is_done = True
            if self._channel is not None:
                self._channel.exit(status)

    async def _run(self) -> int:
        if self._is_dismissed:
            raise asyncio.CancelledError
        # Other sessions of the connection wait for the same result.
        login = await asyncio.shield(self._login)
        if login.refused.text:
            self._say(login.refused)
            return login.status
        self._visitor = msgspec.structs.replace(self._visitor, person=login.person)
        if self._is_native:
            self._metrics.begin("native")
            return await self._run_handler(Subsystem(self, self._requests.link(self._visitor)))
        try:
            words = split_command(self._command)
        except UnreadableCommand as error:
            self._say(error.sentence)
            return 2
        self._mode = self._requests.way(words)
        self._metrics.begin(self._mode)
        if self._mode == "answer":
            return self._answer(await self._requests.answer(self._visitor, words))
        if not self._has_terminal and self._mode == "screen":
            self._say(LazyMessage(NO_TERMINAL, {"words": legible(self._command.strip()[:MAX_QUOTED])}))
            return 2
        return await self._run_handler(self._requests.face(self._visitor, self, words))

    async def _run_handler(self, handler: TerminalHandler) -> int:
        self._handler = handler
        if self._full:
            handler.stall()
        handler.feed(bytes(self._early))
        if self._input_ended:
            self._end_input(handler)
        status = await handler.run()
        if handler.crash is not None:
            CRASHES.add("session")
            self._log.error("session crashed", crash=handler.crash)
            self._say(LazyMessage(CRASHED, {"id": self._visitor.id}))
        return status

    def _end_input(self, handler: TerminalHandler) -> None:
        """Handle the end of input: a line-based handler reads piped input to its end; others hang up."""
        if self._mode == "lines" and not self._has_terminal:
            handler.feed(END_OF_INPUT)
        else:
            self.hang_up()

    def _answer(self, reply: Reply) -> int:
        most = self.limits.answer_bytes
        out, err = (text.encode("utf-8", "replace") for text in (reply.stdout, reply.stderr))
        self._put(out[:most].decode("utf-8", "ignore"))
        self._put(err[:most].decode("utf-8", "ignore"), error=True)
        if len(out) > most:
            self._put("\n", error=True)
            self._say(ANSWER_CUT)
        return reply.status

    def _say(self, sentence: LazyMessage) -> None:
        told = self._requests.told(sentence, self.environ.kept).rstrip()
        self._put(f"{told}\n", error=True)

    def _put(self, text: str, error: bool = False) -> None:
        if self._channel is None or self._channel.is_closing() or not text:
            return
        if self._has_terminal and not self._is_native:
            text = text.replace("\n", "\r\n")
            error = False
        data = text.encode("utf-8", "replace")
        self._metrics.sent(len(data))
        if error:
            self._channel.write_stderr(data)
        else:
            self._channel.write(data)
