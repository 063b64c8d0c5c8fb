"""One SSH session: run the app on a terminal, a link for native clients, or answer a command."""

import asyncio
import contextvars
from collections.abc import Callable
from typing import Final

import structlog
from asyncssh import SSHServerChannel, SSHServerConnection, SSHServerSession
from msgspec.structs import replace

from cartino_protocol.exit_status import BROKEN_OFF
from cartino_protocol.notices import Announced
from cartino_protocol.terminal import TerminalHandler
from cartino_protocol.text import EMPTY_MESSAGE, N_, LazyMessage, legible
from cartino_server.limits import SessionLimits
from cartino_server.metrics.definitions import CRASHES
from cartino_server.ssh.ports import (
    CommandMode,
    RequestHandler,
    UnreadableCommand,
    split_command,
    terminal_name,
)
from cartino_server.ssh.session_terminal import ChannelTerminal, HandlerFeed
from cartino_server.ssh.subsystem import SUBSYSTEM, Subsystem
from cartino_server.visitors import UNKNOWN_OUTCOME, LoginResult, Visitor

MAX_QUOTED: Final = 200
"""Characters of a command that an error message quotes."""
HANGUP_TIMEOUT: Final = 5.0
"""Seconds that a handler has to end after its channel is gone."""

NO_TERMINAL: Final = N_(
    "This needs a terminal. Add -t (ssh -t HOST), or use plain mode: ssh HOST plain {words}"
)
CRASHED: Final = N_(
    "Something went wrong and ended your session; the log has it under {id}. Please connect again."
)


class Session(SSHServerSession[bytes]):
    """A session channel: what its client asks for, and the task that serves it."""

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
        self.task: asyncio.Task[None] | None = None
        self.terminal = ChannelTerminal(connection, requests, limits, visitor.id)
        self.feed = HandlerFeed()
        self.is_gone = False
        """Whether the channel is closed on both sides."""
        self._visitor = visitor
        self._requests = requests
        self._login = login
        self._on_change = changed
        self._command = ""
        self._has_terminal = self._is_native = False
        self._mode: CommandMode | None = None
        """How the command runs."""
        self._has_begun = self._is_done = self._is_dismissed = False
        self._farewell = EMPTY_MESSAGE
        self._log = structlog.get_logger(__name__).bind(session=visitor.id)

    @property
    def is_open(self) -> bool:
        """Whether something runs or will run, or the client has unread output."""
        return not self.is_gone and (not self._is_done or self.terminal.unread > 0)

    @property
    def runs(self) -> bool:
        """Whether something runs here."""
        return self.task is not None and not self.task.done()

    def connection_made(self, chan: SSHServerChannel[bytes]) -> None:
        """Store the channel."""
        self.terminal.open(chan)

    def pty_requested(self, term_type: str, term_size: tuple[int, int, int, int], term_modes: object) -> bool:
        """Accept a terminal."""
        self._has_terminal = self.terminal.returns_carriage = True
        self.terminal.resize(*term_size[:2], terminal_name(term_type))
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
        self.terminal.returns_carriage = self._has_terminal and not self._is_native
        return self._is_native

    def session_started(self) -> None:
        """Start the task of this session, in a context of its own."""
        self._visitor = replace(self._visitor, env=self.terminal.environ.kept)
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
        """Pass on input."""
        self.terminal.metrics.typed(len(data))
        self.feed.pass_input(data)

    def eof_received(self) -> bool:
        """End the input; keep the channel open for output."""
        if self.feed.end_input():
            self._hang_up()
        return True

    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:
        """Pass on a new size."""
        self.terminal.resize(width, height)
        self.feed.resize(self.terminal.facts.width, self.terminal.facts.height)

    def pause_writing(self) -> None:
        """Stop drawing: the channel is full."""
        self.feed.fills("channel")

    def resume_writing(self) -> None:
        """Draw again: the channel has drained."""
        self.feed.empties("channel")

    def connection_lost(self, exc: Exception | None) -> None:
        """End what runs: the channel is gone."""
        self.terminal.close()
        self.is_gone = True
        if self.task is None:
            # The callback refers to this session; break the cycle.
            self._on_change = None
        self._hang_up()

    def _hang_up(self) -> None:
        """Ask the handler to end, and cancel it after `HANGUP_TIMEOUT`."""
        self.feed.stop()
        if self.task is None or self.task.done():
            return
        if self.feed.handler is None:
            self.task.cancel()
            return
        self.feed.handler.hang_up()
        timer = asyncio.get_running_loop().call_later(HANGUP_TIMEOUT, self.task.cancel)
        self.task.add_done_callback(lambda _: timer.cancel())

    def dismiss(self, farewell: LazyMessage) -> None:
        """End what runs and show `farewell`."""
        self._farewell = farewell
        self._is_dismissed = True
        # A task cancelled before its first step would end without an exit status.
        if self.task is not None and self._has_begun:
            self.task.cancel()

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
                self.terminal.say(UNKNOWN_OUTCOME)
        except Exception:
            CRASHES.add("session")
            self._log.exception("session crashed")
            self.terminal.say(LazyMessage(CRASHED, {"id": self._visitor.id}))
        finally:
            self.feed.end()
            self.terminal.metrics.end()
            if self._farewell.text:
                self.terminal.say(self._farewell)
            self._log.info("session ends", status=status)
            # The client may open its next session before this one is closed on its side.
            self._is_done = True
            if self.terminal.channel is not None:
                self.terminal.channel.exit(status)

    async def _run(self) -> int:
        if self._is_dismissed:
            raise asyncio.CancelledError
        # Other sessions of the connection wait for the same result.
        login = await asyncio.shield(self._login)
        if login.refused.text:
            self._explain_guest()
            self.terminal.say(login.refused)
            return login.status
        self._visitor = replace(self._visitor, person=login.person)
        if self._is_native:
            self.terminal.metrics.begin("native")
            return await self._run_handler(Subsystem(self.terminal, self._requests.link(self._visitor)))
        try:
            words = split_command(self._command)
        except UnreadableCommand as error:
            self.terminal.say(error.sentence)
            return 2
        self._mode = self._requests.mode(words)
        if self._mode == "either":
            self._mode = "screen" if self._has_terminal else "answer"
        self.terminal.metrics.begin(self._mode)
        if self._mode != "screen":
            self._explain_guest()
        if self._mode == "answer":
            return self.terminal.write_reply(await self._requests.run_command(self._visitor, words))
        if not self._has_terminal and self._mode == "screen":
            self.terminal.say(
                LazyMessage(NO_TERMINAL, {"words": legible(self._command.strip()[:MAX_QUOTED])})
            )
            return 2
        return await self._run_handler(self._requests.handler(self._visitor, self.terminal, words))

    def _explain_guest(self) -> None:
        """Say why the visitor is a guest in spite of their key; links say it on the screen."""
        fault = self._visitor.unusable_key
        if fault:
            self.terminal.say(Announced("guest", fault).words())
            self._visitor = replace(self._visitor, unusable_key="")

    async def _run_handler(self, handler: TerminalHandler) -> int:
        # Lines that are piped in are read to their end; anything else ends with its input.
        if self.feed.begin(handler, reads_to_end=self._mode == "lines" and not self._has_terminal):
            self._hang_up()
        status = await handler.run()
        if handler.crash is not None:
            CRASHES.add("session")
            self._log.error("session crashed", crash=handler.crash)
            self.terminal.say(LazyMessage(CRASHED, {"id": self._visitor.id}))
        return status
