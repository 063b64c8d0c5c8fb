"""What a server shows. Every view is a small, whole state, so a slow reader needs only the newest of each.

`Welcome`, `LobbyView`, `Mine`, `OnlineView`, `SummaryView`, `PreviewView`, `TableView` and `ChatView` replace the one
before; `Refusal`, `Left` and `Bye` happen once.
"""

from collections.abc import Iterator
from heapq import merge
from math import fsum
from typing import Annotated, Final, Literal

import msgspec

from cartino_protocol.accounts import AccountView, KeysView, PeopleUpdate
from cartino_protocol.base import Absence, Clock, Message, Part, Row, Seat, SeatKind, TableStatus
from cartino_protocol.commands import Channel
from cartino_protocol.deals import DealView, LeagueView, TodayView
from cartino_protocol.notices import Announced, Expulsion, Notice, NoticeEnd, NoticeText
from cartino_protocol.refusals import Refusal

NameChangeReason = Literal["name-taken", "bad-name", "mixed-name", "house-name"]
"""Why one didn't get the name asked for; reasons of `Refusal`, too."""

DEFAULT_CHAT_LENGTH: Final = 300
"""Characters in a line of chat, unless the server says otherwise."""

ABSENT: Final = msgspec.Raw()
"""An absent value inside a message: this very object is left out, no other empty one."""


class OptionInfo(Part, frozen=True):
    """An option of a game: its name, choices and default; choices, `label` and `help` are English and translated."""

    name: str
    choices: tuple[str, ...]
    default: str
    help: str = ""
    label: str = ""


class GameInfo(Part, frozen=True):
    """A game of the server: name, title, seats (least, most), options, bots."""

    name: str
    title: str
    seats: tuple[int, int]
    options: tuple[OptionInfo, ...]
    bots: tuple[str, ...] = ()


class Welcome(Message, frozen=True):
    """The answer to `Hello`, sent again when anything in it changes.

    * `promise`: the commitment (SHA-256 in hex) of the next table that this link opens, needed when it fills at once; a
      new Welcome follows its use
    * `back`: the table that the person was cut off from, or has open elsewhere (`elsewhere`); `over`: its game is over
    * `word`: a guest's resume code (see `Back`), "" for others and without a seat
    * `settings`: all choices made with `Prefer`
    * `missed`, `missed_for`: the name asked for but not given, and why
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
    """A seat in the lobby's list: the name ("" where empty) and what sits there."""

    name: str
    kind: SeatKind


class TableLine(Part, frozen=True):
    """A table in the lobby's list.

    `turn`: the seats to act; `commitment`: the hash (hex) of the seed, for the player who takes the last seat;
    `away`: the seats of a challenge whose players aren't there.
    """

    code: str
    game: str
    options: dict[str, str]
    seats: tuple[SeatLine, ...]
    spectators: int
    state: TableStatus
    turn: tuple[Seat, ...] = ()
    commitment: str = ""
    clock: Clock = "none"
    paused: bool = False
    away: tuple[Seat, ...] = ()

    @property
    def is_challenge(self) -> bool:
        """Whether it waits for players of a correspondence game, who needn't be there."""
        return self.state == "open" and self.clock == "day"


class LobbyView(Message, frozen=True, weakref=True):
    """The public tables, oldest first, and the number of people online."""

    tables: tuple[TableLine, ...] = msgspec.field(name="rooms")
    people: int


class Mine(Message, frozen=True):
    """The tables, private ones too, where the person has a seat.

    `kept`: code and game of tables whose game is not installed.
    """

    tables: tuple[TableLine, ...] = msgspec.field(name="rooms")
    kept: tuple[tuple[str, str], ...] = ()


class SeatView(Part, frozen=True):
    """A seat at the table. `here`: its player is connected; `cut`: they have cut the shuffle.

    `substitute`: the bot playing for them now, "" for none; `substituted`: such a bot made their last move. `left`: the
    seconds left for their turn or answer when the view was made, None without a clock.
    """

    name: str
    kind: SeatKind
    here: bool = True
    cut: bool = False
    substitute: str = msgspec.field(default="", name="stand_in")
    left: float | None = None
    substituted: bool = False


class RatingChange(Row, frozen=True):
    """A player's rating before a game and after it, as leaderboards show it."""

    before: int
    after: int


class MissedTurn(Part, frozen=True):
    """The person's costliest turn: its number in the game (from 1), the points `made`, the `best` and its moves.

    `lost` are the points it lost in the long run; 0 where only its own points are compared.
    """

    turn: int
    made: int
    best: int
    moves: tuple[msgspec.Raw, ...]
    lost: int = 0


