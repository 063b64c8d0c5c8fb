"""What a client may say. Each command is answered by a newer view or by a `Refusal`, never by silence.

A link stands in at most one room, so commands inside a room carry no code. Text from people is cleaned and
bounded by the server; the bounds here only keep a hostile frame small.
"""

from typing import Annotated, Literal

import msgspec

from cartino_protocol.accounts import Account, AddKey, DeleteAccount, DropKey, KeyCode, Keys
from cartino_protocol.base import Absence, Clock, Message, Seat

ShortText = Annotated[str, msgspec.Meta(max_length=64)]
LongText = Annotated[str, msgspec.Meta(max_length=1000)]
SeatNumber = Annotated[Seat, msgspec.Meta(ge=0, lt=16)]


class Hello(Message, frozen=True):
    """The first frame on a link: which protocol version the client speaks, and what it is.

    `line` names a line that outlives its connection, so that the house can tell it from another terminal of the same
    person when it comes `again`; "" where it does not.
    """

    version: int
    client: ShortText = ""
    line: ShortText = ""


class Rename(Message, frozen=True):
    """Take another displayed name."""

    name: LongText


class Create(Message, frozen=True):
    """Open a table and sit down at it: of `game`, with `seats` seats of which `bots` (by name) fill the last.

    `options` are the game's own, by name; those left out take their defaults. `open` tables stand in the
    lobby's list, others are found by their code alone. `clock` is the time for a turn, after which a stand-in
    plays it; `absence` the time after which one plays on for somebody who is away.
    """

    game: ShortText
    options: dict[ShortText, ShortText] = msgspec.field(default_factory=dict)
    seats: Annotated[int, msgspec.Meta(ge=1, le=16)] = 2
    bots: Annotated[tuple[ShortText, ...], msgspec.Meta(max_length=16)] = ()
    open: bool = True
    clock: Clock = "none"
    absence: Absence = "2m"


class QuickPlay(Message, frozen=True):
    """Sit down at the first open table of `game` with a free seat, or open one with the game's first bot.

    "" stands for any open table, or else for the first game; so does a game that can't be played here.
    """

    game: ShortText = ""


class Join(Message, frozen=True):
    """Go to a table and sit down: on one's own seat if one has one there, else on the first that is free.

    `again`: the line was lost there and goes back by itself. If the person has the seat at another terminal by now,
    it stays there: that is refused as `elsewhere`.
    """

    code: ShortText
    again: bool = False


class Watch(Message, frozen=True):
    """Go to a table and watch; who has a seat there comes back to it. For `again` see `Join`."""

    code: ShortText
    again: bool = False


class Leave(Message, frozen=True):
    """Back to the lobby. A seat in a running game stays its owner's; one at an open table becomes free."""


class Sit(Message, frozen=True):
    """Take the free seat `seat` at the open table where one stands."""

    seat: SeatNumber


class Stand(Message, frozen=True):
    """Give the seat back and watch; only while no game runs."""


class Start(Message, frozen=True):
    """The table's owner starts with the seats that are taken, two or more."""


class Cut(Message, frozen=True):
    """One's cut of the bag: any text, which goes into the shuffle. The last one before the deal counts."""

    text: LongText


class Act(Message, frozen=True):
    """A move in the game, in the game's own words, as an answer to the state numbered `number`."""

    number: int
    move: msgspec.Raw


class Say(Message, frozen=True):
    """A line of chat, on the channel that one's place at the table gives."""

    text: LongText


class Rematch(Message, frozen=True):
    """Another game at this table, with the seats turned by one, once every player here wants it."""


class Pause(Message, frozen=True):
    """A player's vote: the running game should stop (`on`) or go on. It does when all players who are here agree."""

    on: bool


class Keep(Message, frozen=True):
    """Keep what a player has in hand (the client's own words, at most 256 bytes) until they sit here again.

    It comes back as `Kept`; nobody else ever sees it. Never answered but by a refusal.
    """

    memo: msgspec.Raw


