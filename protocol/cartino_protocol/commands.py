"""Commands of a client. Each is answered by a newer view or a `Refusal`, never by silence.

A link is in at most one table, so commands inside a table carry no code. The server cleans and bounds text; the bounds
here only keep a hostile frame small.
"""

from typing import Annotated, Literal

import msgspec

from cartino_protocol.accounts import Account, AddKey, DeleteAccount, DropKey, KeyCode, Keys
from cartino_protocol.base import Absence, Clock, Message, Seat
from cartino_protocol.deals import Daily, Duplicate, League, PlayDaily, Today

ShortText = Annotated[str, msgspec.Meta(max_length=64)]
LongText = Annotated[str, msgspec.Meta(max_length=1000)]
SeatNumber = Annotated[Seat, msgspec.Meta(ge=0, lt=16)]


class Hello(Message, frozen=True):
    """The first frame on a link: the client's protocol version and kind.

    `line` identifies a visit across reconnects, which are `again`; "" for clients that don't reconnect.
    """

    version: int
    client: ShortText = ""
    line: ShortText = ""


class Rename(Message, frozen=True):
    """Change the person's name."""

    name: LongText


class Create(Message, frozen=True):
    """Open a table of `game` and sit down: `seats` seats, the last ones filled by `bots` (by name).

    `options` left out take the game's defaults. `open` tables are listed. `clock`: time per turn, then a substitute bot
    plays; `absence`: time until one plays for an absent player. `hints`: allow hints among people, at a private table.
    `duplicate`: make a match in which everybody plays the same deal, each at a table of their own against the `bots`;
    then `open`, `clock` and `absence` don't count.
    """

    game: ShortText
    options: dict[ShortText, ShortText] = msgspec.field(default_factory=dict)
    seats: Annotated[int, msgspec.Meta(ge=1, le=16)] = 2
    bots: Annotated[tuple[ShortText, ...], msgspec.Meta(max_length=16)] = ()
    open: bool = True
    clock: Clock = "none"
    absence: Absence = "2m"
    hints: bool = False
    duplicate: bool = False


class QuickPlay(Message, frozen=True):
    """Sit down at the first open table of `game` with a free seat, or open one with `bot`.

    "" or an unknown game stands for any open table, or else for the first game; such a bot for the game's first one.
    """

    game: ShortText = ""
    bot: ShortText = ""


class Join(Message, frozen=True):
    """Go to a table and sit down: on the person's own seat, else on the first free one.

    `again`: a reconnect; refused as `elsewhere` if the seat is in use at another terminal by now.
    """

    code: ShortText
    again: bool = False


class Watch(Message, frozen=True):
    """Go to a table and watch, or go back to the person's seat there. `again` as in `Join`."""

    code: ShortText
    again: bool = False


class Leave(Message, frozen=True):
    """Return to the lobby. A seat in a running game is kept, at an open table it becomes free."""


class Sit(Message, frozen=True):
    """Take the free seat `seat` at this open table."""

    seat: SeatNumber


class Stand(Message, frozen=True):
    """Give the seat back and watch; not while a game runs."""


class Start(Message, frozen=True):
    """Start with the seats taken, two or more; for the table's owner."""


class Cut(Message, frozen=True):
    """Add any text to the shuffle; the last one before the deal counts."""

    text: LongText


class Act(Message, frozen=True):
    """A move of the game, for the state numbered `number`."""

    number: int
    move: msgspec.Raw


class Say(Message, frozen=True):
    """A line of chat, for the channel of the person's place at the table."""

    text: LongText


class Rematch(Message, frozen=True):
    """Vote for another game with the seats turned by one; it starts when all players present agree."""


class Pause(Message, frozen=True):
    """Vote to pause the game (`on`) or to resume it; it takes all players present."""

    on: bool


class Lead(Message, frozen=True):
    """After a game, show `step` of its replay to the others at the table; None stops showing it."""

    step: Annotated[int, msgspec.Meta(ge=0, lt=10**6)] | None = None


class SaveSelection(Message, frozen=True):
    """Store the selection, the client's own data of at most 256 bytes, until one sits here again.

    Comes back as `Kept`.
    """

    selection: msgspec.Raw


class Prefer(Message, frozen=True):
    """Store settings, by the client's own names; nil removes one.

    Only changed ones are sent, so that terminals don't undo each other's. All of them, at most 2048 bytes, come back in
    every `Welcome`.
    """

    settings: msgspec.Raw


class Back(Message, frozen=True):
    """Become the guest again who was given the resume code `word`; the `Welcome` that answers has a new one."""

    word: ShortText