class ResultView(Part, frozen=True):
    """The final totals per seat, the winners' seats, and why the game ended.

    `rating`, `missed`, and at a shared deal the points `lost` by their turns and their `place` (0 for none) are the
    reader's own; they come some time after the end, and don't outlive the server.
    """

    totals: tuple[int, ...]
    winners: tuple[Seat, ...]
    reason: str
    rating: RatingChange | None = None
    missed: MissedTurn | None = None
    lost: float | None = None
    place: int = 0


class ClaimView(Part, frozen=True):
    """The `seats` that may answer the last move, on turn or not.

    `left`: seconds until bots go on or the last seat's time is up, None without a limit. `stops`: play waits for the
    answers; a seat whose time is up declines.
    """

    seats: tuple[Seat, ...]
    left: float | None = None
    stops: bool = False


class LedReview(Row, frozen=True):
    """The `step` of the finished game's replay that the player at `seat` shows the others."""

    seat: Seat
    step: int


class TableView(Message, frozen=True, weakref=True, tag="RoomView"):
    """A table as one audience sees it.

    * `you`: the audience's seat, None for spectators; `number`: the game's state, which a move names
    * `game_view`: the game's own view, absent while the table is open
    * `commitment`: the hash (hex) of the seed; `seed`: at the end, then with the rematch's `next_commitment`
    * `again`: seats that want a rematch; `votes`: seats that want to pause, or to resume if `paused`
    * `watchers`: the first spectators' names; `spectators`: their number
    * `clock`, `absence`, `hints`: as in `Create`; `claim`: absent while nobody may answer the last move
    * `sealed`: others play the same deal until then ("2026-01-31 00:00", UTC): no hints, and no seed before; else ""
    * `once`: an attempt at a shared deal, which has no rematch, also after it closed; `duplicate`: the code with which
      others join the duplicate match that it belongs to, "" for a daily; `practice`: the daily of people who aren't
      ranked yet
    * `led`: what the player who leads the review shows, None while nobody does
    """

    code: str
    game: str
    options: dict[str, str]
    state: TableStatus
    number: int
    seats: tuple[SeatView, ...]
    owner: Seat | None
    you: Seat | None
    spectators: int
    commitment: str
    watchers: tuple[str, ...] = ()
    open: bool = True
    turn: tuple[Seat, ...] = ()
    game_view: msgspec.Raw = msgspec.field(default=msgspec.Raw(), name="table")
    again: tuple[Seat, ...] = ()
    result: ResultView | None = None
    seed: str = ""
    next_commitment: str = ""
    clock: Clock = "none"
    absence: Absence = "2m"
    paused: bool = False
    votes: tuple[Seat, ...] = ()
    claim: ClaimView | None = None
    hints: bool = False
    sealed: str = ""
    once: bool = False
    duplicate: str = ""
    led: LedReview | None = None
    practice: bool = False


class ChatLine(Row, frozen=True):
    """A line of chat: its number at this table (from 1), who said it, and where.

    `who`: a pseudonym that identifies the person across names and tables; "" in old lines.
    """

    n: int
    name: str
    text: str
    channel: Channel
    who: str = ""


class ChatView(Message, frozen=True, weakref=True):
    """The last lines of chat for this audience, oldest first, and where its own go; `notices`: the last events."""

    lines: tuple[ChatLine, ...]
    channel: Channel
    notices: tuple[Notice, ...] = ()

    @property
    def talk(self) -> Iterator[ChatLine | Notice]:
        """Yield lines and notices in order."""
        return merge(self.lines, self.notices, key=lambda each: each.n)


class Left(Message, frozen=True):
    """The person is back in the lobby: they left, or the table was closed or broke.

    `moved`: they joined from another terminal; `host`: the host closed it, for the reason `text`.
    """

    why: Literal["left", "closed", "broken", "moved", "host"]
    code: str = ""
    text: NoticeText = ""


class Bye(Message, frozen=True):
    """The server ends this link.

    `key`: the key in use was removed; `key-added`: it was added to another account; `deleted`: the account was deleted.
    Expulsions have a reason (`text`) and an end (`until`).
    """

    why: Literal["shutdown", "version", "key", "key-added", "deleted"] | Expulsion
    text: NoticeText = ""
    until: NoticeEnd = ""


class SavedSelection(Message, frozen=True):
    """The selection that the seat's last terminal stored with `SaveSelection`; sent once, with the table."""

    selection: msgspec.Raw


