"""Who comes in: anybody. The key says who it is; without a key they are a guest."""

import asyncio
import secrets
import unicodedata
from collections.abc import Callable, Sequence
from typing import Final

import structlog
from asyncssh import SSHKey, SSHServer, SSHServerChannel, SSHServerConnection

from cartino_protocol.marking import Sentence
from cartino_server.ssh import inside
from cartino_server.ssh.ports import Reception, Visitor
from cartino_server.ssh.session import Session

LONGEST_NAME: Final = 32
MOST_SESSIONS: Final = 4
"""Sessions that may run at once on a connection: a table, and commands beside it (OpenSSH's ControlMaster)."""
MOST_CHANNELS: Final = 8
"""Their channels, with those that have ended here and that the client has not closed on its side."""


def shown_name(user: str) -> str:
    """The user name as others may see it: no control or invisible characters, at most 32; "guest" for none."""
    kept = "".join(char for char in user if unicodedata.category(char)[0] not in "CZ" or char == " ")
    return kept.strip()[:LONGEST_NAME].strip() or "guest"


class Access(SSHServer):
    """One connection, from the handshake to its end.

    ssh programs try to come in without anything first; that is refused, so that the keys have their turn. Who has
    none is let in by keyboard-interactive without a question.
    """

    def __init__(self, reception: Reception, gone: Callable[["Access"], None]) -> None:
        """A connection whose sessions `reception` receives; `gone` is told when it has ended."""
        self._sessions: list[Session] = []
        self._is_full = False
        self._gone = gone
        self._reception = reception
        self._connection: SSHServerConnection | None = None
        self._offered: str | None = None
        self._person = ""
        self._log = structlog.get_logger(__name__)

    # -- who it is

    def connection_made(self, conn: SSHServerConnection) -> None:
        """The client is there."""
        self._connection = conn
        # Who has reset the connection before it is looked at has no address any more.
        peer = conn.get_extra_info("peername")
        self._log = self._log.bind(peer=peer[0] if peer else "unknown")
        inside.watch_writing(conn, self._fills, self._empties)
        inside.spare_ignores(conn)

    def begin_auth(self, username: str) -> bool:
        """Nobody comes in without trying a method."""
        self._offered = None
        return True

    def public_key_auth_supported(self) -> bool:
        """Yes."""
        return True

    def validate_public_key(self, username: str, key: SSHKey) -> bool:
        """Any key will do. That the client holds it is not yet proven here: believed is it in `auth_completed`."""
        self._offered = key.get_fingerprint()
        return True

    def kbdint_auth_supported(self) -> bool:
        """Yes, for those without a key."""
        return True

    def get_kbdint_challenge(self, username: str, lang: str, submethods: str) -> bool:
        """Come in as a guest, whatever key was offered before; no question."""
        self._offered = None
        return True

    def validate_kbdint_response(self, username: str, responses: Sequence[str]) -> bool:
        """There was no question."""
        self._offered = None
        return False

    def auth_completed(self) -> None:
        """The method tried last has succeeded, so the key it brought, if any, is theirs."""
        self._person = self._offered or f"guest:{secrets.token_hex(8)}"
        self._log = self._log.bind(person=self._person)
        self._log.info("came in")

    # -- what they may open

    def session_requested(self) -> tuple[SSHServerChannel[bytes], Session] | bool:
        """A session, if not too many run already."""
        connection = self._connection
        self._sessions = [session for session in self._sessions if not session.is_gone]
        if connection is None or len(self._sessions) >= MOST_CHANNELS:
            return False
        if sum(session.is_open for session in self._sessions) >= MOST_SESSIONS:
            return False
        visitor = Visitor(
            id=secrets.token_hex(4),
            person=self._person,
            name=shown_name(connection.get_extra_info("username") or ""),
            guest=self._person.startswith("guest:"),
        )
        self._log.info("opens a session", session=visitor.id)
        session = Session(visitor, self._reception, connection)
        self._sessions.append(session)
        if self._is_full:
            session.fills("network")
        channel: SSHServerChannel[bytes] = connection.create_server_channel(encoding=None)
        inside.guard_requests(channel, session.environ.offer)
        return channel, session

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        self._log.info("left", why=str(exc) if exc else "")
        if self._connection is not None:
            asyncio.get_running_loop().call_soon(inside.let_go, self._connection)
        self._connection = None
        self._gone(self)

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
