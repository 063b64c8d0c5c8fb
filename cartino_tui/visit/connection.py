"""What a person is told of the connection while it is lost."""

from typing import Final

from cartino_protocol.link import ConnectionStatus
from cartino_protocol.text import N_, LazyMessage

_LOST_MESSAGES: Final = (
    N_("The line is lost; next try in {n} s. Ctrl-C leaves."),
    N_("The house restarts; next try in {n} s. Ctrl-C leaves."),
    N_("Not said: the line is lost; next try in {n} s. Ctrl-C leaves."),
    N_("Not said: the house restarts; next try in {n} s. Ctrl-C leaves."),
)
"""By whether the server restarts, plus 2 where something could not be sent."""
_TRYING_MESSAGES: Final = (
    N_("The line is lost; trying now. Ctrl-C leaves."),
    N_("The house restarts; trying now. Ctrl-C leaves."),
    N_("Not said: the line is lost; trying now. Ctrl-C leaves."),
    N_("Not said: the house restarts; trying now. Ctrl-C leaves."),
)
"""As above."""
_RECONNECTED_MESSAGE: Final = N_("The line is back; going where you were.")


class ConnectionState:
    """Whether the server can be reached. Inside the server's own process it always can."""

    def __init__(self) -> None:
        """It is up."""
        self.is_down = False
        """Whether nothing can be sent: there is no connection, or the person is not yet back where they were."""
        self.send_failed = False
        """Whether the person has just tried to send something all the same."""
        self._status = ConnectionStatus("back")
        self._since = 0.0

    def hear(self, status: ConnectionStatus, now: float) -> None:
        """Take in what became of the connection at `now`, in seconds."""
        self._status, self._since = status, now
        self.is_down = True

    def is_up(self) -> None:
        """The person is back where they were."""
        self.is_down = self.send_failed = False

    def sentence(self, now: float) -> LazyMessage:
        """Return what to show in place of the status line; an empty message while nothing is wrong."""
        if not self.is_down:
            return LazyMessage("")
        which = self._status.restarts + 2 * self.send_failed
        match self._status.stands:
            case "lost":
                left = max(1, round(self._status.seconds - (now - self._since)))
                return LazyMessage(_LOST_MESSAGES[which], {"n": left})
            case "trying":
                return LazyMessage(_TRYING_MESSAGES[which])
            case "back":
                return LazyMessage(_RECONNECTED_MESSAGE)