class Prefer(Message, frozen=True):
    """Keep what a person has chosen for themselves; nobody else sees it.

    `settings` are the fields that have changed, by the client's own names, nil for one that is to be forgotten. So
    nobody undoes what was chosen at another terminal, or by a newer client. All of them, at most 2048 bytes, come back
    in every `Welcome`. Never answered but by a refusal.
    """

    settings: msgspec.Raw


class Back(Message, frozen=True):
    """Be the guest again to whom the house gave `word`, which is good until the next one was used.

    The `Welcome` that answers has the next.
    """

    word: ShortText


class History(Message, frozen=True):
    """The games that are over, newest first: `all` that anybody may see, `mine`, or those of the player `name`.

    `before` is the number of the last game shown, for those that ended before it; 0 begins with the newest.
    """

    of: Literal["all", "mine", "player"]
    name: LongText = ""
    before: Annotated[int, msgspec.Meta(ge=0, lt=10**15)] = 0


class Replay(Message, frozen=True):
    """Show the finished `game` (its name, "K7QP-12") after so many steps; beyond the end is the end."""

    game: ShortText
    step: Annotated[int, msgspec.Meta(ge=0, lt=10**6)] = 0


class Course(Message, frozen=True):
    """Show how the totals went in the finished `game` (its name, "K7QP-12"), turn by turn."""

    game: ShortText


class Profile(Message, frozen=True):
    """Show what somebody has played: the player with the number `player` (as a `LeadersView` has it), else `name`.

    With neither it is one's own. `against`: also how the two did at the same tables; "" for oneself.
    """

    name: LongText = ""
    player: Annotated[int, msgspec.Meta(ge=0, lt=1 << 62)] = 0
    against: LongText = ""


class Leaders(Message, frozen=True):
    """Show who plays `game` best, by their ratings; "" is the house's first game."""

    game: ShortText = ""


class Invite(Message, frozen=True):
    """Ask the person called `name` to the table where one stands; who is not here is told when they come."""

    name: LongText


class Decline(Message, frozen=True):
    """Don't go to the table `code`, to which one was invited. `for_good`: hear no more from whoever invited."""

    code: ShortText
    for_good: bool = False


class Ignore(Message, frozen=True):
    """Hear no more of somebody, or (not `on`) hear them again: who they are as a `ChatLine` says it, or their `name`.

    With a `who` the name is what the list of those whom one ignores calls them. Answered by `Ignored`.
    """

    who: ShortText = ""
    name: LongText = ""
    on: bool = True


class Report(Message, frozen=True):
    """Have the host read the line of chat numbered `line` at the table where one stands. Answered by `Reported`."""

    line: Annotated[int, msgspec.Meta(ge=1, lt=1 << 62)]


class Lesson(Message, frozen=True):
    """Show the lesson `number` (from 1) of `game` after the pupil's `moves`, which are in the game's own words.

    The house keeps nothing of it: each question tells all the moves again. Beyond the last lesson is the last.
    """

    game: ShortText
    number: Annotated[int, msgspec.Meta(ge=1, lt=1000)] = 1
    moves: Annotated[tuple[msgspec.Raw, ...], msgspec.Meta(max_length=32)] = ()


Command = (
    Hello
    | Rename
    | Create
    | QuickPlay
    | Join
    | Watch
    | Leave
    | Sit
    | Stand
    | Start
    | Cut
    | Act
    | Say
    | Rematch
    | Pause
    | Keep
    | Prefer
    | Back
    | History
    | Replay
    | Course
    | Profile
    | Leaders
    | Invite
    | Decline
    | Ignore
    | Report
    | Lesson
    | Keys
    | KeyCode
    | AddKey
    | DropKey
    | Account
    | DeleteAccount
)


def tag_of(command: Command) -> str:
    """The name under which `command` travels."""
    return type(command).__name__


Channel = Literal["table", "watchers"]
"""Where a line of chat is heard: by the whole table, or (while a game runs) by its spectators only."""
