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
"""Seconds. Where a terminal never said whether it is in front, somebody who typed that lately is there."""


class Presence:
    """What is known of one person. Nothing here waits for anything: it is asked when it matters."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """They have just come; `now` is a clock in seconds that only rises."""
        self.in_front: bool | None = None
        """Whether their terminal is the one that they look at; None where it never said."""
        self._now = now
        self._typed_at = now()

    def typed(self) -> None:
        """They pressed something."""
        self._typed_at = self._now()

    @property
    def is_away(self) -> bool:
        """Whether they look elsewhere, as far as can be known."""
        return self._now() - self._typed_at > IDLE_SECONDS if self.in_front is None else not self.in_front

    @property
    def is_reported_away(self) -> bool:
        """Whether their terminal says so."""
        return self.in_front is False


MAX_UNREAD_TABLES: Final = 16
"""Tables of which is known what was read; of those before them nothing counts as new."""


class _ReadMark(msgspec.Struct, frozen=True):
    """Up to which line the talk of a table was read, and how many lines of others came since."""

    last: int
    new: int = 0


class UnreadChat:
    """What one person has read of the talk at each table."""

    def __init__(self) -> None:
        """Nothing was read yet; what is there when one first comes to a table is not new."""
        self._tables: dict[str, _ReadMark] = {}

    def hear(self, code: str, chat: ChatView, name: str, *, seen: bool) -> None:
        """The talk of the table `code` is `chat` now; `seen`: the person looks at it. `name` is what they are called.

        What came unseen stays new until they do something there: it may have scrolled by.
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
        """They have seen all of it."""
        if code in self._tables:
            self._tables[code] = _ReadMark(_last_line(chat))

    def count(self, code: str) -> int:
        """How many lines of others are new there."""
        table = self._tables.get(code)
        return table.new if table is not None else 0


def _last_line(chat: ChatView) -> int:
    return chat.lines[-1].n if chat.lines else 0


class AppContext(msgspec.Struct, frozen=True):
    """`game_screens` by game name; `door` the words that lead to the house; `preferences` what the person has chosen.

    `now` is a clock in seconds that only rises.
    """

    game_screens: Mapping[str, AnyScreen]
    preferences: Preferences = msgspec.field(default_factory=Preferences)
    door: ShellCommands = ShellCommands()
    typeahead: Typeahead = msgspec.field(default_factory=Typeahead)
    now: Callable[[], float] = time.monotonic
    line: ConnectionState = msgspec.field(default_factory=ConnectionState)
    presence: Presence = msgspec.field(default_factory=Presence)
    unread: UnreadChat = msgspec.field(default_factory=UnreadChat)
    host: ServerNotices = msgspec.field(default_factory=ServerNotices)


YOUR_TURN: Final = N_("It is your turn at the table {code}.")


class AlertWindow(Protocol):
    """The window of the person's terminal."""

    def set_title(self, text: str) -> None:
        """Give it the title `text`; "" gives it back its own."""

    def ring(self) -> None:
        """Ring its bell."""

    def note(self, heading: str, text: str) -> None:
        """Have its desktop show `text`, where it can."""


class TurnAlerts:
    """What one person has been told. It acts when there is news, and holds no timer."""

    def __init__(self, stage: AppContext, caller: str) -> None:
        """Nothing was told yet. `caller` is who calls, as a desktop shows it."""
        self._stage = stage
        self._caller = caller
        self._due: frozenset[str] = frozenset()

    def heard(self, known: ClientState, window: AlertWindow | None) -> None:
        """There is news: call, where it is the person's turn somewhere since then."""
        due = frozenset(own_turn_codes(known))
        new, self._due = due - self._due, due
        self.set_title(known, window)
        if new and window is not None:
            self._call(min(new), window)

    def set_title(self, known: ClientState, window: AlertWindow | None) -> None:
        """Have the window's title say where the person is, and whether it is their turn, if they want that."""
        if window is not None:
            wanted = self._stage.preferences.settings.title
            window.set_title(self._title(known) if wanted else "")

    def _call(self, code: str, window: AlertWindow) -> None:
        wanted = self._stage.preferences.settings
        presence = self._stage.presence
        if wanted.bell and presence.is_away:
            window.ring()
        if wanted.notify and presence.is_reported_away:
            sentence = self._stage.preferences.translator.gettext(YOUR_TURN, code=code)
            window.note(self._caller, self._safe(sentence))

    def _title(self, known: ClientState) -> str:
        gettext, room = self._stage.preferences.translator.gettext, known.room
        code = room.code if room is not None else min(self._due, default="")
        if not code:
            return ""
        game_screen = self._stage.game_screens.get(room.game) if room is not None else None
        table = f"{game_screen.title} {code}" if game_screen is not None else code
        return self._safe(gettext("● your turn – {table}", table=table) if code in self._due else table)

    def _safe(self, text: str) -> str:
        return safe(text, ascii=self._stage.preferences.ascii).replace(FILL, "")