class PastGame(Part, frozen=True):
    """A finished game in lists.

    `name`: "K7QP-12"; `number`: its order in time; `seats`: the players, a bot as `bot:NAME`; `ended`: RFC 3339 UTC.
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


class OwnGame(Part, frozen=True):
    """A finished game, and the person's seat in it."""

    game: PastGame
    seat: Seat


class BegunGame(Row, frozen=True):
    """The game at the table `code`, which began while the person was away, and the names of the others there."""

    code: str
    others: tuple[str, ...]


class Missed(Message, frozen=True):
    """What happened while the person was away, sent once: own `games` that ended, newest first, and those that `begun`.

    `more`: there are older ones than these 10. `expired`: codes of challenges that closed with a seat still free.
    """

    games: tuple[OwnGame, ...] = ()
    begun: tuple[BegunGame, ...] = ()
    more: bool = False
    expired: tuple[str, ...] = ()


class HistoryView(Message, frozen=True):
    """The answer to `History`, newest first: at most 50 games.

    `more`: there are older ones; `pruned`: older ones were removed.
    """

    of: Literal["all", "mine", "player"]
    name: str
    games: tuple[PastGame, ...]
    more: bool
    pruned: bool = False


class ReplayView(Message, frozen=True):
    """The answer to `Replay`: the table after `step` of `steps` (0: the deal), with open hands.

    `line`: in the record, from 1.
    """

    game: str
    step: int
    steps: int
    line: int
    table: TableView = msgspec.field(name="room")


class CourseTurn(Row, frozen=True):
    """A turn of a finished game: whose it was, the step of its end, and every seat's total then."""

    seat: Seat
    step: int
    totals: tuple[int, ...]


class CourseView(Message, frozen=True):
    """The answer to `Course`: the game's turns, at most 1000."""

    game: str
    turns: tuple[CourseTurn, ...]


class TurnReview(Row, frozen=True):
    """A turn compared with the best one: its seat, the steps before and after it, both turns' points, those `lost`.

    `moves` and `best_moves` are encoded, () where less than a point was lost. `luck`: what its draw was worth
    compared with the average one, None if unknown.
    """

    seat: Seat
    start: int
    end: int
    made: int
    best: int
    lost: float
    moves: tuple[msgspec.Raw, ...] = ()
    best_moves: tuple[msgspec.Raw, ...] = ()
    luck: float | None = None


class ReviewView(Message, frozen=True):
    """The answer to `Review`: the game's turns, at most 1000; the one that ended it is not judged.

    `judged`: points are lost in the long run; earlier servers also compared the turns' own points.
    """

    game: str
    judged: bool
    turns: tuple[TurnReview, ...]

    def points_lost_by(self, seat: Seat) -> float:
        """Return the points that the turns of `seat` lost."""
        return round(fsum(turn.lost for turn in self.turns if turn.seat == seat), 1)

    def luck(self, seat: Seat) -> float | None:
        """Return what the draws of `seat` were worth compared with average ones; None if unknown."""
        known = [turn.luck for turn in self.turns if turn.seat == seat and turn.luck is not None]
        return round(fsum(known), 1) if known else None

    def turn_at(self, step: int) -> int | None:
        """Return the number, from 0, of the turn that leads to `step`, or at step 0 of the first; None without one."""
        found = next((number for number, turn in enumerate(self.turns) if turn.end >= step), None)
        return None if found is None or self.turns[found].start > step else found


class TrialView(Message, frozen=True):
    """The answer to `TryTurn`: the table as the seat on turn at `step` sees it after its moves.

    Once the turn is `done`, `made` are its points, `lost` those it lost compared with the best one (None if no bot can
    say), and `best_moves` the best one's moves.
    """

    game: str
    step: int
    table: TableView = msgspec.field(name="room")
    done: bool = False
    made: int = 0
    lost: float | None = None
    best_moves: tuple[msgspec.Raw, ...] = ()


class Highlight(Row, frozen=True):
    """A player's best of something: `fact` in the game's words ("turn"); `game`: "K7QP-12", "" if it was removed."""

    fact: str
    value: int
    game: str


class ScoreLine(Part, frozen=True):
    """Games, wins, mean of the totals and bests at `game` with `options`.

    A shared win counts as one for each. Abandoned games don't count.
    """

    game: str
    options: dict[str, str]
    games: int
    wins: int
    mean: float
    highlights: tuple[Highlight, ...] = ()


FIRM_GAMES: Final = 10
"""With fewer games, a rating or the points lost a game are provisional."""


