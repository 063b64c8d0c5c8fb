"""What the client knows of the server: the newest view of each kind, and how an answer changes it."""

from collections.abc import Mapping
from typing import Final

import msgspec

from cartino_protocol import views
from cartino_protocol.accounts import Ignored, IgnoredPerson, Invitation, Invitations
from cartino_protocol.base import Seat, TableStatus
from cartino_protocol.deals import TodayView
from cartino_tui.draw.canvas import IdentityCache


class ClientState(msgspec.Struct, frozen=True):
    """The newest view of each kind.

    `table`, `chat` and the stored selection (`kept`) are there only at a table, `lobby` only in the lobby, `online` as
    it last was there also before a game.
    `heard` is the chat as it came, `chat` without the people in `ignored` (None until that is known). `told` counts
    the answers that only the page that asked for them keeps. `summary` is None on servers that send none; `preview` is
    that of the lobby, `today` how one stands with the daily game.
    """

    welcome: views.Welcome | None = None
    lobby: views.LobbyView | None = None
    mine: views.Mine = views.Mine(())
    table: views.TableView | None = None
    chat: views.ChatView | None = None
    kept: views.SavedSelection | None = None
    told: int = 0
    invitations: tuple[Invitation, ...] = ()
    heard: views.ChatView | None = None
    ignored: tuple[IgnoredPerson, ...] | None = None
    online: views.OnlineView = views.OnlineView(())
    summary: views.SummaryView | None = None
    preview: views.PreviewView | None = None
    today: TodayView | None = None

    def learn(self, answer: views.Answer) -> "ClientState":
        """Return the state after `answer`; refusals and farewells change nothing."""
        match answer:
            case _ if type(answer) in _FIELDS:
                return msgspec.structs.replace(self, **{_FIELDS[type(answer)]: answer})
            case views.TableView():
                if self.table is not None and self.table.code != answer.code:
                    return self.nowhere().learn(answer)
                # The lists of the lobby come again when the person is back there; a table would keep an old one each.
                # In the waiting room the names stay, for invitations.
                online = self.online if answer.state == "open" else views.OnlineView(())
                return msgspec.structs.replace(self, table=answer, preview=None, lobby=None, online=online)
            case views.ChatView():
                chat = without_ignored(answer, self.ignored)
                return msgspec.structs.replace(self, heard=answer, chat=chat)
            case _ if isinstance(answer, views.QueryAnswer):
                return msgspec.structs.replace(self, told=self.told + 1)
            case Invitations(lines=lines):
                return msgspec.structs.replace(self, invitations=lines)
            case Ignored(people=people):
                return msgspec.structs.replace(self, ignored=people, chat=without_ignored(self.heard, people))
            case views.Left():
                return self.nowhere()
            case _:
                return self

    @property
    def chat_length(self) -> int:
        """How many characters a chat line may have."""
        return views.DEFAULT_CHAT_LENGTH if self.welcome is None else self.welcome.chat_length

    def nowhere(self) -> "ClientState":
        """Return the state without a table."""
        return msgspec.structs.replace(self, table=None, chat=None, heard=None, kept=None, preview=None)


_FIELDS: Final[Mapping[type[views.Answer], str]] = {
    views.Welcome: "welcome",
    views.LobbyView: "lobby",
    views.Mine: "mine",
    views.OnlineView: "online",
    views.SummaryView: "summary",
    views.PreviewView: "preview",
    views.SavedSelection: "kept",
    TodayView: "today",
}
"""Views that only replace the one before, and where each is kept."""


def without_ignored(
    chat: views.ChatView | None, ignored: tuple[IgnoredPerson, ...] | None
) -> views.ChatView | None:
    """Return `chat` without the lines of `ignored` people; the same object if there are none."""
    marks = {person.who for person in ignored or () if person.who}
    if chat is None or not any(line.who in marks for line in chat.lines):
        return chat
    lines = tuple(line for line in chat.lines if line.who not in marks)
    return msgspec.structs.replace(chat, lines=lines)


class StateKey(msgspec.Struct, frozen=True):
    """What an awaited command changes: each ends in another `StateKey`, or in a refusal."""

    code: str = ""
    state: str = ""
    number: int = 0
    you: Seat | None = None
    again: tuple[Seat, ...] = ()
    told: int = 0


def state_key(known: ClientState) -> StateKey:
    """Return the key of `known`."""
    table = known.table
    if table is None:
        return StateKey(told=known.told)
    return StateKey(table.code, table.state, table.number, table.you, table.again, known.told)


def has_seat(known: ClientState, *states: TableStatus) -> bool:
    """Return whether the person has a seat at a table in one of `states`."""
    table = known.table
    here = table is not None and table.you is not None and table.state in states
    return here or any(line.state in states for line in known.mine.tables)


class LobbyEntry(msgspec.Struct, frozen=True):
    """A table in the lobby's list; `mine`: the person has a seat there; `waits`: and it is their turn."""

    line: views.TableLine
    mine: bool = False
    waits: bool = False

    @property
    def free(self) -> bool:
        """Whether it has a seat to take."""
        return self.line.state == "open" and any(seat.kind == "empty" for seat in self.line.seats)

    @property
    def people(self) -> int:
        """The number of players that are no bots."""
        return sum(seat.kind == "human" for seat in self.line.seats)


def own_turn_codes(known: ClientState) -> tuple[str, ...]:
    """Return the tables where it is the person's turn; the table in front first, by its own view."""
    table = known.table
    codes = [line.code for line in known.mine.tables if is_own_turn(known, line)]
    if table is None:
        return tuple(codes)
    here = table.you is not None and table.you in table.turn and table.state == "playing" and not table.paused
    return (table.code,) * here + tuple(code for code in codes if code != table.code)


def is_own_turn(known: ClientState, line: views.TableLine) -> bool:
    """Return whether it is the person's turn at `line`, by name: names are unique on a server."""
    name = known.welcome.name if known.welcome else ""
    on_turn = {line.seats[seat].name for seat in line.turn if line.seats[seat].kind == "human"}
    return line.state == "playing" and not line.paused and name in on_turn


_ENTRIES: Final[IdentityCache[tuple[LobbyEntry, ...]]] = IdentityCache(8)
"""The tables for people without one of their own, who all see the same list."""


def lobby_entries(known: ClientState) -> tuple[LobbyEntry, ...]:
    """Return the tables in the lobby's order: own ones first, of them those where it is the person's turn.

    Then tables with a free seat, then games between people, then those against bots; finished games last.
    """
    if known.lobby is None or known.mine.tables:
        return _in_order(known)
    return _ENTRIES.get((known.lobby,), None, lambda: _in_order(known))


def _in_order(known: ClientState) -> tuple[LobbyEntry, ...]:
    own = {line.code for line in known.mine.tables}
    listed = known.lobby.tables if known.lobby else ()
    mine = [LobbyEntry(line, mine=True, waits=is_own_turn(known, line)) for line in known.mine.tables]
    others = [LobbyEntry(line) for line in listed if line.code not in own]
    ordered = (
        *sorted(mine, key=lambda entry: not entry.waits),
        *sorted(others, key=lambda entry: (not entry.free, entry.people < 2)),
    )
    return tuple(sorted(ordered, key=lambda entry: entry.line.state == "finished"))
