"""The house in this process, as its workers need it."""

import structlog

from cartino_protocol.marking import N_
from cartino_server.entry.errors import FAILURE
from cartino_server.entry.hosting import HouseHost
from cartino_server.rooms.seat import HouseLink
from cartino_server.ssh.admission import ENDINGS
from cartino_server.ssh.authentication import LOGIN_FAILED as UNJUDGED
from cartino_server.ssh.authentication import LoginRequest, LoginTracker
from cartino_server.ssh.ports import Visitor
from cartino_server.workers.messages import Caller, Entering, Judged, Told
from cartino_tui.preferences import language_of
from cartino_tui.tongue import tongue_of

BROKEN = N_("Something broke here; the log has it under {id}.")

_log = structlog.get_logger(__name__)


class HouseHome:
    """A `Home` (see `cartino_server.workers.attendant`)."""

    def __init__(self, host: HouseHost, entrance: LoginTracker) -> None:
        """Let workers in at `host`, and those who come through them in at `entrance`."""
        self._host = host
        self._entrance = entrance

    def open_link(self, caller: Caller) -> HouseLink:
        """See Home."""
        return self._host.open_link(_visitor(caller))

    async def answer(self, caller: Caller, words: tuple[str, ...]) -> Told:
        """See Home."""
        try:
            reply = await self._host.answer(_visitor(caller), words)
        except Exception:
            _log.exception("a question broke", session=caller.id)
            return Told(
                stderr=f"{tongue_of(language_of(caller.env)).say(BROKEN, id=caller.id)}\n", status=FAILURE
            )
        return Told(reply.stdout, reply.stderr, reply.status)

    async def judge(self, entering: Entering) -> Judged:
        """See Home."""
        newcomer = LoginRequest(
            entering.connection, entering.source, entering.key, entering.user, entering.client
        )
        try:
            verdict = await self._entrance.judge(newcomer)
        except Exception:
            # A bug, but one of ours: nobody is let in by it.
            _log.exception("nobody could judge who that is", connection=entering.connection)
            return Judged(entering.connection, "", UNJUDGED)
        return Judged(entering.connection, verdict.person, verdict.refused)

    def left(self, connection: int, why: str) -> None:
        """See Home."""
        self._entrance.left(connection, ENDINGS.get(why, "crashed"))


def _visitor(caller: Caller) -> Visitor:
    return Visitor(
        caller.id, caller.person, caller.name, caller.guest, caller.env, caller.connection, caller.key
    )
