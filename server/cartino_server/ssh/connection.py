"""One SSH connection: log the client in, then open its sessions within limits."""

import asyncio
import contextvars
import secrets
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

import structlog
from asyncssh import (
    ChannelOpenError,
    ProtocolError,
    SSHKey,
    SSHServer,
    SSHServerChannel,
    SSHServerConnection,
)
from asyncssh.constants import OPEN_RESOURCE_SHORTAGE

from cartino_protocol.text import LazyMessage
from cartino_server.limits import SessionLimits
from cartino_server.metrics.definitions import LIMITS_ENFORCED
from cartino_server.networks import Networks, source_of
from cartino_server.rate_limit import TokenBucket
from cartino_server.ssh import asyncssh_internals
from cartino_server.ssh.authentication import (
    Authenticate,
    LoginProgress,
    client_version,
    ending_of,
)
from cartino_server.ssh.negotiation import Missing, loggable
from cartino_server.ssh.ports import AcceptedConnection, RequestHandler
from cartino_server.ssh.rate_limit import InputLimit
from cartino_server.ssh.session import Session
from cartino_server.visitors import Ending, LoginRequest, LoginResult, Visitor

RECEIVE_BUFFER: Final = 16_384
"""Size of the socket's receive buffer; its contents are still processed after the client has gone."""
MAX_ENDING_SESSIONS: Final = 7
"""Sessions that may be closing, besides those that run."""
SESSION_BURST: Final = 10
"""Sessions that may be opened without a pause."""
SESSIONS_PER_SECOND: Final = 2.0
"""Sessions per second in the long run: twice the rate of a script that runs `ssh HOST show` every second."""
TOO_MANY_SESSIONS: Final = "Too many sessions one after the other; wait a second, then try again"
"""Reason sent as an SSH channel failure, untranslated: no session means no language yet."""
MAX_REFUSED_SESSIONS: Final = 30
"""Refused session requests before the connection is ended."""
REFUSALS_FORGIVEN_PER_SECOND: Final = 1.0
"""How fast refused requests are forgotten."""
IDLE_TIMEOUT: Final = 60.0
"""Seconds that a connection may stay open without a session.

A client that keeps reading the rest of an answer gets the same time again.
"""
REJECTION_DELAY: Final = 5.0
"""Seconds that a refused person has to read the reason."""


class OpenSessions:
    """The sessions of a connection: how many there may be, how fast they may follow, how long there may be none."""

    def __init__(self, most: int) -> None:
        """Allow `most` sessions that run at once."""
        self._most = most
        self._sessions: list[Session] = []
        self._is_full = False
        now = asyncio.get_running_loop().time()
        self._bucket = TokenBucket(SESSIONS_PER_SECOND, SESSION_BURST, now)
        self._refusals = TokenBucket(REFUSALS_FORGIVEN_PER_SECOND, MAX_REFUSED_SESSIONS, now)
        self._close: Callable[[], object] | None = None
        self._idle_timer: asyncio.TimerHandle | None = None
        """Set while no session runs."""
        self._unread = 0
        """Unread bytes when the idle timer last fired."""

    def begin(self, close: Callable[[], object]) -> None:
        """Call `close()` when no session has run for IDLE_TIMEOUT from now on."""
        self._close = close
        self.update_idle_timer()

    def stop(self) -> None:
        """Forget about `close`: the connection is lost."""
        self._close = None
        self.update_idle_timer()

    def admits(self) -> bool:
        """Return whether another session may be opened.

        Raises ChannelOpenError if sessions follow each other too fast, and ProtocolError after too many refusals.
        """
        self._sessions = [session for session in self._sessions if not session.is_gone]
        running = sum(session.is_open for session in self._sessions)
        if running >= self._most or len(self._sessions) - running >= MAX_ENDING_SESSIONS:
            LIMITS_ENFORCED.add("sessions")
            self._count_refusal()
            return False
        if not self._bucket.take_tokens(1, asyncio.get_running_loop().time()):
            LIMITS_ENFORCED.add("pace")
            self._count_refusal()
            raise ChannelOpenError(OPEN_RESOURCE_SHORTAGE, TOO_MANY_SESSIONS)
        return True

    def add(self, session: Session) -> None:
        """Add a session that was just opened."""
        self._sessions.append(session)
        if self._is_full:
            session.feed.fills("network")

    def update_idle_timer(self) -> None:
        """Start or stop the idle timer after a session began or ended."""
        if self._close is None or any(session.runs for session in self._sessions):
            if self._idle_timer is not None:
                self._idle_timer.cancel()
                self._idle_timer = None
        elif self._idle_timer is None:
            self._idle_timer = asyncio.get_running_loop().call_later(IDLE_TIMEOUT, self._idle_timeout)

    def dismiss(self, farewell: LazyMessage) -> bool:
        """End all sessions with `farewell`; return whether none is left."""
        for session in self._sessions:
            if session.is_open:
                session.dismiss(farewell)
        return all(session.is_gone for session in self._sessions)

    def fills(self) -> None:
        """Draw nothing in any session: the connection is full."""
        self._is_full = True
        for session in self._sessions:
            session.feed.fills("network")

    def empties(self) -> None:
        """Draw again: the connection has drained."""
        self._is_full = False
        for session in self._sessions:
            session.feed.empties("network")

    def _idle_timeout(self) -> None:
        """Close the connection unless the client is still reading."""
        self._idle_timer = None
        before, self._unread = self._unread, sum(session.terminal.unread for session in self._sessions)
        if self._unread not in {0, before}:
            self.update_idle_timer()
        elif self._close is not None:
            self._close()

    def _count_refusal(self) -> None:
        """Count a refused session, of which a shared connection may have a few. Raises ProtocolError on abuse."""
        self._refusals.draw(1)
        if self._refusals.wait(asyncio.get_running_loop().time()) > 0:
            raise ProtocolError("Too many sessions")