class History(Message, frozen=True):
    """List finished games, newest first: `all` public ones, `mine`, or those of the player `name`.

    `before`: the number of the last game shown, 0 to begin with the newest.
    """

    of: Literal["all", "mine", "player"]
    name: LongText = ""
    before: Annotated[int, msgspec.Meta(ge=0, lt=10**15)] = 0


class Replay(Message, frozen=True):
    """Show the finished `game` ("K7QP-12") after `step` steps, at most its end; or "K7QP-12@34" after that turn."""

    game: ShortText
    step: Annotated[int, msgspec.Meta(ge=0, lt=10**6)] = 0


class Course(Message, frozen=True):
    """Show the totals of the finished `game` ("K7QP-12"), turn by turn."""

    game: ShortText


class Review(Message, frozen=True):
    """Show what the turns of the finished `game` ("K7QP-12") lost compared with the best ones.

    Other commands are answered meanwhile; refused as `busy` while another review is due.
    """

    game: ShortText


class TryTurn(Message, frozen=True):
    """Show the finished `game` after `step` and then `moves` of the seat on turn there, with what they lost.

    The server stores nothing of it: each request has all moves of that turn.
    """

    game: ShortText
    step: Annotated[int, msgspec.Meta(ge=0, lt=10**6)] = 0
    moves: Annotated[tuple[msgspec.Raw, ...], msgspec.Meta(max_length=32)] = ()


class PlayOn(Message, frozen=True):
    """Open a private table that goes on from `step` of the finished `game` ("K7QP-12"), and counts for nothing.

    One plays for the seat on turn, bots for the others.
    """

    game: ShortText
    step: Annotated[int, msgspec.Meta(ge=0, lt=10**6)] = 0


class Profile(Message, frozen=True):
    """Show a profile: by number `player` (from a `LeadersView`), else by `name`, else the person's own.

    `against`: another player's name, to compare the two; "" for the person who asks.
    """

    name: LongText = ""
    player: Annotated[int, msgspec.Meta(ge=0, lt=1 << 62)] = 0
    against: LongText = ""


class Leaders(Message, frozen=True):
    """Show the ratings at `game`; "" is the server's first game."""

    game: ShortText = ""


class Invite(Message, frozen=True):
    """Invite the person called `name` to this table; if offline, they are told on arrival."""

    name: LongText


class Decline(Message, frozen=True):
    """Dismiss the invitation to `code`. `for_good`: mute its sender."""

    code: ShortText
    for_good: bool = False


class Ignore(Message, frozen=True):
    """Mute somebody, or (not `on`) unmute them: by `ChatLine.who`, else by `name`. Answered by `Ignored`."""

    who: ShortText = ""
    name: LongText = ""
    on: bool = True


class Report(Message, frozen=True):
    """Report the line of chat numbered `line` at this table to the host. Answered by `Reported`."""

    line: Annotated[int, msgspec.Meta(ge=1, lt=1 << 62)]


class Summary(Message, frozen=True):
    """Send `OnlineView` and `SummaryView` now and whenever they change, while this link is in the lobby."""


class Preview(Message, frozen=True):
    """Show the public table `code` in the lobby as spectators see it, instead of the one before; "" for none.

    Answered by `PreviewView`, now and whenever the table changes, until this link leaves the lobby. Nobody at the
    table notices.
    """

    code: ShortText = ""


class Lesson(Message, frozen=True):
    """Show the lesson `number` (from 1, at most the last) of `game` after the pupil's `moves`.

    The server stores nothing of it: each request has all moves.
    """

    game: ShortText
    number: Annotated[int, msgspec.Meta(ge=1, lt=1000)] = 1
    moves: Annotated[tuple[msgspec.Raw, ...], msgspec.Meta(max_length=32)] = ()


VisitCommand = Hello | Rename | Back | Prefer | SaveSelection
GoCommand = Create | QuickPlay | Join | Watch | Leave | PlayOn | PlayDaily
TableCommand = Act | Say | Cut | Sit | Stand | Start | Rematch | Pause | Lead
"""A player's or spectator's command that concerns the table's value alone."""
GameCommand = History | Replay | Course | Review | TryTurn | Profile | Leaders | Lesson | Summary | Preview
PeopleCommand = (
    Invite | Decline | Ignore | Report | Keys | KeyCode | AddKey | DropKey | Account | DeleteAccount
)
Command = (
    VisitCommand | GoCommand | TableCommand | GameCommand | PeopleCommand | Daily | Duplicate | League | Today
)


def tag_of(command: Command) -> str:
    """Return the wire tag of `command`."""
    return type(command).__name__


Channel = Literal["table", "watchers"]
"""Who reads a line of chat: the whole table, or (while a game runs) its spectators only."""
