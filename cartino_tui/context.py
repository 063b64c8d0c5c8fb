"""What all screens of one app share, and when to alert the person: unread chat, presence, turn alerts.

An alert (bell, window title, desktop note) is sent when a turn begins while the person looks elsewhere.
"""

import time
from collections.abc import Callable, Mapping
from typing import Final, Protocol

import msgspec

from cartino_protocol.text import N_
from cartino_protocol.views import ChatView
from cartino_tui.draw.text import FILL, safe
from cartino_tui.game_port.screen import AnyScreen
from cartino_tui.preferences import Preferences
from cartino_tui.visit.connection import ConnectionState
from cartino_tui.visit.messages import ServerNotices
from cartino_tui.visit.pending import Typeahead
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.state import ClientState, own_turn_codes

IDLE_SECONDS: Final = 20.0
"""Seconds after the last key for which a person counts as present, if the terminal reports no focus."""


class Presence:
    """Whether the person looks at this terminal."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """`now` is a clock in seconds that only rises."""
        self._in_front: bool | None = None
        """Whether the terminal has the focus; None where it never reported that."""
        self._now = now
        self._typed_at = now()

    def typed(self) -> None:
        """Note a key or a click."""
        self._typed_at = self._now()

    def note_focus(self, in_front: bool) -> None:
        """Note whether the terminal has the focus, as it reports."""
        self._in_front = in_front

    @property
    def is_away(self) -> bool:
        """Whether they look elsewhere, as far as it can be known."""
        return self._now() - self._typed_at > IDLE_SECONDS if self._in_front is None else not self._in_front

    @property
    def is_reported_away(self) -> bool:
        """Whether the terminal reports that it lost the focus."""
        return self._in_front is False


MAX_UNREAD_TABLES: Final = 16
"""Tables whose read marks are kept; at older ones nothing counts as new."""


class _ReadMark(msgspec.Struct, frozen=True):
    """The last chat line that was read, and how many lines of others came since."""

    last: int
    new: int = 0


class UnreadChat:
    """How far the person has read the chat of each table."""

    def __init__(self) -> None:
        """Start without marks; what is there when a person first comes to a table is not new."""
        self._tables: dict[str, _ReadMark] = {}

    def update(self, code: str, chat: ChatView, name: str, *, seen: bool) -> None:
        """Take in the `chat` of the table `code`; `seen`: the person, called `name`, looks at it.

        What came unseen stays new until they press a key there: it may have scrolled by.
        """
        before = self._tables.pop(code, None)
        if before is None or (seen and not before.new):
            self._tables[code] = _ReadMark(_last_line(chat))
        else:
            new = sum(line.n > before.last and line.name != name for line in chat.lines)
            self._tables[code] = _ReadMark(before.last, new)
        if len(self._tables) > MAX_UNREAD_TABLES:
            del self._tables[next(iter(self._tables))]

    def read(self, code: str, chat: ChatView) -> None:
        """Mark all of it as read."""
        if code in self._tables:
            self._tables[code] = _ReadMark(_last_line(chat))

    def count(self, code: str) -> int:
        """Return how many lines of others are new there."""
        table = self._tables.get(code)
        return table.new if table is not None else 0


def _last_line(chat: ChatView) -> int:
    return chat.lines[-1].n if chat.lines else 0


class AppContext(msgspec.Struct, frozen=True):
    """What screens share: `game_screens` by game name, `shell_commands` to show, the person's `preferences`.

    `now` is a clock in seconds that only rises.
    """

    game_screens: Mapping[str, AnyScreen]
    preferences: Preferences = msgspec.field(default_factory=Preferences)
    shell_commands: ShellCommands = ShellCommands()
    typeahead: Typeahead = msgspec.field(default_factory=Typeahead)
    now: Callable[[], float] = time.monotonic
    line: ConnectionState = msgspec.field(default_factory=ConnectionState)
    presence: Presence = msgspec.field(default_factory=Presence)
    unread: UnreadChat = msgspec.field(default_factory=UnreadChat)
    host: ServerNotices = msgspec.field(default_factory=ServerNotices)


YOUR_TURN: Final = N_("It's your turn at table {code}.")


class AlertWindow(Protocol):
    """The window of the person's terminal."""

    def set_title(self, text: str) -> None:
        """Give it the title `text`; "" gives it back its own."""

    def ring(self) -> None:
        """Ring its bell."""

    def note(self, heading: str, text: str) -> None:
        """Have its desktop show `text`, where it can."""


class TurnAlerts:
    """Sets the window's title, and alerts the person when a turn of theirs begins while they look elsewhere."""

    def __init__(self, context: AppContext, caller: str) -> None:
        """`caller` is the sender of the alerts, as a desktop shows it."""
        self._context = context
        self._caller = caller

    def set_title(self, known: ClientState, window: AlertWindow | None) -> None:
        """Show in the window's title where the person is, and whether it is their turn, if they want that."""
        if window is not None:
            wanted = self._context.preferences.settings.title
            window.set_title(self._title(known) if wanted else "")

    def alert(self, code: str, window: AlertWindow | None) -> None:
        """Call the person to the table `code`, in the ways that they have chosen."""
        if window is None:
            return
        wanted = self._context.preferences.settings
        presence = self._context.presence
        if wanted.bell and presence.is_away:
            window.ring()
        if wanted.notify and presence.is_reported_away:
            sentence = self._context.preferences.translator.gettext(YOUR_TURN, code=code)
            window.note(self._caller, self._safe(sentence))

    def _title(self, known: ClientState) -> str:
        gettext, table = self._context.preferences.translator.gettext, known.table
        turns = own_turn_codes(known)
        code = table.code if table is not None else min(turns, default="")
        if not code:
            return ""
        game_screen = self._context.game_screens.get(table.game) if table is not None else None
        title = f"{game_screen.title} {code}" if game_screen is not None else code
        return self._safe(gettext("● your turn – {table}", table=title) if code in turns else title)

    def _safe(self, text: str) -> str:
        return safe(text, ascii=self._context.preferences.ascii).replace(FILL, "")
