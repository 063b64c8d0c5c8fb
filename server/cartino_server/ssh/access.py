"""Who comes in: anybody. The key says who it is; without a key they are a guest."""

import asyncio
import contextvars
import secrets
import socket
import unicodedata
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

from cartino_protocol.legible import legible
from cartino_protocol.marking import Sentence, later
from cartino_server.metering.figures import CUTS
from cartino_server.ssh import inside
from cartino_server.ssh.allowance import Allowance, Level
from cartino_server.ssh.attempts import Attempts, TooManyAttempts
from cartino_server.ssh.gate import Ending, ending_of
from cartino_server.ssh.limits import SessionLimits
from cartino_server.ssh.ports import Arrival, Judge, Newcomer, Reception, Verdict, Visitor
from cartino_server.ssh.session import Session
from cartino_server.ssh.sources import Networks, source_of

LONGEST_NAME: Final = 32
MOST_READ: Final = 1024
"""Bytes of a user name that are looked at."""
LONGEST_CLIENT: Final = 64
"""Characters of what a client calls itself."""
RECEIVED: Final = 16_384
"""Bytes that the system may keep of a connection for us: where its client is gone, they are read to their end first."""
ENDING: Final = 7
"""Sessions that may be ending beside those that run: the client has not closed them on its side."""
SESSIONS_AT_ONCE: Final = 10
"""Sessions that may be opened on a connection one after the other without a pause."""
SESSIONS_A_SECOND: Final = 2.0
"""And then: twice as often as who asks `ssh HOST show` every second over a connection that is there already."""
TOO_OFTEN: Final = "Too many sessions one after the other; wait a second, then try again"
"""What one more is refused with, in SSH's own words: nobody's language is known before there is a session."""
MOST_REFUSED: Final = 30
"""Sessions that may be asked for in vain at once; a connection that asks for more is ended."""
FORGIVEN: Final = 1.0
"""How many of them are forgotten a second."""
WITHOUT_SESSION: Final = 60.0
"""Seconds that a connection may be there while nothing runs on it: until the next session of whoever shares it.

Whoever has not read all of an answer by then has as long again, as long as they go on with it.
"""
REFUSED_WAIT: Final = 5.0
"""Seconds in which somebody who was refused may read why."""

BROKEN: Final = later("Something broke here, and you could not be let in. Please come back.")


def shown_name(user: str) -> str:
    """The user name as others may see it, at most 32 characters; "guest" for none.

    For each control or invisible character there is a "?": it is no name then, and they are to be told so.
    """
    return _cleaned(user, LONGEST_NAME, "?") or "guest"


def _cleaned(text: str, most: int, instead: str = "") -> str:
    # Cut first: putting a thousand marks in order takes long.
    kept = legible(unicodedata.normalize("NFC", text[: 4 * most]), instead)
    return kept.strip()[:most].strip()


