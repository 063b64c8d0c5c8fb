"""What a server shows. Every view is a whole state and small, so a slow reader needs only the newest of each.

`Welcome`, `LobbyView`, `Mine`, `RoomView` and `ChatView` replace the one before; `Refusal`, `Left` and `Bye`
happen once.
"""

from collections.abc import Iterator
from heapq import merge
from typing import Annotated, Final, Literal

import msgspec

from cartino_protocol.accounts import AccountView, KeysView, PeopleUpdate
from cartino_protocol.base import Absence, Clock, Message, Part, RoomState, Row, Seat, SeatKind
from cartino_protocol.commands import Channel
from cartino_protocol.notices import Announced, Expulsion, Notice, NoticeEnd, NoticeText
from cartino_protocol.refusals import Refusal

NameChangeReason = Literal["name-taken", "bad-name", "mixed-name", "house-name"]
"""Why one is called otherwise than one asked to be; reasons of `Refusal`, too."""

DEFAULT_CHAT_LENGTH: Final = 300
"""Characters in a line of talk, unless the house says otherwise."""

ABSENT: Final = msgspec.Raw()
"""What stands for an absent value inside of a message: this very object, and no other empty one, is left out."""


class OptionInfo(Part, frozen=True):
    """One option of a game: its name, what it may be, and what it is unless somebody says otherwise.

    `help` and `label`, which is the name as people read it, are said in the reader's language.
    """

    name: str
    choices: tuple[str, ...]
    default: str
    help: str = ""
    label: str = ""


class GameInfo(Part, frozen=True):
    """A game that can be played here: name, title for people, seats (least, most), options, bots that play it."""

    name: str
    title: str
    seats: tuple[int, int]
    options: tuple[OptionInfo, ...]
    bots: tuple[str, ...] = ()


class Welcome(Message, frozen=True):
    """The answer to `Hello`: who one is here and what can be played. Sent again when any of it changes.

    `promise` is the commitment (SHA-256 in hex) of the seed of the next table that this link opens: one that fills at
    once is dealt before its own view can promise anything. Once it is used, a Welcome brings the next. `back` is the
    code of the table that this person was cut off from, or where they sit at another terminal (`elsewhere`); "" for
    none; `over`: its game is over. `word` brings a guest back from any device (see `Back`); "" for others, and while
    they have no seat. `settings` is all that the person has chosen with `Prefer`, absent for nothing. `missed` is the
    name that one asked for and didn't get, `missed_for` why. A line of talk has at most `chat_length` characters here.
    """

    version: int
    name: str
    guest: bool
    games: tuple[GameInfo, ...]
    promise: str = ""
    back: str = ""
    word: str = ""
    elsewhere: bool = False
    over: bool = False
    settings: msgspec.Raw = ABSENT
    missed: str = ""
    missed_for: NameChangeReason = "name-taken"
    chat_length: Annotated[int, msgspec.Meta(ge=1, le=1000)] = DEFAULT_CHAT_LENGTH


class SeatLine(Row, frozen=True):
    """A seat as the lobby lists it: the name shown ("" where empty) and what sits there."""

    name: str
    kind: SeatKind


class RoomLine(Part, frozen=True):
    """A table as the lobby lists it.

    `turn` holds the seats that are to act, in a running game. `commitment` is the hash of the
    seed (hex) that it will deal from: whoever takes the last seat has seen it here.
    """

    code: str
    game: str
    options: dict[str, str]
    seats: tuple[SeatLine, ...]
    spectators: int
    state: RoomState
    turn: tuple[Seat, ...] = ()
    commitment: str = ""
    clock: Clock = "none"
    paused: bool = False


class LobbyView(Message, frozen=True, weakref=True):
    """The tables that anyone may see, oldest first, and how many people are in the house."""

    rooms: tuple[RoomLine, ...]
    people: int


class Mine(Message, frozen=True):
    """The tables, private ones too, at which the person of this link has a seat.

    `kept`: code and game of those that are not open, since their game is not installed.
    """

    rooms: tuple[RoomLine, ...]
    kept: tuple[tuple[str, str], ...] = ()


