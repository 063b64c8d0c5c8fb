"""What of the settings bounds those who knock, those who are in, and what is kept of their games."""

from typing import Final

from cartino_server.entry.settings import Settings
from cartino_server.ssh.admission import AdmissionLimits
from cartino_server.ssh.ports import SessionLimits
from cartino_server.store.pruning import Retention

EVERYWHERE: Final = ("0.0.0.0/0", "::/0")


def gate_limits(settings: Settings) -> AdmissionLimits:
    """What of the settings is the gate's."""
    return AdmissionLimits(
        unauthenticated=settings.unauthenticated,
        unauthenticated_each=settings.unauthenticated_each,
        connections_each=settings.connections_each,
        arrivals_each=settings.arrivals_each,
        penalties=settings.penalties,
        exempt=settings.exempt,
        proxies=settings.proxies,
    )


def session_limits(settings: Settings) -> SessionLimits:
    """What of the settings is a connection's and its sessions'."""
    return SessionLimits(
        login_grace=settings.login_grace,
        auth_attempts=settings.auth_attempts,
        sessions=settings.sessions,
        columns=settings.columns,
        lines=settings.lines,
        input_rate=settings.input_rate,
        input_burst=settings.input_burst,
        key_rate=settings.key_rate,
        answer_bytes=settings.answer_bytes,
        exempt=settings.exempt if settings.connections_each else EVERYWHERE,
    )


def retention(settings: Settings) -> Retention:
    """Return what of the settings says how long finished games are kept."""
    return Retention(settings.keep_days, settings.keep_rated_days, settings.keep_most)