class Connection(SSHServer):
    """An SSH connection from handshake to end.

    SSH clients first try to log in with the method `none`; that is refused so that keys are tried. Clients without a
    key log in by keyboard-interactive without a question.
    """

    def __init__(
        self,
        requests: RequestHandler,
        accepted: AcceptedConnection,
        judge: Authenticate,
        limits: SessionLimits,
    ) -> None:
        """Serve the connection `accepted` under `limits`.

        `judge` decides who may enter, and `requests` handles the sessions.
        """
        self.ending: Ending | None = None
        """How the connection ended, if known here."""
        self.sessions = OpenSessions(limits.sessions)
        self._requests = requests
        self._connection: SSHServerConnection | None = None
        self._limits = limits
        self._progress = LoginProgress(limits.auth_attempts)
        self._was_answered = False
        self._client = ""
        self._accepted = accepted
        self._judge = judge
        self._key = ""
        self._login: asyncio.Task[LoginResult] | None = None
        self._log = structlog.get_logger(__name__)

    def connection_made(self, conn: SSHServerConnection) -> None:
        """Install the limits on a new connection."""
        self._connection = conn
        self._log = self._log.bind(
            connection=self._accepted.connection, peer=self._accepted.source or "unknown"
        )
        # macOS raises this on a connection that has been reset.
        with suppress(OSError):
            conn.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
        asyncssh_internals.watch_writing(conn, self.sessions.fills, self.sessions.empties)
        asyncssh_internals.drop_ignore_packets(conn)
        now = asyncio.get_running_loop().time()
        allowance = InputLimit(self._limits.input_rate, self._limits.input_burst, now)
        asyncssh_internals.limit_login(conn, self._progress, allowance)

    def begin_auth(self, username: str) -> bool:
        """Require authentication."""
        return True

    def public_key_auth_supported(self) -> bool:
        """Support public keys."""
        return True

    def validate_public_key(self, username: str, key: SSHKey) -> bool:
        """Accept any key; only `LoginProgress.proved` says that the client holds it."""
        self._progress.offered = key.get_fingerprint()
        return True

    def kbdint_auth_supported(self) -> bool:
        """Support keyboard-interactive for clients without a key."""
        return True

    def get_kbdint_challenge(self, username: str, lang: str, submethods: str) -> bool:
        """Accept as a guest without a question, whatever keys were offered before."""
        return True

    def validate_kbdint_response(self, username: str, responses: Sequence[str]) -> bool:
        """Reject: no question was asked."""
        return False

    def auth_completed(self) -> None:
        """Start the decision about the client, with the key that signed last."""
        if self._connection is None:
            return
        self._key, self._progress.is_over = self._progress.proven, True
        newcomer = LoginRequest(
            self._accepted.connection,
            self._accepted.source,
            self._key,
            self._progress.name,
            self.client,
        )
        # Use a separate context, so that log variables bound there don't leak.
        self._login = asyncio.get_running_loop().create_task(
            self._authenticate(newcomer), context=contextvars.Context()
        )
        self.sessions.begin(self._end_idle)

    async def _authenticate(self, newcomer: LoginRequest) -> LoginResult:
        login = await self._judge(newcomer)
        if self._connection is None:
            return login
        self._log = self._log.bind(person=login.person)
        if login.refused.text:
            self._log.info("was refused", why=str(login.refused))
            asyncio.get_running_loop().call_later(REJECTION_DELAY, self.close)
        elif self._progress.unusable and not self._key:
            self._log.info("came in", unusable=self._progress.unusable)
        else:
            self._log.info("came in")
        return login

    def session_requested(self) -> tuple[SSHServerChannel[bytes], Session] | bool:
        """Open a session if the limits allow it; see `OpenSessions.admits`."""
        connection, login = self._connection, self._login
        if not self.sessions.admits() or connection is None or login is None:
            return False
        visitor = Visitor(
            id=secrets.token_hex(4),
            person="",
            name=self._progress.name,
            guest=not self._key,
            connection=self._accepted.connection,
            key=self._key,
            source=self._network(),
            unusable_key="" if self._key else self._progress.unusable,
        )
        self._log.info("opens a session", session=visitor.id)
        session = Session(
            visitor, self._requests, connection, login, self._limits, self.sessions.update_idle_timer
        )
        self.sessions.add(session)
        channel: SSHServerChannel[bytes] = connection.create_server_channel(encoding=None)
        asyncssh_internals.limit_channel_requests(channel, session.terminal.environ.offer)
        return channel, session

    def _network(self) -> str:
        """Return the client's network, "" if it is exempt from limits."""
        address = self._accepted.source
        return "" if not address or Networks(self._limits.exempt).has(address) else source_of(address).network

    def _end_idle(self) -> None:
        self._log.info("ended without a session")
        self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Record how the connection ended."""
        if self.is_in or exc is None:
            # Connections that never logged in are logged elsewhere, with the reason.
            self._log.info("left", why=loggable(str(exc)) if exc else "")
        self.sessions.stop()
        self._was_answered, self._client = self.is_answered, self.client
        if self._connection is not None:
            asyncio.get_running_loop().call_soon(asyncssh_internals.release, self._connection)
        self._connection = None
        if self.ending is None and (self.is_in or exc is not None):
            self.ending = ending_of(exc)
        # A client that tried to log in and said goodbye counts as a failed login. A lost connection doesn't:
        # every client tries `none` at once.
        if not self.is_in and self._progress.was_tried and self.ending in {None, "done"}:
            self.ending = "auth"

    @property
    def is_in(self) -> bool:
        """Whether the client has logged in."""
        return self._login is not None

    @property
    def is_answered(self) -> bool:
        """Whether the key exchange reply was sent; a person may be reading the host key's fingerprint."""
        connection = self._connection
        # asyncssh knows the cipher once it has sent the reply.
        return self._was_answered or (
            connection is not None and connection.get_extra_info("send_cipher") is not None
        )

    @property
    def client(self) -> str:
        """The client's version string, "" if it sent none."""
        if self._connection is None:
            return self._client
        return client_version(self._connection.get_extra_info("client_version") or "")

    @property
    def missing(self) -> Missing | None:
        """What there is no common algorithm for, if the key exchange failed for that."""
        return self._progress.missing

    def dismiss(self, farewell: LazyMessage) -> None:
        """End all sessions with `farewell`; close the connection if none is left."""
        if self.sessions.dismiss(farewell):
            self.close()

    def close(self) -> None:
        """Close the connection once everything is sent."""
        if self._connection is not None:
            self._connection.close()
