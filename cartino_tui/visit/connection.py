"""A lost connection: what the person is told meanwhile, and the way back to where they were."""

from typing import Final

from cartino_protocol.commands import Back, Command, Join, Watch
from cartino_protocol.link import ConnectionStatus
from cartino_protocol.text import N_, LazyMessage
from cartino_protocol.views import Welcome
from cartino_tui.visit.state import ClientState

_LOST_MESSAGES: Final = (
    N_("Connection lost. Next try in {n} s; Ctrl-C to quit."),
    N_("Server restarting. Next try in {n} s; Ctrl-C to quit."),
    N_("Message not sent: connection lost. Next try in {n} s; Ctrl-C to quit."),
    N_("Message not sent: server restarting. Next try in {n} s; Ctrl-C to quit."),
)
"""By whether the server restarts, plus 2 where something could not be sent."""
_TRYING_MESSAGES: Final = (
    N_("Connection lost. Reconnecting now; Ctrl-C to quit."),
    N_("Server restarting. Reconnecting now; Ctrl-C to quit."),
    N_("Message not sent: connection lost. Reconnecting now; Ctrl-C to quit."),
    N_("Message not sent: server restarting. Reconnecting now; Ctrl-C to quit."),
)
"""As above."""
_RECONNECTED_MESSAGE: Final = N_("Reconnected. Taking you back to where you were.")


class ConnectionState:
    """Whether the server can be reached. Inside the server's own process it always can."""

    def __init__(self) -> None:
        self.is_down = False
        """Whether nothing can be sent: there is no connection, or the person is not yet back where they were."""
        self.send_failed = False
        """Whether the person has just tried to send something all the same."""
        self._status = ConnectionStatus("back")
        self._since = 0.0

    def handle(self, status: ConnectionStatus, now: float) -> None:
        """Take in what became of the connection at `now`, in seconds."""
        self._status, self._since = status, now
        self.is_down = True

    def is_up(self) -> None:
        """Note that the person is back where they were."""
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


class Reconnection:
    """The way back to where the person was when the connection was lost."""

    def __init__(self) -> None:
        self._before: ClientState | None = None
        self._word = ""
        self._said_word = self._said_way = False

    @property
    def is_under_way(self) -> bool:
        """Whether the person is not back yet."""
        return self._before is not None

    @property
    def code(self) -> str:
        """The code of the table where the person was, "" in the lobby."""
        table = None if self._before is None else self._before.table
        return "" if table is None else table.code

    @property
    def is_awaited(self) -> bool:
        """Whether a table was asked for, whose view ends the way back."""
        return self._before is not None and self._said_way

    def handle_loss(self, known: ClientState) -> None:
        """Handle the loss of the connection, also while reconnecting; `known` is what the client knows."""
        if self._before is None:
            self._before, self._word = known, ""
        welcome = known.welcome
        if welcome is not None and welcome.guest and welcome.word:
            self._word = welcome.word
        self._said_word = self._said_way = False

    def next(self, welcome: Welcome) -> Command | None:
        """Return the next command after the greeting `welcome`; None where there is no more to send."""
        if self._word and not self._said_word:
            self._said_word = True
            return Back(self._word)
        table = None if self._before is None else self._before.table
        if table is None or self._said_way:
            return None
        self._said_way = True
        # Watching with a seat of one's own takes that seat; joining an open table takes any.
        sits = table.you is not None and (welcome.back == table.code or table.state == "open")
        return Join(table.code, again=True) if sits else Watch(table.code, again=True)

    def is_back(self) -> None:
        """Handle the return to the place before, or as near as possible."""
        self._before = None