class SeatView(Part, frozen=True):
    """A seat at one's table. `here`: its player is connected to the table; `cut`: they have cut the bag.

    `stand_in` is the bot that plays for them just now, "" for none. `left` is how many seconds their turn, or their
    answer to a move (see `ClaimView`), had left when the view was made, None where no clock runs for them.
    """

    name: str
    kind: SeatKind
    here: bool = True
    cut: bool = False
    stand_in: str = ""
    left: float | None = None


class ResultView(Part, frozen=True):
    """How a game ended: the final totals a seat, the winners' seats, and why it was over."""

    totals: tuple[int, ...]
    winners: tuple[Seat, ...]
    reason: str


class ClaimView(Part, frozen=True):
    """The `seats` that may answer the last move, on turn or not.

    `left` is how many seconds bots still held back when the view was made, or how many the last of the seats had;
    None when no such time runs. `stops`: play waits for the answers, and silence is one when a seat's time is up
    (`SeatView.left`).
    """

    seats: tuple[Seat, ...]
    left: float | None = None
    stops: bool = False


class RoomView(Message, frozen=True, weakref=True):
    """A table as one audience sees it.

    `you` is the audience's seat (None: a spectator). `number` counts the states of the running game; a move
    answers one of them. `table` is the game's own view, absent while the table is open. `commitment` is the
    hash of the seed (hex), `seed` the seed itself once the game is over, and then `next_commitment` the hash for
    the rematch, so that it too is promised before its deal. `again` are the seats that want a rematch.
    `watchers` are names of spectators, the first few; `spectators` is their number. `clock` and `absence` are as
    ordered (see `Create`); `paused`: nobody may move and no clock runs; `votes` are the seats that want it the
    other way. `claim` is absent while nobody may answer the last move.
    """

    code: str
    game: str
    options: dict[str, str]
    state: RoomState
    number: int
    seats: tuple[SeatView, ...]
    owner: Seat | None
    you: Seat | None
    spectators: int
    commitment: str
    watchers: tuple[str, ...] = ()
    open: bool = True
    turn: tuple[Seat, ...] = ()
    table: msgspec.Raw = msgspec.Raw()
    again: tuple[Seat, ...] = ()
    result: ResultView | None = None
    seed: str = ""
    next_commitment: str = ""
    clock: Clock = "none"
    absence: Absence = "2m"
    paused: bool = False
    votes: tuple[Seat, ...] = ()
    claim: ClaimView | None = None


class ChatLine(Row, frozen=True):
    """A line of chat: its number at this table (from 1), who said it, and where.

    `who` says who that is whatever they are called, here and at other tables, today and tomorrow, and tells nothing
    else of them; "" in lines of an older house.
    """

    n: int
    name: str
    text: str
    channel: Channel
    who: str = ""


class ChatView(Message, frozen=True, weakref=True):
    """The last lines of chat that this audience may read, oldest first, and where its own words go.

    `notices` are the last ones of what nobody says, oldest first.
    """

    lines: tuple[ChatLine, ...]
    channel: Channel
    notices: tuple[Notice, ...] = ()

    @property
    def talk(self) -> Iterator[ChatLine | Notice]:
        """Lines and notices in the order in which they came."""
        return merge(self.lines, self.notices, key=lambda each: each.n)


class Left(Message, frozen=True):
    """One is back in the lobby: by one's own wish, or because the table was closed, or broke.

    `moved`: one has come to the table from another terminal, where the seat is now; `host`: whoever keeps the house
    has closed it, with `text` as the reason, if any.
    """

    why: Literal["left", "closed", "broken", "moved", "host"]
    code: str = ""
    text: NoticeText = ""


class Bye(Message, frozen=True):
    """The server ends this link; nothing follows.

    `key`: that one came with is no longer one's own; `key-added`: it is somebody's to whom it was just added;
    `deleted`: one's account was. Whom the host sends away is told why (`text`) and `until` when.
    """

    why: Literal["shutdown", "version", "key", "key-added", "deleted"] | Expulsion
    text: NoticeText = ""
    until: NoticeEnd = ""


class Kept(Message, frozen=True):
    """What the player had in hand when the seat's last terminal said `Keep`; sent once, with the table."""

    memo: msgspec.Raw


