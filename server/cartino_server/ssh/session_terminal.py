"""A session's two directions: what its terminal is sent, and what its handler gets to know; with its metrics."""

import asyncio
from typing import Final

import structlog
from asyncssh import SSHServerChannel, SSHServerConnection
from msgspec.structs import replace

from cartino_protocol.terminal import DEFAULT_SIZE, TerminalFacts, TerminalHandler, clamp_size
from cartino_protocol.text import LazyMessage, lazy_gettext
from cartino_server.limits import SessionLimits
from cartino_server.metrics.definitions import (
    KEY_TO_FRAME,
    LIMITS_ENFORCED,
    RECEIVED_BYTES,
    REGISTRY,
    SENT_BYTES,
    SESSIONS,
    SESSIONS_STARTED,
)
from cartino_server.ssh import asyncssh_internals
from cartino_server.ssh.ports import END_OF_INPUT, Environment, RequestHandler, SessionKind
from cartino_server.visitors import Reply

MAX_UNSENT: Final = 1 << 20
"""Unsent bytes at which a session is aborted."""
MAX_EARLY_INPUT: Final = 4096
"""Bytes of input kept until a handler runs; the last packet may exceed it."""
RESIZE_DELAY: Final = 0.05
"""Seconds in which only the last of several new sizes counts."""
ANSWER_CUT: Final = lazy_gettext("The output was too long and is cut off here.")


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


class ChannelTerminal:
    """The `Terminal` of a session's handler: everything that is written to its channel."""

    def __init__(
        self, connection: SSHServerConnection, requests: RequestHandler, limits: SessionLimits, session: str
    ) -> None:
        """The session of that name on `connection`; `requests` translates what is said to its client."""
        self.limits = limits
        self.environ = Environment()
        self.facts = TerminalFacts("", *DEFAULT_SIZE, self.environ.kept, is_terminal=False)
        self.returns_carriage = False
        """Whether line ends need a carriage return, as a terminal does."""
        self.metrics = SessionMetrics()
        self.channel: SSHServerChannel[bytes] | None = None
        """None before the channel is open, and once it is gone."""
        self._connection = connection
        self._requests = requests
        self._log = structlog.get_logger(__name__).bind(session=session)

    def open(self, channel: SSHServerChannel[bytes]) -> None:
        """Write to `channel` from now on."""
        self.channel = channel

    def close(self) -> None:
        """Write nothing more: the channel is gone."""
        self.channel = None

    @property
    def unread(self) -> int:
        """Bytes that the client hasn't read."""
        return 0 if self.channel is None else self.channel.get_write_buffer_size()

    def resize(self, width: int, height: int, term: str | None = None) -> None:
        """Note the terminal's size, as far as the limits allow, and its type `term` if it is known only now."""
        width, height = clamp_size(width, height, self.limits.columns, self.limits.lines)
        if term is None:
            self.facts = replace(self.facts, width=width, height=height)
        else:
            self.facts = TerminalFacts(term, width, height, self.environ.kept)

    def write(self, data: bytes) -> None:
        """Send bytes; abort the connection if too many are unsent."""
        if self.channel is None or self.channel.is_closing():
            return
        self.channel.write(data)
        self.metrics.sent(len(data))
        if self.unread + asyncssh_internals.unsent_bytes(self._connection) > MAX_UNSENT:
            LIMITS_ENFORCED.add("unread")
            self._log.warning("session given up: the client does not read")
            self._connection.abort()

    def pause_reading(self) -> None:
        """Take no more input."""
        if self.channel is not None:
            self.channel.pause_reading()

    def resume_reading(self) -> None:
        """Take input again."""
        if self.channel is not None:
            self.channel.resume_reading()

    def write_reply(self, reply: Reply) -> int:
        """Write both parts of `reply`, as far as the limits allow, and return its status."""
        most = self.limits.answer_bytes
        out, err = (text.encode("utf-8", "replace") for text in (reply.stdout, reply.stderr))
        self._put(out[:most].decode("utf-8", "ignore"))
        self._put(err[:most].decode("utf-8", "ignore"), error=True)
        if len(out) > most:
            self._put("\n", error=True)
            self.say(ANSWER_CUT)
        return reply.status

    def say(self, sentence: LazyMessage) -> None:
        """Write a sentence in the client's language, where there is no terminal as an error."""
        text = self._requests.translate(sentence, self.environ.kept).rstrip()
        self._put(f"{text}\n", error=True)

    def _put(self, text: str, error: bool = False) -> None:
        if self.channel is None or self.channel.is_closing() or not text:
            return
        if self.returns_carriage:
            text = text.replace("\n", "\r\n")
            error = False
        data = text.encode("utf-8", "replace")
        self.metrics.sent(len(data))
        if error:
            self.channel.write_stderr(data)
        else:
            self.channel.write(data)


class HandlerFeed:
    """Passes input, new sizes and congestion to a session's handler, and keeps them until one runs."""

    def __init__(self) -> None:
        self.handler: TerminalHandler | None = None
        self._reads_to_end = False
        self._resizing: asyncio.TimerHandle | None = None
        self._size = DEFAULT_SIZE
        self._full: set[str] = set()
        self._early = bytearray()
        self._has_ended = False

    def begin(self, handler: TerminalHandler, *, reads_to_end: bool) -> bool:
        """Pass everything to `handler` from now on, first what has come already; return as `end_input` does.

        `reads_to_end`: it takes all input before it ends.
        """
        self.handler, self._reads_to_end = handler, reads_to_end
        if self._full:
            handler.stall()
        handler.feed(bytes(self._early))
        return self._has_ended and self.end_input()

    def end(self) -> None:
        """Pass nothing more: the handler has ended."""
        self.handler = None

    def stop(self) -> None:
        """Report no new size any more."""
        if self._resizing is not None:
            self._resizing.cancel()
            self._resizing = None

    def pass_input(self, data: bytes) -> None:
        """Pass on input, or keep it."""
        if self.handler is not None:
            self.handler.feed(data)
        elif len(self._early) < MAX_EARLY_INPUT:
            self._early += data

    def end_input(self) -> bool:
        """Note that no more input comes; return whether the handler has to hang up."""
        self._has_ended = True
        if self.handler is not None and self._reads_to_end:
            self.handler.feed(END_OF_INPUT)
        return self.handler is not None and not self._reads_to_end

    def resize(self, width: int, height: int) -> None:
        """Pass on a new size after a short delay, so that only the last of several counts."""
        self._size = width, height
        if self._resizing is None:
            self._resizing = asyncio.get_running_loop().call_later(RESIZE_DELAY, self._resized)

    def fills(self, part: str) -> None:
        """Stop drawing: `part` ("channel" or "network") is full."""
        self._full.add(part)
        if self.handler is not None and len(self._full) == 1:
            self.handler.stall()

    def empties(self, part: str) -> None:
        """Draw again, once no part is full."""
        if part in self._full:
            self._full.remove(part)
            if self.handler is not None and not self._full:
                self.handler.drained()

    def _resized(self) -> None:
        self._resizing = None
        if self.handler is not None:
            self.handler.resize(*self._size)
