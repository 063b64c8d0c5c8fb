"""A listener that lets everybody in, without limits or with admission control that records endings."""

import secrets
import time
from typing import Final

import asyncssh

from cartino_server.limits import AdmissionLimits, SessionLimits
from cartino_server.ssh import listener
from cartino_server.ssh.admission import AdmissionControl
from cartino_server.ssh.authentication import LoginTracker
from cartino_server.ssh.listener import Listener, ListenerConfig
from cartino_server.ssh.ports import RequestHandler
from cartino_server.visitors import Ending, LoginRequest, LoginResult


class AllowEveryone:
    """Authenticator that accepts everybody: a key is its owner's id, and each guest gets a new one."""

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        return LoginResult(newcomer.key or f"guest:{secrets.token_hex(8)}")

    def forget_connection(self, connection: int) -> None:
        pass


NO_LIMITS: Final = AdmissionLimits(
    unauthenticated=0, unauthenticated_each=0, connections_each=0, arrivals_each=0, penalties=0
)


def allow_everyone() -> LoginTracker:
    return LoginTracker(AllowEveryone(), AdmissionControl(NO_LIMITS, time.monotonic))


class RecordingAdmission(AdmissionControl):
    """`endings` holds how each connection ended, in order; addresses in `banned` are refused."""

    def __init__(self, limits: AdmissionLimits = AdmissionLimits()) -> None:  # noqa: B008 - a constant
        self.banned: set[str] = set()
        super().__init__(limits, time.monotonic, self.banned.__contains__)
        self.endings: list[Ending] = []

    def record_connection_end(self, connection: int, why: Ending) -> None:
        if not self.has_ended(connection):
            self.endings.append(why)
        super().record_connection_end(connection, why)


async def listen(
    config: ListenerConfig,
    key: asyncssh.SSHKey,
    requests: RequestHandler,
    limits: SessionLimits | None = None,
    logins: LoginTracker | None = None,
) -> Listener:
    """Listen as a server does; without `logins`, everybody may enter."""
    now = limits or SessionLimits()
    return await listener.listen(config, key, requests, lambda: now, logins or allow_everyone())
