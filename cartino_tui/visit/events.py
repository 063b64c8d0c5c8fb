"""What a `Visit` takes in and asks for: events, effects, and the facts that a person may have to be told."""

from typing import Literal

import msgspec

from cartino_protocol.accounts import PeopleUpdate
from cartino_protocol.commands import (
    Command,
    Create,
    Replay,
)
from cartino_protocol.link import ConnectionStatus
from cartino_protocol.notices import Announced
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import Answer, Left, Missed, QueryAnswer, TableView, Welcome
from cartino_tui.visit.farewell import Farewell
from cartino_tui.visit.state import ClientState

Timer = Literal["save-settings", "countdown", "notice"]
"""`countdown` repeats until it is stopped; the others fire once, and start again when started again."""


class Closed(msgspec.Struct, frozen=True):
    """The connection is lost and won't be made again; `why` says why it can't be."""

    why: LazyMessage | None = None


class Wanted(msgspec.Struct, frozen=True):
    """The person wants `command` sent; where it is `awaited`, input waits for its answer."""

    command: Command
    awaited: bool = False


class SaveSettings(msgspec.Struct, frozen=True):
    """A setting was chosen: save it soon, or `now`."""

    now: bool = False


class TimeUp(msgspec.Struct, frozen=True):
    """A timer that was started has fired."""

    timer: Timer


class QuitRequest(msgspec.Struct, frozen=True):
    """The person leaves; `farewell` if something else is to be said than how to come back."""

    farewell: Farewell = Farewell()


Event = Answer | ConnectionStatus | Closed | Wanted | SaveSettings | TimeUp | QuitRequest


class Send(msgspec.Struct, frozen=True):
    """Send `command` to the server."""

    command: Command


class StartTimer(msgspec.Struct, frozen=True):
    """Hand in `TimeUp(timer)` in `seconds`."""

    timer: Timer
    seconds: float


class StopTimer(msgspec.Struct, frozen=True):
    """Stop `timer`, if it runs."""

    timer: Timer


class Fact(msgspec.Struct, frozen=True):
    """What a person may have to be told; each shell has its own way."""


class Greeted(Fact, frozen=True):
    """The server's games, and maybe the person's settings, have come."""


class ShowTable(msgspec.Struct, frozen=True):
    """Show `table`, unless it is in front already; `returned`: the person is back on a seat of theirs."""

    table: TableView
    returned: bool = False


class ShowLobby(msgspec.Struct, frozen=True):
    """Close everything over the lobby; `left` says why."""

    left: Left | None = None


class ShowLessons(msgspec.Struct, frozen=True):
    """Open the lessons of `game` ("" asks which)."""

    game: str


class ShowReplay(msgspec.Struct, frozen=True):
    """Ask for a finished game, and show it over the lobby."""

    asked: Replay


class OfferLessons(msgspec.Struct, frozen=True):
    """Offer the lessons of the game of `table`, and then send `table`."""

    table: Create


class Answered(msgspec.Struct, frozen=True):
    """Give `answer` to the page that asked for it."""

    answer: QueryAnswer


class Refused(msgspec.Struct, frozen=True):
    """Tell the person why a command was refused, or ("no-line") that it was not sent."""

    refusal: Refusal


class End(msgspec.Struct, frozen=True):
    """End the visit."""

    farewell: Farewell


class Renamed(Fact, frozen=True):
    """The person is called `name` now."""

    name: str


class NameChanged(Fact, frozen=True):
    """The name that the person asked for was not available; `welcome` says why."""

    welcome: Welcome


class TableNotNew(Fact, frozen=True):
    """No table was opened, because the person already has one and is going back to it."""


class TableGone(Fact, frozen=True):
    """The resume code was good, but the table has closed."""


class SeatElsewhere(Fact, frozen=True):
    """The person's seat at the table `code` is at their other terminal."""

    code: str


class ResumeCode(Fact, frozen=True):
    """A guest's game runs: `word` brings them back to it. Told once."""

    word: str


class BotBeaten(Fact, frozen=True):
    """The person has beaten `bot` in `game` often enough for quick play to be against the next one."""

    bot: str
    game: str


class TurnStarted(Fact, frozen=True):
    """It has become the person's turn at the tables with these `codes`, the one in front included."""

    codes: tuple[str, ...]


class PeopleChanged(Fact, frozen=True):
    """An invitation, a mute or a report; `before` is what was known before `answer`."""

    answer: PeopleUpdate
    before: ClientState


class AdminAnnounced(Fact, frozen=True):
    """The host has said something to everybody, or to this person."""

    notice: Announced


class WhileAway(Fact, frozen=True):
    """Games of the person ended or began without them. Told once."""

    news: Missed


class ConnectionLost(Fact, frozen=True):
    """The connection is lost, and is being made again."""


class Reconnected(Fact, frozen=True):
    """The connection is back, and the person is where they were."""


Effect = (
    Send
    | StartTimer
    | StopTimer
    | ShowTable
    | ShowLobby
    | ShowLessons
    | ShowReplay
    | OfferLessons
    | Answered
    | Refused
    | End
    | Fact
)