class PastGame(Part, frozen=True):
    """A finished game as lists show it.

    `name` is what it is called ("K7QP-12") and `number` its place in time; `seats` are the players in seat order,
    a bot as `bot:NAME`; `ended` is RFC 3339 UTC.
    """

    name: str
    number: int
    game: str
    options: dict[str, str]
    seats: tuple[str, ...]
    totals: tuple[int, ...]
    winners: tuple[Seat, ...]
    reason: str
    ended: str


class HistoryView(Message, frozen=True):
    """The answer to `History`, newest first: at most 50 games, and whether there are `more` before them.

    `pruned`: the list ends here, and the server no longer keeps all older games.
    """

    of: Literal["all", "mine", "player"]
    name: str
    games: tuple[PastGame, ...]
    more: bool
    pruned: bool = False


class ReplayView(Message, frozen=True):
    """The answer to `Replay`: the table after `step` of `steps` steps (the deal is step 0), with open hands.

    `line` is where that is in the record, counted from 1.
    """

    game: str
    step: int
    steps: int
    line: int
    room: RoomView


class CourseTurn(Row, frozen=True):
    """A turn of a game that is over: whose it was, the step that shows its end, and every seat's total then."""

    seat: Seat
    step: int
    totals: tuple[int, ...]


class CourseView(Message, frozen=True):
    """The answer to `Course`: the game's turns in order, at most 1000 of them."""

    game: str
    turns: tuple[CourseTurn, ...]


class Best(Row, frozen=True):
    """The most that a player has made of something: `fact` in the game's own words ("turn"), and in which game.

    `game` is that game's name ("K7QP-12"), "" once it is no longer kept.
    """

    fact: str
    value: int
    game: str


class ScoreLine(Part, frozen=True):
    """What somebody has played of `game` with these `options`: games, those won, the mean of the totals, the bests.

    A win that several share is one for each of them. Games that were left before their end count nowhere.
    """

    game: str
    options: dict[str, str]
    games: int
    wins: int
    mean: float
    bests: tuple[Best, ...] = ()


class RatingLine(Part, frozen=True):
    """A player's rating at `game` after so many rated `games`; `place` among those rated, from 1 (0: far down)."""

    game: str
    rating: int
    games: int
    place: int


class Meeting(Row, frozen=True):
    """Two players at the same tables of `game`: so many games, in so many of them the one was ahead, or behind."""

    game: str
    games: int
    ahead: int
    behind: int


class ProfileView(Message, frozen=True):
    """The answer to `Profile`. Of games at private tables it tells only those who played in them.

    `player` is the number by which to ask again, 0 for somebody of whom nothing is kept yet, or nothing that everybody
    may see; `you`: it is one's own.
    `meetings` are with the player called `against`, "" where that was nobody or the same one.
    """

    name: str
    player: int = 0
    bot: bool = False
    you: bool = False
    scores: tuple[ScoreLine, ...] = ()
    ratings: tuple[RatingLine, ...] = ()
    against: str = ""
    meetings: tuple[Meeting, ...] = ()


class Leader(Row, frozen=True):
    """A player by their rating: the place from 1, the number for `Profile`, the name, the rating, rated games."""

    place: int
    player: int
    name: str
    rating: int
    games: int


class LeadersView(Message, frozen=True):
    """The answer to `Leaders`: the best at `game`, at most 50 people, and the bots apart.

    `you` is one's own line, None while one has none.
    """

    game: str
    people: tuple[Leader, ...]
    bots: tuple[Leader, ...] = ()
    you: Leader | None = None


class LessonView(Message, frozen=True):
    """The answer to `Lesson`: the lesson `number` of `of`, which the game calls `name`, and how far it is.

    `done` of its `tasks` are done. `strayed`: the last move was allowed, but not what the task asks for; it has to
    be taken back. `room` is the table as it stands, with the pupil at seat 0.
    """

    game: str
    number: int
    of: int
    name: str
    done: int
    tasks: int
    room: RoomView
    strayed: bool = False


QueryAnswer = (
    HistoryView | ReplayView | CourseView | ProfileView | LeadersView | LessonView | KeysView | AccountView
)
"""What is told to the screen that asked for it: of games that are over, in lessons, of one's keys."""

View = Welcome | LobbyView | Mine | RoomView | ChatView | Kept | PeopleUpdate | Announced | QueryAnswer
Answer = View | Refusal | Left | Bye