class RatingRange(Row, frozen=True):
    """Between which ratings a player's level lies with 99.7% certainty; `low` is the rating shown."""

    low: int
    high: int


class RatingLine(Part, frozen=True):
    """A rating at `game` after `games` rated ones; `place`: from 1, 0 if far down."""

    game: str
    rating: int
    games: int
    place: int
    range: RatingRange | None = None


class Skill(Part, frozen=True):
    """The points that a player's decisions `lost` a game: the average of their last `games` reviewed ones, at most 40.

    Only games of `game` with these `options` and so many `seats` count. `within`: half of the 95% interval, None for a
    single game.
    """

    game: str
    options: dict[str, str]
    seats: int
    games: int
    lost: float
    within: float | None = None


class HeadToHead(Row, frozen=True):
    """Two players at the same tables of `game`: the number of games, and how often the person was ahead or behind."""

    game: str
    games: int
    ahead: int
    behind: int


class Goal(Part, frozen=True):
    """A person's games against `bot`, at `game` with `options` and so many `seats`, and how many they won.

    `margin`: the most points by which they did better than the bot; `best`: their best of the game's first `fact`.
    """

    game: str
    options: dict[str, str]
    seats: int
    bot: str
    games: int
    wins: int
    margin: int
    fact: str = ""
    best: int = 0


class ProfileView(Message, frozen=True):
    """The answer to `Profile`. Private games are visible to their players only.

    `player`: the number for another query, 0 if there is nothing to show; `you`: it is their own; `head_to_head`: with
    the player `against`, "" for none; `streak`: the person's days in a row with a finished game.
    """

    name: str
    player: int = 0
    bot: bool = False
    you: bool = False
    scores: tuple[ScoreLine, ...] = ()
    ratings: tuple[RatingLine, ...] = ()
    against: str = ""
    head_to_head: tuple[HeadToHead, ...] = ()
    goals: tuple[Goal, ...] = ()
    streak: int = 0
    skill: tuple[Skill, ...] = ()


class Leader(Row, frozen=True):
    """A ranked player: place from 1, number for `Profile`, name, rating, rated games.

    `skill`: by kind of this game, most games first.
    """

    place: int
    player: int
    name: str
    rating: int
    games: int
    range: RatingRange | None = None
    skill: tuple[Skill, ...] = ()


class LeadersView(Message, frozen=True):
    """The answer to `Leaders`: the best at `game`, at most 50, and the bots apart; `you`: the person's line or None."""

    game: str
    people: tuple[Leader, ...]
    bots: tuple[Leader, ...] = ()
    you: Leader | None = None


class TopPlayers(Row, frozen=True):
    """The best-rated people at `game`, at most 5."""

    game: str
    people: tuple[Leader, ...]


class SummaryView(Message, frozen=True, weakref=True):
    """What the lobby shows besides tables and people, for those who sent `Summary`.

    `place`: what the host calls the server, "" for nothing; `top`: by game, without games that nobody is rated at;
    `finished`: the public games of the last 24 hours, newest first, at most 12.
    """

    place: str = ""
    top: tuple[TopPlayers, ...] = ()
    finished: tuple[PastGame, ...] = ()


class OnlineView(Message, frozen=True, weakref=True):
    """The names of the people online, in the order of their arrival, at most 60; `LobbyView` counts all."""

    names: tuple[str, ...]


class PreviewView(Message, frozen=True, weakref=True):
    """The answer to `Preview`: the table `code` for spectators; `table` is None where there is nothing to see."""

    code: str
    table: TableView | None = msgspec.field(default=None, name="room")


class LessonView(Message, frozen=True):
    """The answer to `Lesson`: the lesson `number` of `of`, called `name` by the game.

    `done` of `tasks` are done. `strayed`: the last move was legal but not what the task asks, and must be taken back.
    `table`: the table, with the pupil at seat 0.
    """

    game: str
    number: int
    of: int
    name: str
    done: int
    tasks: int
    table: TableView = msgspec.field(name="room")
    strayed: bool = False


_GameAnswer = HistoryView | ReplayView | CourseView | ReviewView | TrialView | ProfileView | LeadersView
QueryAnswer = _GameAnswer | LessonView | KeysView | AccountView | DealView | LeagueView
"""Answers to queries, for the screen that asked."""

_LobbyView = LobbyView | Mine | OnlineView | SummaryView | PreviewView | Missed | TodayView
_TableView = TableView | ChatView | SavedSelection
View = Welcome | _LobbyView | _TableView | PeopleUpdate | Announced | QueryAnswer
Answer = View | Refusal | Left | Bye