class Access(SSHServer):
    """One connection, from the handshake to its end.

    ssh programs try to come in without anything first; that is refused, so that the keys have their turn. Who has
    none is let in by keyboard-interactive without a question. To asyncssh it is also the `inside.Login`.
    """

    def __init__(self, reception: Reception, arrival: Arrival, judge: Judge, limits: SessionLimits) -> None:
        """The connection `arrival`, whose sessions `reception` receives once `judge` lets them.

        It is held to the `limits` that there are now.
        """
        self.ending: Ending | None = None
        """How it ended, where that is known here."""
        self._sessions: list[Session] = []
        self._is_full = False
        self._reception = reception
        self._connection: SSHServerConnection | None = None
        self._limits = limits
        self._attempts = Attempts(limits.auth_attempts)
        self._openings: Level | None = None
        """How many sessions may be opened just now; there once the client is."""
        self._refused: Level | None = None
        """How many more sessions may be asked for in vain, once one was."""
        self._name = ""
        """What they ask to be called, in the try that goes on."""
        self._offered = ""
        """The key that was asked about last, which anybody may do for any key."""
        self._proven = ""
        """The key that has signed, if the try that goes on is by a key."""
        self._was_tried = False
        self._arrival = arrival
        self._judge = judge
        self._key = ""
        self._verdict: asyncio.Task[Verdict] | None = None
        self._leaving: asyncio.TimerHandle | None = None
        """There while nothing runs."""
        self._unread = 0
        """Bytes that were not read when it was looked for the last time."""
        self._log = structlog.get_logger(__name__)

    # -- who it is

    def connection_made(self, conn: SSHServerConnection) -> None:
        """The client is there."""
        self._connection = conn
        self._log = self._log.bind(
            connection=self._arrival.connection, peer=self._arrival.source or "unknown"
        )
        # macOS lets nobody do that to a connection that was reset meanwhile.
        with suppress(OSError):
            conn.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVED)
        inside.watch_writing(conn, self._fills, self._empties)
        inside.spare_ignores(conn)
        now = asyncio.get_running_loop().time()
        self._openings = Level(SESSIONS_A_SECOND, SESSIONS_AT_ONCE, now)
        inside.guard_login(conn, self, Allowance(self._limits.input_rate, self._limits.input_burst, now))

    def asked(self, user: bytes) -> None:
        """Somebody tries to log in: nothing of what was tried before counts for them. Raises TooManyAttempts."""
        if not self.is_in:
            self._name = shown_name(user[:MOST_READ].decode("utf-8", "ignore"))
        self._offered = self._proven = ""
        self._was_tried = True
        self._count(self._attempts.ask)

    def failed(self) -> None:
        """That didn't succeed. Raises TooManyAttempts."""
        self._count(self._attempts.fail)

    def _count(self, attempt: Callable[[], None]) -> None:
        try:
            attempt()
        except TooManyAttempts:
            self.ending = "attempts"
            raise

    def proved(self) -> None:
        """The key that was asked about last has signed."""
        self._proven = self._offered

    def begin_auth(self, username: str) -> bool:
        """Nobody comes in without trying a method."""
        return True

    def public_key_auth_supported(self) -> bool:
        """Yes."""
        return True

    def validate_public_key(self, username: str, key: SSHKey) -> bool:
        """Any key will do. That the client holds it is not proven by this: see `proved`."""
        self._offered = key.get_fingerprint()
        return True

    def kbdint_auth_supported(self) -> bool:
        """Yes, for those without a key."""
        return True

    def get_kbdint_challenge(self, username: str, lang: str, submethods: str) -> bool:
        """Come in as a guest, whatever key was offered before; no question."""
        return True

    def validate_kbdint_response(self, username: str, responses: Sequence[str]) -> bool:
        """There was no question."""
        return False

    def auth_completed(self) -> None:
        """The method tried last has succeeded, so the key that has signed for it is theirs; now they are judged."""
        if self._connection is None:
            return
        self._key = self._proven
        newcomer = Newcomer(
            self._arrival.connection,
            self._arrival.source,
            self._key,
            self._name,
            _cleaned(self._connection.get_extra_info("client_version") or "", LONGEST_CLIENT),
        )
        # In a context of its own: what is bound there for the log is nobody else's.
        self._verdict = asyncio.get_running_loop().create_task(
            self._be_judged(newcomer), context=contextvars.Context()
        )
        self._watch()

    async def _be_judged(self, newcomer: Newcomer) -> Verdict:
        try:
            verdict = await self._judge(newcomer)
        except Exception:
            # A bug, but one of ours: nobody is let in by it.
            self._log.exception("nobody could judge who that is")
            verdict = Verdict(refused=BROKEN)
        if self._connection is None:
            return verdict
        self._log = self._log.bind(person=verdict.person)
        if verdict.refused.text:
            self._log.info("was refused", why=str(verdict.refused))
            asyncio.get_running_loop().call_later(REFUSED_WAIT, self.close)
        else:
            self._log.info("came in")
        return verdict

    # -- what they may open

    def session_requested(self) -> tuple[SSHServerChannel[bytes], Session] | bool:
        """A session, if not too many run already. Raises ProtocolError where too many were asked for in vain.

        Raises ChannelOpenError where one follows the other too fast: each is the work of a first screen.
        """
        connection, verdict = self._connection, self._verdict
        self._sessions = [session for session in self._sessions if not session.is_gone]
        running = sum(session.is_open for session in self._sessions)
        ending = len(self._sessions) - running
        if connection is None or verdict is None or running >= self._limits.sessions or ending >= ENDING:
            CUTS.add("sessions")
            self._refuse()
            return False
        if self._openings is not None and not self._openings.take(1, asyncio.get_running_loop().time()):
            CUTS.add("pace")
            self._refuse()
            raise ChannelOpenError(OPEN_RESOURCE_SHORTAGE, TOO_OFTEN)
        visitor = Visitor(
            id=secrets.token_hex(4),
            person="",
            name=self._name,
            guest=not self._key,
            connection=self._arrival.connection,
            key=self._key,
            source=self._network(),
        )
        self._log.info("opens a session", session=visitor.id)
        session = Session(visitor, self._reception, connection, verdict, self._limits, self._watch)
        self._sessions.append(session)
        if self._is_full:
            session.fills("network")
        channel: SSHServerChannel[bytes] = connection.create_server_channel(encoding=None)
        inside.guard_requests(channel, session.environ.offer)
        return channel, session

    def _network(self) -> str:
        """Where they come from, as far as those who come from there are one in anything."""
        address = self._arrival.source
        return "" if not address or Networks(self._limits.exempt).has(address) else source_of(address).network

    def _watch(self) -> None:
        """A session has begun or ended: see to it that nobody's place is taken for long by what is no visit."""
        is_idle = self._connection is not None and not any(session.runs for session in self._sessions)
        if not is_idle:
            self._unwatch()
        elif self._leaving is None:
            self._leaving = asyncio.get_running_loop().call_later(WITHOUT_SESSION, self._leave_behind)

    def _unwatch(self) -> None:
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None

    def _leave_behind(self) -> None:
        """For too long nothing ran here."""
        self._leaving = None
        before, self._unread = self._unread, sum(session.unread for session in self._sessions)
        if self._unread not in {0, before}:
            self._watch()
        else:
            self._log.info("ended without a session")
            self.close()

    def _refuse(self) -> None:
        """Who shares a connection asks for one session more now and then; who does nothing else is no player."""
        now = asyncio.get_running_loop().time()
        if self._refused is None:
            self._refused = Level(FORGIVEN, MOST_REFUSED, now)
        self._refused.draw(1)
        if self._refused.wait(now) > 0:
            raise ProtocolError("Too many sessions")

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        if self.is_in or exc is None:
            # Of others it is logged that they did not come in, and why.
            self._log.info("left", why=str(exc) if exc else "")
        self._unwatch()
        if self._connection is not None:
            asyncio.get_running_loop().call_soon(inside.let_go, self._connection)
        self._connection = None
        if self.ending is None and (self.is_in or exc is not None):
            self.ending = ending_of(exc)
        # Who tried to log in and said that they leave knew what they were about to do. A line that broke did not:
        # every program tries something at once.
        if not self.is_in and self._was_tried and self.ending in {None, "done"}:
            self.ending = "auth"

    @property
    def is_in(self) -> bool:
        """Whether they have logged in."""
        return self._verdict is not None

    def dismiss(self, farewell: Sentence) -> None:
        """End all sessions with a sentence; a connection without one, not even one still ending, is closed at once."""
        for session in self._sessions:
            if session.is_open:
                session.dismiss(farewell)
        if all(session.is_gone for session in self._sessions):
            self.close()

    def close(self) -> None:
        """Close the connection once all is sent."""
        if self._connection is not None:
            self._connection.close()

    def _fills(self) -> None:
        self._is_full = True
        for session in self._sessions:
            session.fills("network")

    def _empties(self) -> None:
        self._is_full = False
        for session in self._sessions:
            session.empties("network")
